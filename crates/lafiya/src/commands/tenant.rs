//! `lafiya tenant`: the tenants of this installation.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use lafiya_model::{TenantStatus, Tier};
use lafiya_service::tenants;
use lafiya_storage::store::TenantRecord;
use serde::Serialize;

use super::{actor, print_answer, tenant_data};
use crate::settings::Settings;
use crate::wiring;

pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name")
            .value_name("NAME")
            .required(true)
            .help("Name of the tenant")
    };
    let tier = || {
        Arg::new("tier")
            .long("tier")
            .value_name("TIER")
            .required(true)
            .value_parser(["pilot", "professional", "enterprise"])
            .help("What it has bought")
    };
    let quota = || {
        Arg::new("quota")
            .long("quota")
            .value_name("N")
            .value_parser(value_parser!(u64))
            .help("Assessments a month, where they differ from the tier's own")
    };
    Command::new("tenant")
        .about("Create, list and change tenants; take away or erase what they have")
        .subcommand_required(true)
        .subcommand(
            Command::new("create")
                .about("Create a tenant")
                .arg(name())
                .arg(tier())
                .arg(quota())
                .arg(
                    Arg::new("country")
                        .long("country")
                        .value_name("CODE")
                        .help("Its country (ISO code), where place names are looked for first"),
                ),
        )
        .subcommand(
            Command::new("tier")
                .about("Change what a tenant has bought")
                .arg(name())
                .arg(tier())
                .arg(quota()),
        )
        .subcommand(
            Command::new("country")
                .about("Change the country where a tenant's place names are looked for first")
                .arg(name())
                .arg(Arg::new("country").value_name("CODE").help(
                    "Its ISO code, such as NG; without one the installation's country holds",
                )),
        )
        .subcommand(
            Command::new("text-to-provider")
                .about("Say whether texts of a tenant may go to the AI provider, with the people taken out")
                .arg(name())
                .arg(
                    Arg::new("allowed")
                        .value_name("WHETHER")
                        .required(true)
                        .value_parser(["never", "scrubbed"])
                        .help("never (the default), or scrubbed: without names, numbers, dates, ages and places"),
                ),
        )
        .subcommand(Command::new("list").about("List all tenants"))
        .subcommand(
            Command::new("suspend")
                .about("Refuse every call of a tenant (403)")
                .arg(name()),
        )
        .subcommand(
            Command::new("resume")
                .about("Let a suspended tenant call again")
                .arg(name()),
        )
        .subcommand(tenant_data::export_command(name()))
        .subcommand(tenant_data::erase_command(name()))
}

pub(super) async fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let context = wiring::admin_context(settings).await?;
    let name = |matches: &ArgMatches| {
        matches
            .get_one::<String>("name")
            .cloned()
            .unwrap_or_default()
    };
    let answered = match matches.subcommand() {
        Some(("create", matches)) => {
            let (tier, quota) = bought(matches)?;
            let country = matches.get_one::<String>("country").map(String::as_str);
            let tenant = tenants::create(&context, &name(matches), tier, quota, country, &actor())
                .await
                .map_err(super::explained)?;
            print_answer(matches, &TenantRow::from(tenant), |row| {
                format!("Created the tenant {} ({}).", row.name, row.tier)
            })
        }
        Some(("tier", matches)) => {
            let (tier, quota) = bought(matches)?;
            let tenant = tenants::set_tier(&context, &name(matches), tier, quota, &actor())
                .await
                .map_err(super::explained)?;
            print_answer(matches, &TenantRow::from(tenant), |row| {
                format!("The tenant {} is now {}.", row.name, row.tier)
            })
        }
        Some(("country", matches)) => {
            let country = matches.get_one::<String>("country").map(String::as_str);
            let tenant = tenants::set_home_country(&context, &name(matches), country, &actor())
                .await
                .map_err(super::explained)?;
            print_answer(matches, &TenantRow::from(tenant), |row| {
                match &row.home_country {
                    Some(code) => format!(
                        "Place names of {} are looked for in {code} first.",
                        row.name
                    ),
                    None => format!("{} uses the country of the installation.", row.name),
                }
            })
        }
        Some(("text-to-provider", matches)) => {
            let allowed = matches.get_one::<String>("allowed");
            let allowed = allowed.map_or("never", String::as_str).parse()?;
            let tenant = tenants::set_text_to_provider(&context, &name(matches), allowed, &actor())
                .await
                .map_err(super::explained)?;
            print_answer(matches, &TenantRow::from(tenant), |row| {
                format!(
                    "Texts of {} to the AI provider: {}.",
                    row.name, row.text_to_provider
                )
            })
        }
        Some(("list", matches)) => {
            let rows: Vec<TenantRow> = context
                .store
                .list_tenants()
                .await?
                .into_iter()
                .map(TenantRow::from)
                .collect();
            print_answer(matches, &rows, |rows| for_people(rows))
        }
        Some((verb @ ("suspend" | "resume"), matches)) => {
            let status = if verb == "suspend" {
                TenantStatus::Suspended
            } else {
                TenantStatus::Active
            };
            let tenant = tenants::set_status(&context, &name(matches), status, &actor())
                .await
                .map_err(super::explained)?;
            print_answer(matches, &TenantRow::from(tenant), |row| {
                format!("The tenant {} is now {}.", row.name, row.status)
            })
        }
        Some(("export", matches)) => {
            wiring::settle_data_keys(&context).await?;
            tenant_data::export(&context, &name(matches), matches).await
        }
        Some(("erase", matches)) => tenant_data::erase(&context, &name(matches), matches).await,
        _ => unreachable!("clap requires one of the subcommands"),
    };
    context.store.close().await;
    answered
}

/// Returns the tier and the quota as given.
fn bought(matches: &ArgMatches) -> anyhow::Result<(Tier, Option<u64>)> {
    let tier = matches.get_one::<String>("tier");
    let tier = tier.map_or("pilot", String::as_str).parse()?;
    Ok((tier, matches.get_one::<u64>("quota").copied()))
}

#[derive(Serialize)]
struct TenantRow {
    id: String,
    name: String,
    tier: &'static str,
    status: &'static str,
    monthly_quota: Option<u64>,
    home_country: Option<String>,
    text_to_provider: &'static str,
    created_at: String,
}

impl From<TenantRecord> for TenantRow {
    fn from(tenant: TenantRecord) -> Self {
        Self {
            id: tenant.id.to_string(),
            monthly_quota: tenant.included_per_month(),
            home_country: tenant.home_country,
            text_to_provider: tenant.text_to_provider.as_str(),
            name: tenant.name,
            tier: tenant.tier.as_str(),
            status: tenant.status.as_str(),
            created_at: tenant.created_at.to_string(),
        }
    }
}

fn for_people(rows: &[TenantRow]) -> String {
    if rows.is_empty() {
        return "No tenants yet. Create one with `lafiya tenant create NAME --tier pilot`."
            .to_owned();
    }
    let mut text = format!(
        "{:<32} {:<14} {:<10} {:>10}",
        "NAME", "TIER", "STATUS", "A MONTH"
    );
    for row in rows {
        let quota = row
            .monthly_quota
            .map_or_else(|| "-".to_owned(), |quota| quota.to_string());
        text.push_str(&format!(
            "\n{:<32} {:<14} {:<10} {quota:>10}",
            row.name, row.tier, row.status
        ));
    }
    text
}
