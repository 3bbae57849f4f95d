//! The output of the first start: the keys of the demo tenant and a sign-in link. On a terminal
//! they are printed. If standard output is a pipe or a file, such as a container's log, they are
//! written to a file that only its owner can read, and its path is printed.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lafiya_model::Role;
use lafiya_service::members::{self, Actor};
use lafiya_service::tenants::{self, DemoKeys};
use lafiya_service::{Context, ServiceError};

const FILE: &str = "first-start.txt";

/// The secrets that are shown once.
pub(super) struct FirstStart {
    keys: DemoKeys,
    link: String,
}

/// Creates the demo tenant, its keys and an account for the person who started the service, if the
/// store has no tenant.
pub(super) async fn prepare(
    context: &Context,
    public_url: &str,
) -> Result<Option<FirstStart>, ServiceError> {
    let Some(keys) = tenants::first_start(context).await? else {
        return Ok(None);
    };
    let tenant = tenants::find(context, tenants::DEMO_TENANT).await?;
    let actor = Actor::at_the_machine("first-start");
    let email = members::FIRST_ACCOUNT;
    let invited = members::add(context, tenant.id, email, Role::Owner, true, actor).await?;
    Ok(Some(FirstStart {
        keys,
        link: format!("{public_url}/sign-in/link/{}", invited.link),
    }))
}

/// Returns the lines for standard output: the keys on a terminal, otherwise the path of the file
/// that contains them.
pub(super) fn told(first: &FirstStart, data_dir: &Path) -> String {
    if io::stdout().is_terminal() {
        return first.text();
    }
    match keep(first, data_dir) {
        Ok(path) => format!("Keys and the sign-in link are in {}", path.display()),
        Err(cause) => {
            tracing::error!(%cause, "The keys of the first start could not be written.");
            let (tenant, email) = (tenants::DEMO_TENANT, members::FIRST_ACCOUNT);
            format!(
                "First start: the keys could not be written into {}. Make others with \
                 `lafiya key create --tenant {tenant} --environment live` and `lafiya user link {email}`.",
                data_dir.display()
            )
        }
    }
}

impl FirstStart {
    fn text(&self) -> String {
        let tenant = tenants::DEMO_TENANT;
        [
            format!(
                "First start: a tenant named `{tenant}` was made. Its keys are shown this once:"
            ),
            format!("  sandbox   {}", self.keys.sandbox),
            format!("  live      {}", self.keys.live),
            "Sign in to the dashboard with this link, once, within three days:".to_owned(),
            format!("  {}", self.link),
        ]
        .join("\n")
    }
}

/// Writes the secrets to a file that only the owner of the data directory can read.
fn keep(first: &FirstStart, data_dir: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(data_dir)?;
    let path = data_dir.join(FILE);
    // Removes the file of an earlier database, whose keys are no longer valid. It is created again,
    // because an existing file would keep its permissions.
    match fs::remove_file(&path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    writeln!(
        file,
        "{}\nKeep them elsewhere and delete this file.",
        first.text()
    )?;
    file.sync_all()?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_file_is_private_even_if_an_older_one_was_not() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir_all(&data).unwrap();
        let path = data.join(FILE);
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let first = FirstStart {
            keys: DemoKeys {
                sandbox: "sk_test_a".to_owned(),
                live: "sk_live_b".to_owned(),
            },
            link: "http://127.0.0.1:1/sign-in/link/c".to_owned(),
        };
        assert_eq!(keep(&first, &data).unwrap(), path);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        for shown in ["sk_test_a", "sk_live_b", "/sign-in/link/c"] {
            assert!(text.contains(shown), "{text}");
        }
        assert!(!text.contains("old"));
    }
}
