//! The real binary as a process: started on a free port, polled until it is ready, and stopped at
//! the end of the test. If the test fails, its output is printed.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::backend::Backend;
use crate::client::Client;
use crate::wait::eventually;

/// A debug build on a busy machine starts slowly.
const READY_WITHIN: Duration = Duration::from_secs(30);
const STOPPED_WITHIN: Duration = Duration::from_secs(30);
const ENDED_WITHIN: Duration = Duration::from_secs(30);

/// The configuration of a service to start.
#[derive(Clone, Default)]
pub struct Start {
    settings: Vec<(String, String)>,
    flags: Vec<String>,
    backend: Option<Arc<Backend>>,
    wrapper: Vec<String>,
    binary: Option<PathBuf>,
}

impl Start {
    /// Uses this binary instead of the one under test, such as an older one.
    pub fn of(mut self, binary: PathBuf) -> Self {
        self.binary = Some(binary);
        self
    }

    /// Uses this backend instead of a new one.
    pub fn on(mut self, backend: &Arc<Backend>) -> Self {
        self.backend = Some(Arc::clone(backend));
        self
    }

    /// Runs the service and its commands through another program, which must `exec` them.
    pub fn under(mut self, words: &[&str]) -> Self {
        self.wrapper = words.iter().map(|&word| word.to_owned()).collect();
        self
    }

    /// Adds a setting, by its environment variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds arguments to the command line of the service.
    pub fn with_flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Removes all rate limits, for tests of something else.
    pub fn without_limits(self) -> Self {
        self.with("LAFIYA_RATE_LIMIT_PER_MINUTE", "1000000")
            .with("LAFIYA_HEALTH_RATE_LIMIT_PER_MINUTE", "1000000")
            .with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "1000000")
    }

    /// Starts the service and waits until it is ready.
    #[track_caller]
    pub fn start(self) -> Server {
        let mut server = self.prepare();
        server.launch();
        server
    }

    /// Prepares everything without starting the service; `restart` starts it.
    pub fn prepare(self) -> Server {
        let backend = self.backend.unwrap_or_else(|| Arc::new(Backend::fresh()));
        Server {
            process: None,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            settings: self.settings,
            flags: self.flags,
            wrapper: self.wrapper,
            binary: self.binary.unwrap_or_else(binary),
            backend,
            log: PathBuf::new(),
            keys: Vec::new(),
        }
    }
}

/// A running service.
pub struct Server {
    process: Option<Child>,
    /// The listening address.
    pub address: SocketAddr,
    settings: Vec<(String, String)>,
    flags: Vec<String>,
    wrapper: Vec<String>,
    binary: PathBuf,
    backend: Arc<Backend>,
    log: PathBuf,
    keys: Vec<String>,
}

/// The result of an admin command.
#[derive(Debug)]
pub struct CommandOutput {
    /// The exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl CommandOutput {
    /// Returns the output as JSON. Panics if the command failed.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(self.status.success(), "the command failed: {self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|cause| panic!("{cause}: {self:?}"))
    }
}

impl Server {
    /// Starts a service with the default settings.
    #[track_caller]
    pub fn start() -> Self {
        Start::default().start()
    }

    /// Configures a service with one setting.
    pub fn with(name: &str, value: &str) -> Start {
        Start::default().with(name, value)
    }

    /// Configures a service without rate limits.
    pub fn without_limits() -> Start {
        Start::default().without_limits()
    }

    /// Starts a second process with the same backend and settings.
    #[track_caller]
    pub fn replica(&self) -> Self {
        self.same_again().start()
    }

    /// Configures another process with the same backend and settings.
    pub fn same_again(&self) -> Start {
        Start {
            settings: self.settings.clone(),
            flags: self.flags.clone(),
            wrapper: self.wrapper.clone(),
            binary: Some(self.binary.clone()),
            backend: Some(Arc::clone(&self.backend)),
        }
    }

    /// Returns a client without a key.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Returns a client with the live key of the first start.
    #[track_caller]
    pub fn live(&self) -> Client {
        self.client().with_key(self.key_of_first_start("sk_live_"))
    }

    /// Returns a client with the sandbox key of the first start.
    #[track_caller]
    pub fn sandbox(&self) -> Client {
        self.client().with_key(self.key_of_first_start("sk_test_"))
    }

    /// Returns the key printed by the first start.
    #[track_caller]
    pub fn key_of_first_start(&self, prefix: &str) -> &str {
        self.keys
            .iter()
            .find(|key| key.starts_with(prefix))
            .unwrap_or_else(|| panic!("no {prefix} key was printed:\n{}", self.log()))
    }

    /// Creates a live key with the command line. Returns its id and the key.
    #[track_caller]
    pub fn new_key(&self, tenant: &str) -> (String, String) {
        let made = self
            .cli(&[
                "key",
                "create",
                "--tenant",
                tenant,
                "--environment",
                "live",
                "--json",
            ])
            .json();
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        (text("id"), text("key"))
    }

    /// Runs a command with the settings of this service, with a timeout.
    #[track_caller]
    pub fn cli(&self, arguments: &[&str]) -> CommandOutput {
        // Files instead of pipes: a pipe that is not read would block a command with much output.
        let file = || tempfile::tempfile_in(self.backend.folder()).expect("a temporary file");
        let (stdout, stderr) = (file(), file());
        let handle = |file: &File| file.try_clone().expect("a file has many handles");
        let mut process = self
            .command()
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(handle(&stdout))
            .stderr(handle(&stderr))
            .spawn()
            .expect("the binary can be started");
        let deadline = Instant::now() + ENDED_WITHIN;
        let status = loop {
            if let Ok(Some(status)) = process.try_wait() {
                break status;
            }
            if Instant::now() > deadline {
                let _ = process.kill();
                let _ = process.wait();
                panic!("{arguments:?} does not end:\n{}", whole(stderr));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        CommandOutput {
            status,
            stdout: whole(stdout),
            stderr: whole(stderr),
        }
    }

    /// Starts a command whose standard output has no reader.
    #[track_caller]
    pub fn cli_unread(&self, arguments: &[&str], stderr: File) -> Child {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        let begun = command.stdout(writer).stderr(stderr).spawn();
        begun.expect("the binary can be started")
    }

    /// Returns the output of this process so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Returns the contents of the file written at the first start; empty if this was not the
    /// first. Standard output is not a terminal, so the process prints the path of the file there.
    pub fn told_at_first_start(&self) -> String {
        let log = self.log();
        let named = log
            .lines()
            .find_map(|line| line.strip_prefix("Keys and the sign-in link are in "));
        named.map_or_else(String::new, |path| {
            let path = self.backend.folder().join(path);
            // Its data folder may be mounted where only the process sees it.
            let seen = format!("/proc/{}/root{}", self.pid(), path.display());
            fs::read_to_string(&seen)
                .or_else(|_| fs::read_to_string(&path))
                .unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
        })
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, Child::id)
    }

    /// Returns the folder of its data and logs.
    pub fn folder(&self) -> PathBuf {
        self.backend.folder().to_path_buf()
    }

    /// Sends SIGTERM without waiting.
    pub fn ask_to_stop(&self) {
        let pid = self.pid().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "SIGTERM was not sent"
        );
    }

    /// Waits until the process has ended.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let Some(mut process) = self.process.take() else {
            panic!("the service was already stopped");
        };
        eventually("the service stops", STOPPED_WITHIN, || {
            process.try_wait().ok().flatten()
        })
    }

    /// Sends SIGTERM and waits for the end.
    #[track_caller]
    pub fn terminate(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }

    /// Sends SIGKILL: the process cannot clean up.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Restarts an ended process with the same backend. The port may change.
    #[track_caller]
    pub fn restart(&mut self) {
        self.kill();
        self.launch();
    }

    /// Starts it with the expectation that it refuses to start, waits for its end and returns its
    /// output.
    #[track_caller]
    pub fn start_in_vain(&mut self) -> String {
        self.spawn();
        let status = self.wait();
        let said = self.log();
        assert!(!status.success(), "it did not refuse:\n{said}");
        said
    }

    #[track_caller]
    fn launch(&mut self) {
        self.spawn();
        self.address = eventually("the service prints its address", READY_WITHIN, || {
            self.assert_alive();
            printed_address(&self.log())
        });
        eventually("the service answers /v1/health", READY_WITHIN, || {
            self.assert_alive();
            self.client().request("GET", "/v1/health").try_send().ok()
        });
        let told = format!("{}\n{}", self.log(), self.told_at_first_start());
        let words = told.split_whitespace();
        self.keys.extend(
            words
                .filter(|word| word.starts_with("sk_live_") || word.starts_with("sk_test_"))
                .map(str::to_owned),
        );
    }

    fn spawn(&mut self) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        self.log = self.backend.folder().join(format!("service-{number}.log"));
        let log = File::create(&self.log).expect("the log file can be made");
        let process = self
            .command()
            .args(&self.flags)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file has many handles"))
            .stderr(log)
            .spawn()
            .expect("the binary can be started");
        self.process = Some(process);
    }

    #[track_caller]
    fn assert_alive(&mut self) {
        if let Some(Ok(Some(status))) = self.process.as_mut().map(Child::try_wait) {
            panic!(
                "the service ended ({status}) before it was ready:\n{}",
                self.log()
            );
        }
    }

    /// Returns the command for the binary, with its wrapper if it has one. Its environment has only
    /// the settings, nothing from the developer's own.
    fn command(&self) -> Command {
        let mut command = match self.wrapper.split_first() {
            None => Command::new(&self.binary),
            Some((program, words)) => {
                let mut command = Command::new(program);
                command.args(words).arg(&self.binary);
                command
            }
        };
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("LAFIYA_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.backend.folder())
            .env("LAFIYA_LISTEN", "127.0.0.1:0")
            .envs(self.backend.settings())
            .envs(self.settings.iter().cloned());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            eprintln!("--- what the service printed\n{}---", self.log());
        }
    }
}

/// Returns the path of the binary under test.
pub fn binary() -> PathBuf {
    let named = std::env::var_os("LAFIYA_BLACKBOX_BINARY").map(PathBuf::from);
    // The test binary is in target/debug/deps.
    let beside = || {
        let test = std::env::current_exe().ok()?;
        Some(test.parent()?.parent()?.join("lafiya"))
    };
    let binary = named.or_else(beside).unwrap_or_default();
    assert!(
        binary.is_file(),
        "there is no binary at {}: build it with `cargo build`, or name it in LAFIYA_BLACKBOX_BINARY",
        binary.display()
    );
    binary
}

fn whole(mut file: File) -> String {
    let mut text = String::new();
    let _ = file.seek(SeekFrom::Start(0));
    let _ = file.read_to_string(&mut text);
    text
}

/// Returns the address printed at startup: `API  http://127.0.0.1:PORT/v1`.
fn printed_address(log: &str) -> Option<SocketAddr> {
    log.split_whitespace().find_map(|word| {
        word.strip_prefix("http://")?
            .strip_suffix("/v1")?
            .parse()
            .ok()
    })
}
