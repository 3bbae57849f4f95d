//! CPU time of processes, as counted by the kernel.

use std::fs;

use anyhow::bail;

/// Clock ticks per second in `/proc`; the same on every supported Linux.
pub(super) const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the CPU seconds of a process, in user and kernel mode.
pub(super) fn seconds_of(process: u32) -> anyhow::Result<f64> {
    let times = times_of(process)?;
    Ok(times[0] + times[1])
}

/// Returns the CPU seconds of a process and all its descendants, including those that have ended.
pub(super) fn seconds_of_tree(root: u32) -> anyhow::Result<f64> {
    let mut total = 0.0;
    let mut open = vec![root];
    while let Some(process) = open.pop() {
        // A process may end meanwhile; its parent then counts its time.
        let Ok(times) = times_of(process) else {
            continue;
        };
        total += times.iter().sum::<f64>();
        open.extend(children_of(process));
    }
    Ok(total)
}

/// Returns the running child processes of a process.
fn children_of(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let tasks = tasks.into_iter().flatten().flatten();
    tasks
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| {
            let pids = text.split_whitespace().filter_map(|pid| pid.parse().ok());
            pids.collect::<Vec<u32>>()
        })
        .collect()
}

/// Returns user time, kernel time, and both for ended children, in seconds.
fn times_of(process: u32) -> anyhow::Result<[f64; 4]> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = after_name.split_whitespace().skip(11);
    let seconds: Vec<f64> = fields
        .take(4)
        .filter_map(|ticks| Some(ticks.parse::<f64>().ok()? / TICKS_PER_SECOND))
        .collect();
    match seconds.try_into() {
        Ok(times) => Ok(times),
        Err(_) => bail!("the kernel does not tell the processor time of {process}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_reports_the_cpu_time_of_this_process() {
        let own = seconds_of(std::process::id()).unwrap();
        assert!(own >= 0.0);
        assert!(seconds_of_tree(std::process::id()).unwrap() >= own);
        assert!(seconds_of(u32::MAX).is_err());
    }
}
