//! A temporary PostgreSQL server in a temporary folder, for tests. Without durability: it does not
//! sync to disk unless asked to.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::http::free_address;
use crate::process::{self, nothing};
use crate::servers::{poll, running_as_root};

/// The folder where distributions install the server programs, outside `PATH`.
const DEBIAN_PROGRAMS: &str = "/usr/lib/postgresql";

/// A running server; stopped when dropped.
pub(crate) struct Postgres {
    server: Child,
    programs: PathBuf,
    data: PathBuf,
    owner: Option<Owner>,
    port: u16,
    waits: WaitsForDisk,
}

/// Whether a commit waits until it is on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitsForDisk {
    /// Does not wait, so data do not survive a crash of the machine: for tests.
    Never,
    /// Waits, as in an installation: for benchmarks.
    Always,
}

/// The user who runs the server. PostgreSQL refuses to run as root, so root uses the user created
/// by the package.
#[derive(Clone, Copy)]
struct Owner {
    uid: u32,
    gid: u32,
}

/// Returns the folder with `initdb`, `postgres` and `pg_ctl`, of the newest version.
pub(crate) fn programs() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(DEBIAN_PROGRAMS)
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    folders.sort();
    folders.reverse();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    folders.into_iter().find(|folder| {
        ["initdb", "postgres", "pg_ctl"]
            .iter()
            .all(|name| folder.join(name).is_file())
    })
}

impl Postgres {
    /// Creates a cluster below `folder` and starts it on a free port.
    pub(crate) fn start(folder: &Path, waits: WaitsForDisk) -> anyhow::Result<Self> {
        let programs = programs().context("PostgreSQL is not installed")?;
        let home = folder.join("postgres");
        fs::create_dir(&home)?;
        let owner = running_as_root().then(package_user).transpose()?;
        if let Some(owner) = owner {
            chown(&home, Some(owner.uid), Some(owner.gid))?;
            // That user needs access to the folders above.
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        }
        let data = home.join("data");
        initialise(&programs, &data, owner)?;
        let port = free_address()?.port();
        let server = serve(&programs, &home, &data, owner, port, waits)?;
        let mut postgres = Self {
            server,
            programs,
            data,
            owner,
            port,
            waits,
        };
        postgres.wait_until_ready(&home)?;
        Ok(postgres)
    }

    /// Stops it as a power cut would, including its child processes. Committed data are on disk or
    /// in the write-ahead log.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        let mut stop = as_owner(&self.programs.join("pg_ctl"), self.owner);
        stop.arg("stop").args(["-m", "immediate", "-D"]);
        process::run(stop.arg(&self.data), nothing)?;
        self.server.wait()?;
        Ok(())
    }

    /// Restarts it with the same data and port.
    pub(crate) fn start_again(&mut self) -> anyhow::Result<()> {
        let home = self.data.parent().unwrap_or(&self.data).to_path_buf();
        self.server = serve(
            &self.programs,
            &home,
            &self.data,
            self.owner,
            self.port,
            self.waits,
        )?;
        self.wait_until_ready(&home)
    }

    /// Sends a signal to the server and to all processes that serve its connections.
    pub(crate) fn signal(&self, name: &str) -> anyhow::Result<()> {
        let server = self.server.id();
        let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children"))?;
        let mut pids = vec![server];
        pids.extend(
            children
                .split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
        process::signal(name, &pids)
    }

    /// Returns the URL for clients.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    fn wait_until_ready(&mut self, home: &Path) -> anyhow::Result<()> {
        let ready = poll(Duration::from_secs(30), || {
            if matches!(self.server.try_wait(), Ok(Some(_))) {
                return Some(false);
            }
            let answered = Command::new(self.programs.join("psql"))
                .args([&self.url(), "--no-psqlrc", "--command", "select 1"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            matches!(answered, Ok(status) if status.success()).then_some(true)
        });
        let log = fs::read_to_string(home.join("log")).unwrap_or_default();
        ensure!(ready == Some(true), "PostgreSQL does not start:\n{log}");
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A paused server would not receive the request to stop.
        let _ = self.signal("CONT");
        let mut stop = as_owner(&self.programs.join("pg_ctl"), self.owner);
        stop.arg("stop").args(["-m", "immediate", "-D"]);
        let _ = stop.arg(&self.data).stdout(Stdio::null()).status();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn initialise(programs: &Path, data: &Path, owner: Option<Owner>) -> anyhow::Result<()> {
    let output = as_owner(&programs.join("initdb"), owner)
        .args(["--username=postgres", "--auth=trust", "--no-sync"])
        .args(["--encoding=UTF8", "--locale=C", "--pgdata"])
        .arg(data)
        .output()
        .context("initdb cannot be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "initdb failed:\n{said}");
    Ok(())
}

fn serve(
    programs: &Path,
    home: &Path,
    data: &Path,
    owner: Option<Owner>,
    port: u16,
    waits: WaitsForDisk,
) -> anyhow::Result<Child> {
    let log = fs::File::create(home.join("log"))?;
    let mut settings = vec![
        format!("port={port}"),
        format!("unix_socket_directories={}", home.display()),
        "listen_addresses=127.0.0.1".to_owned(),
        "max_connections=200".to_owned(),
        // Committed data must survive the server, or the fault tests would blame the service.
        "synchronous_commit=on".to_owned(),
    ];
    if waits == WaitsForDisk::Never {
        settings.extend(["fsync=off", "full_page_writes=off"].map(str::to_owned));
    }
    as_owner(&programs.join("postgres"), owner)
        .arg("-D")
        .arg(data)
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .context("postgres cannot be started")
}

/// Returns a command that runs as the owner of the cluster, in a folder that everyone can access.
fn as_owner(program: &Path, owner: Option<Owner>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some(Owner { uid, gid }) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

fn package_user() -> anyhow::Result<Owner> {
    let number = |flag: &str| -> anyhow::Result<u32> {
        let output = Command::new("id").args([flag, "postgres"]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim()
            .parse()
            .context("there is no user `postgres` that the server could run as")
    };
    Ok(Owner {
        uid: number("-u")?,
        gid: number("-g")?,
    })
}
