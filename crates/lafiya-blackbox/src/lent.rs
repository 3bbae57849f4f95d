//! A PostgreSQL and a Redis that a test may kill, stop and start again. A process of `cargo xtask`
//! holds them and does what it is told line by line; they end when this end of its input closes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Names the program that holds the servers.
const HOLDER: &str = "LAFIYA_BLACKBOX_SERVERS";

/// Servers of this test process alone.
pub struct LentServers {
    holder: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The address of PostgreSQL.
    pub postgres_url: String,
    /// The address of Redis.
    pub redis_url: String,
}

impl LentServers {
    /// Starts both.
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

    /// Tells the holder what to do (`postgres kill`, `redis start`, …) and waits until it is done.
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
        // Closing the input ends it; it is asked to first because a field cannot be dropped early.
        let _ = writeln!(self.input, "end");
        let _ = self.holder.wait();
    }
}
