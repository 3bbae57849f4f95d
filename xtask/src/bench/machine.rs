//! The machine that was used, as reported by the kernel.

use std::fs;

use serde_json::{Value, json};

/// The properties of a machine that matter for the figures.
pub(super) struct Machine {
    pub(super) cores: usize,
    processor: String,
    memory_gib: f64,
    kernel: String,
    system: String,
}

impl Machine {
    /// Returns the current machine.
    pub(super) fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let kib = field(&read("/proc/meminfo"), "MemTotal", ':');
        let kib = kib.and_then(|kib| kib.split(' ').next()?.parse::<f64>().ok());
        let unknown = || "unknown".to_owned();
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            processor: field(&read("/proc/cpuinfo"), "model name", ':').unwrap_or_else(unknown),
            memory_gib: kib.unwrap_or(f64::NAN) / 1024.0 / 1024.0,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            system: field(&read("/etc/os-release"), "PRETTY_NAME", '=').unwrap_or_else(unknown),
        }
    }

    pub(super) fn sentence(&self) -> String {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        format!(
            "{} {cores} ({}), {:.0} GiB of memory, {}, Linux {}",
            self.cores, self.processor, self.memory_gib, self.system, self.kernel
        )
    }

    pub(super) fn as_json(&self) -> Value {
        json!({
            "cores": self.cores, "processor": self.processor, "memory_gib": self.memory_gib,
            "kernel": self.kernel, "system": self.system,
        })
    }
}

/// Returns the value of the first line that starts with the name.
fn field(text: &str, name: &str, between: char) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once(between)?;
    Some(value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_the_text_after_its_name() {
        let check = |text, name, between, expected: Option<&str>| {
            assert_eq!(field(text, name, between).as_deref(), expected, "{name}");
        };
        check(
            "a : 1\nmodel name\t: Quick One\n",
            "model name",
            ':',
            Some("Quick One"),
        );
        check(
            "PRETTY_NAME=\"A System\"\n",
            "PRETTY_NAME",
            '=',
            Some("A System"),
        );
        check("nothing", "model name", ':', None);
    }

    #[test]
    fn the_sentence_names_the_cores() {
        let machine = Machine {
            cores: 2,
            processor: "Quick One".to_owned(),
            memory_gib: 3.9,
            kernel: "6.1".to_owned(),
            system: "A System".to_owned(),
        };
        assert_eq!(
            machine.sentence(),
            "2 cores (Quick One), 4 GiB of memory, A System, Linux 6.1"
        );
    }
}
