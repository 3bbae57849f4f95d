//! `lafiya user`: users of the web app. A sign-in link is printed once, when it is created.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command};
use lafiya_model::Role;
use lafiya_service::members::{self, Actor, Invited};
use lafiya_service::{AccountRecord, Context, tenants};
use serde::Serialize;

use super::{actor, explained, print_answer};
use crate::settings::Settings;
use crate::wiring;

pub(super) fn command() -> Command {
    let email = || {
        Arg::new("email")
            .value_name("EMAIL")
            .required(true)
            .help("Address to sign in with")
    };
    let tenant = || {
        Arg::new("tenant")
            .long("tenant")
            .value_name("NAME")
            .required(true)
            .help("Name of the tenant")
    };
    Command::new("user")
        .about("Create, list and remove people who sign in to the web app")
        .subcommand_required(true)
        .subcommand(
            Command::new("create")
                .about("Create an account and print a one-time sign-in link")
                .arg(email())
                .arg(tenant())
                .arg(
                    Arg::new("role")
                        .long("role")
                        .value_name("ROLE")
                        .required(true)
                        .value_parser(["owner", "developer", "clinician"])
                        .help("What the account may do"),
                )
                .arg(
                    Arg::new("operator")
                        .long("operator")
                        .action(ArgAction::SetTrue)
                        .help("Let it see the operator's area: all tenants, health, knowledge"),
                ),
        )
        .subcommand(
            Command::new("list")
                .about("List the people of a tenant")
                .arg(tenant()),
        )
        .subcommand(
            Command::new("link")
                .about("Print a new one-time sign-in link, for who forgot the password")
                .arg(email()),
        )
        .subcommand(
            Command::new("codes-off")
                .about("Turn an account's one-time codes off, for who lost the phone")
                .arg(email()),
        )
        .subcommand(
            Command::new("remove")
                .about("Remove an account; its sessions end at once")
                .arg(email()),
        )
}

pub(super) async fn run(settings: &Settings, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let context = wiring::admin_context(settings).await?;
    let public_url = settings.public_url(settings.listen);
    let name = actor();
    let actor = Actor::at_the_machine(&name);
    let answered = match matches.subcommand() {
        Some(("create", matches)) => create(&context, &public_url, matches, actor).await,
        Some(("list", matches)) => list(&context, matches).await,
        Some(("link", matches)) => {
            let account = find(&context, matches).await?;
            let invited = members::invite_again(&context, account.tenant, account.id, actor)
                .await
                .map_err(explained)?;
            print_invited(&public_url, matches, invited)
        }
        Some(("codes-off", matches)) => {
            let account = find(&context, matches).await?;
            members::turn_codes_off(&context, account.tenant, account.id, actor)
                .await
                .map_err(explained)?;
            print_answer(matches, &UserRow::from(account), |row| {
                format!("{} signs in without one-time codes now.", row.email)
            })
        }
        Some(("remove", matches)) => {
            let account = find(&context, matches).await?;
            members::remove(&context, account.tenant, account.id, actor)
                .await
                .map_err(explained)?;
            print_answer(matches, &UserRow::from(account), |row| {
                format!("Removed {}.", row.email)
            })
        }
        _ => unreachable!("clap requires one of the subcommands"),
    };
    context.store.close().await;
    answered
}

fn text<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).map_or("", String::as_str)
}

async fn create(
    context: &Context,
    public_url: &str,
    matches: &ArgMatches,
    actor: Actor<'_>,
) -> anyhow::Result<ExitCode> {
    let tenant = tenants::find(context, text(matches, "tenant"))
        .await
        .map_err(explained)?;
    let role: Role = text(matches, "role").parse()?;
    let operator = matches.get_flag("operator");
    let email = text(matches, "email");
    let invited = members::add(context, tenant.id, email, role, operator, actor)
        .await
        .map_err(explained)?;
    print_invited(public_url, matches, invited)
}

async fn list(context: &Context, matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let tenant = tenants::find(context, text(matches, "tenant"))
        .await
        .map_err(explained)?;
    let members = members::list(context, tenant.id).await.map_err(explained)?;
    let rows: Vec<UserRow> = members.into_iter().map(UserRow::from).collect();
    print_answer(matches, &rows, |rows| {
        if rows.is_empty() {
            return "Nobody yet. Add somebody with `lafiya user create`.".to_owned();
        }
        let lines = rows
            .iter()
            .map(|row| format!("{:<40} {}", row.email, row.role));
        lines.collect::<Vec<_>>().join("\n")
    })
}

async fn find(context: &Context, matches: &ArgMatches) -> anyhow::Result<AccountRecord> {
    let email = text(matches, "email").trim().to_lowercase();
    let found = context.store.find_account(&email).await?;
    found.with_context(|| format!("nobody signs in as {email}"))
}

#[derive(Serialize)]
struct UserRow {
    id: String,
    email: String,
    role: &'static str,
    operator: bool,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_in_link: Option<String>,
}

impl From<AccountRecord> for UserRow {
    fn from(account: AccountRecord) -> Self {
        Self {
            id: account.id.to_string(),
            email: account.email,
            role: account.role.as_str(),
            operator: account.operator,
            created_at: account.created_at.to_string(),
            sign_in_link: None,
        }
    }
}

fn print_invited(
    public_url: &str,
    matches: &ArgMatches,
    invited: Invited,
) -> anyhow::Result<ExitCode> {
    let link = format!("{public_url}/sign-in/link/{}", invited.link);
    let row = UserRow {
        sign_in_link: Some(link.clone()),
        ..UserRow::from(invited.account)
    };
    print_answer(matches, &row, |row| {
        format!(
            "{} signs in with this link, once, within three days:\n  {link}",
            row.email
        )
    })
}
