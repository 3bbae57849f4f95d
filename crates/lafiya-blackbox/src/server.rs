//! The real binary as a process: started on a free port, asked until it is ready, stopped when the
//! test is over. What it printed is shown when the test fails.

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

/// A debug build on a busy machine takes its time.
const READY_WITHIN: Duration = Duration::from_secs(30);
const STOPPED_WITHIN: Duration = Duration::from_secs(30);
const ENDED_WITHIN: Duration = Duration::from_secs(30);

/// A service that is about to be started.
#[derive(Clone, Default)]
pub struct Start {
    settings: Vec<(String, String)>,
    flags: Vec<String>,
    backend: Option<Arc<Backend>>,
    wrapper: Vec<String>,
    binary: Option<PathBuf>,
}

impl Start {
    /// Starts this binary in place of the one under test, such as an older one.
    pub fn of(mut self, binary: PathBuf) -> Self {
        self.binary = Some(binary);
        self
    }

    /// Starts on this backend in place of a fresh one.
    pub fn on(mut self, backend: &Arc<Backend>) -> Self {
        self.backend = Some(Arc::clone(backend));
        self
    }

    /// Starts the service and its commands through another program, which must become them
    /// (`exec`).
    pub fn under(mut self, words: &[&str]) -> Self {
        self.wrapper = words.iter().map(|&word| word.to_owned()).collect();
        self
    }

    /// Adds a setting, by the name of its variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds words to the command line of the service.
    pub fn with_flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Lifts every rate limit, for tests that are about something else.
    pub fn without_limits(self) -> Self {
        self.with("LAFIYA_RATE_LIMIT_PER_MINUTE", "1000000")
            .with("LAFIYA_HEALTH_RATE_LIMIT_PER_MINUTE", "1000000")
            .with("LAFIYA_ANONYMOUS_RATE_LIMIT_PER_MINUTE", "1000000")
    }

    /// Starts it and waits until it answers.
    #[track_caller]
    pub fn start(self) -> Server {
        let mut server = self.prepare();
        server.launch();
        server
    }

    /// Makes everything ready but does not start it yet: `restart` does.
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
    /// Where it listens.
    pub address: SocketAddr,
    settings: Vec<(String, String)>,
    flags: Vec<String>,
    wrapper: Vec<String>,
    binary: PathBuf,
    backend: Arc<Backend>,
    log: PathBuf,
    keys: Vec<String>,
}

/// What an admin command answered.
#[derive(Debug)]
pub struct CommandOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// What it answered.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

impl CommandOutput {
    /// The answer as JSON, of a command that must succeed.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(self.status.success(), "the command failed: {self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|cause| panic!("{cause}: {self:?}"))
    }
}

impl Server {
    /// A service with the default settings.
    #[track_caller]
    pub fn start() -> Self {
        Start::default().start()
    }

    /// A service with a setting of its own.
    pub fn with(name: &str, value: &str) -> Start {
        Start::default().with(name, value)
    }

    /// A service without rate limits.
    pub fn without_limits() -> Start {
        Start::default().without_limits()
    }

    /// A second process on the same backend, with the same settings.
    #[track_caller]
    pub fn replica(&self) -> Self {
        self.same_again().start()
    }

    /// The start of another process on the same backend, with the same settings.
    pub fn same_again(&self) -> Start {
        Start {
            settings: self.settings.clone(),
            flags: self.flags.clone(),
            wrapper: self.wrapper.clone(),
            binary: Some(self.binary.clone()),
            backend: Some(Arc::clone(&self.backend)),
        }
    }

    /// A client without a key.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// A client with the live key of the first start.
    #[track_caller]
    pub fn live(&self) -> Client {
        self.client().with_key(self.key_of_first_start("sk_live_"))
    }

    /// A client with the sandbox key of the first start.
    #[track_caller]
    pub fn sandbox(&self) -> Client {
        self.client().with_key(self.key_of_first_start("sk_test_"))
    }

    /// The key that the very first start told.
    #[track_caller]
    pub fn key_of_first_start(&self, prefix: &str) -> &str {
        self.keys
            .iter()
            .find(|key| key.starts_with(prefix))
            .unwrap_or_else(|| panic!("no {prefix} key was printed:\n{}", self.log()))
    }

    /// Makes a live key with the command line; returns its id and the key.
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

    /// Runs a command with the settings of this service. One that does not end is ended.
    #[track_caller]
    pub fn cli(&self, arguments: &[&str]) -> CommandOutput {
        // Files, not pipes: a pipe that nobody reads would hold up a command that says much.
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

    /// Begins a command whose standard output nobody reads any more.
    #[track_caller]
    pub fn cli_unread(&self, arguments: &[&str], stderr: File) -> Child {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        let begun = command.stdout(writer).stderr(stderr).spawn();
        begun.expect("the binary can be started")
    }

    /// Everything this process has printed so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// What this process wrote into the file of a first start; empty when it was not the first. Its
    /// standard output is no terminal, so it names the file there.
    pub fn told_at_first_start(&self) -> String {
        let log = self.log();
        let named = log
            .lines()
            .find_map(|line| line.strip_prefix("Keys and the sign-in link are in "));
        named.map_or_else(String::new, |path| {
            let path = self.backend.folder().join(path);
            fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
        })
    }

    /// The operating system's number of the process.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, Child::id)
    }

    /// The folder of its data and logs.
    pub fn folder(&self) -> PathBuf {
        self.backend.folder().to_path_buf()
    }

    /// Asks it to stop (SIGTERM), without waiting.
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

    /// SIGTERM, then waits for the end.
    #[track_caller]
    pub fn terminate(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }

    /// SIGKILL: the process gets no chance to tidy up.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts it again on the same backend, after it has ended. The port may be another.
    #[track_caller]
    pub fn restart(&mut self) {
        self.kill();
        self.launch();
    }

    /// Starts it where it must refuse to start, waits for its end and returns what it said.
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

    /// The binary, through its wrapper if it has one, with exactly our settings: nothing of the
    /// developer's own environment.
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

/// The binary under test.
pub fn binary() -> PathBuf {
    let named = std::env::var_os("LAFIYA_BLACKBOX_BINARY").map(PathBuf::from);
    // The test itself lies in target/debug/deps.
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

/// The address in the greeting: `API  http://127.0.0.1:PORT/v1`.
fn printed_address(log: &str) -> Option<SocketAddr> {
    log.split_whitespace().find_map(|word| {
        word.strip_prefix("http://")?
            .strip_suffix("/v1")?
            .parse()
            .ok()
    })
}
