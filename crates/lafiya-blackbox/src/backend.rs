//! What a service under test stands on: a folder of its own, and with the servers backend a database
//! and a Redis prefix of its own too, so that tests never meet.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

/// A service on a database server wants a data key; this one seals nothing worth keeping.
const DATA_KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// Which of the two the run is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
    /// SQLite and memory.
    Embedded,
    /// PostgreSQL and Redis.
    Servers,
}

impl BackendKind {
    /// The backend of this run.
    pub fn of_this_run() -> Self {
        match std::env::var("LAFIYA_BLACKBOX_BACKEND").as_deref() {
            Err(_) | Ok("" | "embedded") => Self::Embedded,
            Ok("servers") => Self::Servers,
            Ok(other) => {
                panic!("LAFIYA_BLACKBOX_BACKEND is `embedded` or `servers`, not `{other}`")
            }
        }
    }
}

/// A fresh place for one service and its replicas; gone when dropped.
#[derive(Debug)]
pub struct Backend {
    folder: TempDir,
    database: Option<Database>,
}

#[derive(Debug)]
struct Database {
    server_url: String,
    name: String,
}

impl Backend {
    /// An empty backend of this run's kind.
    pub fn fresh() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("lafiya-blackbox-")
            .tempdir()
            .expect("a temporary folder can be made");
        let database = match BackendKind::of_this_run() {
            BackendKind::Embedded => None,
            BackendKind::Servers => Some(Database::create()),
        };
        Self { folder, database }
    }

    /// The folder, also the working directory of the service.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The settings that lead the service here.
    pub fn settings(&self) -> Vec<(String, String)> {
        let setting = |name: &str, value: String| (name.to_owned(), value);
        let data = self.folder.path().join("data");
        let mut settings = vec![setting("LAFIYA_DATA_DIR", data.display().to_string())];
        if let Some(database) = &self.database {
            settings.extend([
                setting("LAFIYA_DATABASE_URL", database.url()),
                // Many services share one throwaway server.
                setting("LAFIYA_DATABASE_CONNECTIONS_MAX", "8".to_owned()),
                setting("LAFIYA_DATA_KEY", DATA_KEY.to_owned()),
                setting("LAFIYA_REDIS_URL", required("LAFIYA_BLACKBOX_REDIS_URL")),
                setting("LAFIYA_REDIS_PREFIX", format!("{}:", database.name)),
            ]);
        }
        settings
    }
}

impl Database {
    fn create() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let name = format!(
            "blackbox_{}_{}_{number}",
            std::process::id(),
            since_epoch.as_millis()
        );
        let database = Self {
            server_url: required("LAFIYA_BLACKBOX_POSTGRES_URL"),
            name,
        };
        database.tell_server(&format!("create database {}", database.name));
        database
    }

    fn url(&self) -> String {
        let (server, _) = self
            .server_url
            .rsplit_once('/')
            .expect("a PostgreSQL address ends in /database");
        format!("{server}/{}", self.name)
    }

    fn tell_server(&self, statement: &str) {
        let output = Command::new(psql())
            .args([
                &self.server_url,
                "--no-psqlrc",
                "--quiet",
                "--command",
                statement,
            ])
            .output()
            .expect("psql can be started (LAFIYA_BLACKBOX_PSQL names another one)");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{statement}: {said}");
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.tell_server(&format!("drop database {} with (force)", self.name));
        }
    }
}

fn psql() -> String {
    std::env::var("LAFIYA_BLACKBOX_PSQL").unwrap_or_else(|_| "psql".to_owned())
}

fn required(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!(
            "{variable} must be set for LAFIYA_BLACKBOX_BACKEND=servers; `cargo xtask test` does"
        )
    })
}
