//! A PostgreSQL and a Redis server that a test may kill, pause and restart. They are children of a
//! `cargo xtask` process, which takes orders line by line and ends when its standard input closes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The environment variable with the program that runs the servers.
const HOLDER: &str = "LAFIYA_BLACKBOX_SERVERS";

/// Servers used only by this test process.
pub struct LentServers {
    holder: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The URL of PostgreSQL.
    pub postgres_url: String,
    /// The URL of Redis.
    pub redis_url: String,
}

impl LentServers {
    /// Starts both servers.
    pub fn start() -> Self {
        let program = std::env::var(HOLDER)
            .unwrap_or_else(|_| panic!("{HOLDER} must be set; `cargo xtask faults` does"));
        let mut holder = Command::new(program)
            .arg("hold-servers")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the holder of the servers can be started");
        let input = holder.stdin.take().expect("a piped stream");
        let mut output = BufReader::new(holder.stdout.take().expect("a piped stream"));
        let mut next = || {
            let mut line = String::new();
            output.read_line(&mut line).expect("a line");
            line.trim().to_owned()
        };
        let (postgres_url, redis_url) = (next(), next());
        assert!(!redis_url.is_empty(), "the servers did not start");
        Self {
            holder,
            input,
            output,
            postgres_url,
            redis_url,
        }
    }

    /// Sends an order (`postgres kill`, `redis start`, …) and waits until it is done.
    #[track_caller]
    pub fn tell(&mut self, order: &str) {
        writeln!(self.input, "{order}").expect("the holder listens");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("an answer");
        assert_eq!(answer.trim(), "done", "{order}");
    }

    /// Runs statements as the superuser.
    #[track_caller]
    pub fn sql(&self, statement: &str) {
        crate::backend::tell_postgres(&self.postgres_url, statement);
    }
}

impl Drop for LentServers {
    fn drop(&mut self) {
        // Closing its input would end it, but a field cannot be dropped early, so it is asked to
        // end.
        let _ = writeln!(self.input, "end");
        let _ = self.holder.wait();
    }
}
