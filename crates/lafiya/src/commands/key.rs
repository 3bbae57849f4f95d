//! `lafiya key`: API keys. A key is printed once, when it is created.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lafiya_model::{Environment, KeyId};
use lafiya_service::keys::{self, Expiry, FreshKey};
use lafiya_service::{Context, ServiceError, tenants};
use lafiya_storage::store::KeyRecord;
use serde::Serialize;

use super::{actor, explained, print_answer};
use crate::settings::Settings;
use crate::wiring;

pub(super) fn command() -> Command {
    let id = || {
        Arg::new("id")
            .value_name("ID")
            .required(true)
            .help("Id of the key (see `lafiya key list`)")
    };
    let expires = || {
        Arg::new("expires-at")
            .long("expires-at")
            .value_name("DATE")
            .help("Last moment of the key: 2027-12-31 or 2027-12-31T12:00:00Z")
    };
    let tenant = || {
        Arg::new("tenant")
            .long("tenant")
            .value_name("NAME")
            .help("Name of the tenant")
    };
    Command::new("key")
        .about("Create, list, rotate and revoke API keys")
        .subcommand_required(true)
        .subcommand(
            Command::new("create")
                .about("Create a key and print it, once")
                .arg(tenant().required(true))
                .arg(
                    Arg::new("environment")
                        .long("environment")
                        .value_name("ENVIRONMENT")
                        .required(true)
                        .value_parser(["live", "test"])
                        .help("live or test (sandbox)"),
                )
                .arg(expires()),
        )
        .subcommand(Command::new("list").about("List keys").arg(tenant()))
        .subcommand(
            Command::new("rotate")
                .about("Replace a key by a new one")
                .arg(id())
                .arg(expires().help(
                    "Last moment of the new key (2027-12-31 or 2027-12-31T12:00:00Z) [default: that of the old one]",
                ))
                .arg(
                    Arg::new("never-expires")
                        .long("never-expires")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("expires-at")
                        .help("Let the new key live until it is revoked"),
                ),
        )
        .subcommand(Command::new("revoke").about("End a key for good").arg(id()))
}

pub(super) async fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let context = wiring::admin_context(settings).await?;
    let answered = match matches.subcommand() {
        Some(("create", matches)) => create(&context, matches).await,
        Some(("list", matches)) => list(&context, matches).await,
        Some(("rotate", matches)) => rotate(&context, matches).await,
        Some(("revoke", matches)) => {
            let record = keys::revoke(&context, key_id(matches)?, &actor())
                .await
                .map_err(explained)?;
            print_answer(matches, &KeyRow::from(record), |row| {
                format!("Revoked {} ({}).", row.display, row.id)
            })
        }
        _ => unreachable!("clap requires one of the subcommands"),
    };
    context.store.close().await;
    answered
}

async fn create(context: &Context, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let name = matches
        .get_one::<String>("tenant")
        .map_or("", String::as_str);
    let tenant = tenants::find(context, name).await.map_err(explained)?;
    let environment: Environment = matches
        .get_one::<String>("environment")
        .map_or("test", String::as_str)
        .parse()?;
    let fresh = keys::create(context, tenant.id, environment, expiry(matches)?, &actor())
        .await
        .map_err(explained)?;
    print_fresh(matches, fresh)
}

async fn rotate(context: &Context, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let id = key_id(matches)?;
    let old = context
        .store
        .find_key_by_id(id)
        .await?
        .ok_or(ServiceError::NotFound("a key of that id"))
        .map_err(explained)?;
    let expiry = if matches.get_flag("never-expires") {
        Expiry::Never
    } else {
        expiry(matches)?.map_or(Expiry::Inherited, Expiry::At)
    };
    let fresh = keys::rotate(context, &old, expiry, &actor()).await;
    let fresh = fresh.map_err(|error| match error {
        ServiceError::Conflict(_) => anyhow::anyhow!("the key is not active any more"),
        other => explained(other),
    })?;
    print_fresh(matches, fresh)
}

async fn list(context: &Context, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let tenant = match matches.get_one::<String>("tenant") {
        Some(name) => Some(tenants::find(context, name).await.map_err(explained)?.id),
        None => None,
    };
    let rows: Vec<KeyRow> = context
        .store
        .list_keys(tenant)
        .await?
        .into_iter()
        .map(KeyRow::from)
        .collect();
    print_answer(matches, &rows, |rows| for_people(rows))
}

fn key_id(matches: &ArgMatches) -> anyhow::Result<KeyId> {
    let text = matches.get_one::<String>("id").map_or("", String::as_str);
    text.parse()
        .context("the id of a key is a UUID (see `lafiya key list`)")
}

/// Parses the expiry. A date means the end of that day in UTC; a time is used as given.
fn expiry(matches: &ArgMatches) -> anyhow::Result<Option<Timestamp>> {
    let Some(text) = matches.get_one::<String>("expires-at") else {
        return Ok(None);
    };
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Some(at));
    }
    let date: Date = text
        .parse()
        .context("--expires-at must be a date (2027-12-31) or a time (2027-12-31T12:00:00Z)")?;
    let next_midnight = date.tomorrow()?.to_zoned(TimeZone::UTC)?;
    Ok(Some(next_midnight.timestamp()))
}

fn print_fresh(matches: &ArgMatches, fresh: FreshKey) -> anyhow::Result<ExitCode> {
    let shown = ShownKey {
        key: fresh.key,
        row: KeyRow::from(fresh.record),
    };
    print_answer(matches, &shown, |shown| {
        format!(
            "{}\n\nThis is the only time the key is shown. Keep it on a server, never in an app.\nId: {}",
            shown.key, shown.row.id
        )
    })
}

#[derive(Serialize)]
struct ShownKey {
    key: String,
    #[serde(flatten)]
    row: KeyRow,
}

#[derive(Serialize)]
struct KeyRow {
    id: String,
    tenant_id: String,
    environment: &'static str,
    prefix: &'static str,
    display: String,
    created_at: String,
    expires_at: Option<String>,
    revoked_at: Option<String>,
    rotated_from: Option<String>,
    last_used_at: Option<String>,
    requests: u64,
}

impl From<KeyRecord> for KeyRow {
    fn from(key: KeyRecord) -> Self {
        let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Self {
            id: key.id.to_string(),
            tenant_id: key.tenant.to_string(),
            environment: key.environment.as_str(),
            prefix: key.environment.key_prefix(),
            display: key.display,
            created_at: key.created_at.to_string(),
            expires_at: text(key.expires_at),
            revoked_at: text(key.revoked_at),
            rotated_from: key.rotated_from.map(|id| id.to_string()),
            last_used_at: text(key.last_used_at),
            requests: key.requests,
        }
    }
}

fn for_people(rows: &[KeyRow]) -> String {
    if rows.is_empty() {
        return "No keys. Create one with `lafiya key create --tenant NAME --environment test`."
            .to_owned();
    }
    let mut text = format!(
        "{:<37} {:<16} {:<8} {:>9}  {}",
        "ID", "KEY", "STATE", "REQUESTS", "LAST USED"
    );
    for row in rows {
        let state = if row.revoked_at.is_some() {
            "revoked"
        } else {
            "active"
        };
        let used = row.last_used_at.as_deref().unwrap_or("never");
        text.push_str(&format!(
            "\n{:<37} {:<16} {state:<8} {:>9}  {used}",
            row.id, row.display, row.requests
        ));
    }
    text
}
