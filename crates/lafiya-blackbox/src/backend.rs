//! The backend of a service under test: its own folder and, with the servers backend, its own
//! database and Redis prefix, so that tests are isolated.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::lent::LentServers;

/// A service on a database server requires a data key; this one protects only test data.
const DATA_KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// The kind of backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
    /// SQLite and in-memory cache.
    Embedded,
    /// PostgreSQL and Redis.
    Servers,
}

impl BackendKind {
    /// Returns the kind of this test run.
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

/// A new backend for a service and its replicas; removed when dropped.
#[derive(Debug)]
pub struct Backend {
    folder: TempDir,
    database: Option<Database>,
}

#[derive(Debug)]
struct Database {
    server_url: String,
    redis_url: String,
    name: String,
    /// The database role of the service.
    role: String,
}

impl Backend {
    /// Creates an empty backend of this run's kind.
    pub fn fresh() -> Self {
        match BackendKind::of_this_run() {
            BackendKind::Embedded => Self::embedded(),
            BackendKind::Servers => {
                let server = required("LAFIYA_BLACKBOX_POSTGRES_URL");
                let redis = required("LAFIYA_BLACKBOX_REDIS_URL");
                Self::with(Some(Database::create(server, redis, None)))
            }
        }
    }

    /// Creates an empty backend with SQLite and an in-memory cache, whatever the kind of this run.
    pub fn embedded() -> Self {
        Self::with(None)
    }

    /// Creates an empty backend on servers owned by the test. The service connects as an ordinary
    /// role, as it should in production; the role has the name of the database.
    pub fn on(servers: &LentServers) -> Self {
        let name = fresh_name();
        servers.sql(&format!("create role {name} login"));
        let (server, redis) = (servers.postgres_url.clone(), servers.redis_url.clone());
        Self::with(Some(Database::create(server, redis, Some(name))))
    }

    fn with(database: Option<Database>) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("lafiya-blackbox-")
            .tempdir()
            .expect("a temporary folder can be made");
        Self { folder, database }
    }

    /// Returns the URL of the database, with the servers backend.
    pub fn database_url(&self) -> Option<String> {
        self.database.as_ref().map(Database::url)
    }

    /// Returns the name of the database and its role, on servers owned by the test.
    pub fn database_name(&self) -> Option<&str> {
        self.database
            .as_ref()
            .map(|database| database.name.as_str())
    }

    /// Runs statements in the database as the role of the service, with the servers backend.
    #[track_caller]
    pub fn sql(&self, statements: &str) {
        let url = self.database_url().expect("a database server");
        tell_postgres(&url, statements);
    }

    /// Returns the folder, which is also the working directory of the service.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the settings that make the service use this backend.
    pub fn settings(&self) -> Vec<(String, String)> {
        let setting = |name: &str, value: String| (name.to_owned(), value);
        let data = self.folder.path().join("data");
        let mut settings = vec![setting("LAFIYA_DATA_DIR", data.display().to_string())];
        if let Some(database) = &self.database {
            settings.extend([
                setting("LAFIYA_DATABASE_URL", database.url()),
                // Many services share one test server.
                setting("LAFIYA_DATABASE_CONNECTIONS_MAX", "8".to_owned()),
                setting("LAFIYA_DATA_KEY", DATA_KEY.to_owned()),
                setting("LAFIYA_REDIS_URL", database.redis_url.clone()),
                setting("LAFIYA_REDIS_PREFIX", format!("{}:", database.name)),
            ]);
        }
        settings
    }
}

impl Database {
    fn create(server_url: String, redis_url: String, role: Option<String>) -> Self {
        let database = Self {
            server_url,
            redis_url,
            name: role.clone().unwrap_or_else(fresh_name),
            role: role.unwrap_or_else(|| "postgres".to_owned()),
        };
        let Self { name, role, .. } = &database;
        tell_postgres(
            &database.server_url,
            &format!("create database {name} owner {role}"),
        );
        database
    }

    fn url(&self) -> String {
        let (server, _) = self
            .server_url
            .rsplit_once('/')
            .expect("a PostgreSQL address ends in /database");
        let as_role = server.replacen("postgres@", &format!("{}@", self.role), 1);
        format!("{as_role}/{}", self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            tell_postgres(
                &self.server_url,
                &format!("drop database {} with (force)", self.name),
            );
        }
    }
}

fn fresh_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!(
        "blackbox_{}_{}_{number}",
        std::process::id(),
        since_epoch.as_millis()
    )
}

/// Runs a statement on the server with a URL.
#[track_caller]
pub(crate) fn tell_postgres(url: &str, statement: &str) {
    let output = Command::new(psql())
        .args([url, "--no-psqlrc", "--quiet", "--command", statement])
        .output()
        .expect("psql can be started (LAFIYA_BLACKBOX_PSQL names another one)");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{statement}: {said}");
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
