//! `lafiya audit`: prints the audit log, which is append-only.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use lafiya_model::TenantId;
use lafiya_service::{Context, tenants};
use lafiya_storage::store::AuditRecord;
use serde::Serialize;

use super::{explained, print_answer};
use crate::settings::Settings;
use crate::wiring;

pub(super) fn command() -> Command {
    Command::new("audit")
        .about("Read the log of administrative acts")
        .subcommand_required(true)
        .subcommand(
            Command::new("list")
                .about("List administrative acts, latest first")
                .arg(
                    Arg::new("tenant")
                        .long("tenant")
                        .value_name("NAME")
                        .help("Only acts on this tenant (its name, or its id once it is erased)"),
                )
                .arg(
                    Arg::new("limit")
                        .long("limit")
                        .value_name("N")
                        .value_parser(value_parser!(u32).range(1..))
                        .default_value("100")
                        .help("How many at most"),
                ),
        )
}

pub(super) async fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let context = wiring::admin_context(settings).await?;
    let answered = match matches.subcommand() {
        Some(("list", matches)) => list(&context, matches).await,
        _ => unreachable!("clap requires one of the subcommands"),
    };
    context.store.close().await;
    answered
}

async fn list(context: &Context, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let tenant = match matches.get_one::<String>("tenant") {
        Some(named) => Some(tenant_id(context, named).await?),
        None => None,
    };
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or(100);
    let acts = context.store.list_audit(tenant, limit).await?;
    let rows: Vec<ActRow> = acts.into_iter().map(ActRow::from).collect();
    print_answer(matches, &rows, |rows| for_people(rows))
}

async fn tenant_id(context: &Context, named: &str) -> anyhow::Result<TenantId> {
    if let Ok(id) = named.parse() {
        return Ok(id);
    }
    Ok(tenants::find(context, named).await.map_err(explained)?.id)
}

#[derive(Serialize)]
struct ActRow {
    id: u64,
    at: String,
    actor: String,
    action: String,
    tenant_id: Option<String>,
    subject: String,
    detail: serde_json::Value,
}

impl From<AuditRecord> for ActRow {
    fn from(act: AuditRecord) -> Self {
        Self {
            id: act.id,
            at: act.at.to_string(),
            actor: act.actor,
            action: act.action,
            tenant_id: act.tenant.map(|id| id.to_string()),
            subject: act.subject,
            detail: serde_json::from_str(&act.detail).unwrap_or_default(),
        }
    }
}

fn for_people(rows: &[ActRow]) -> String {
    if rows.is_empty() {
        return "Nothing has been done yet.".to_owned();
    }
    let mut text = format!("{:<25} {:<20} {:<20} {}", "WHEN", "WHO", "WHAT", "TO");
    for row in rows {
        let when = row.at.get(..19).unwrap_or(&row.at);
        text.push_str(&format!(
            "\n{when:<25} {:<20} {:<20} {} {}",
            row.actor, row.action, row.subject, row.detail
        ));
    }
    text
}
