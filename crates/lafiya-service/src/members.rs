//! Members of a tenant: who may sign in, and with which role. A new member gets a one-time link and
//! sets their own password with it; one person never chooses another's password.

use jiff::SignedDuration;
use lafiya_model::{AccountId, Role, TenantId};
use lafiya_storage::store::{AccountRecord, AuditRecord, NewAccount, StoreError};
use uuid::Uuid;

use crate::context::Context;
use crate::error::{FieldError, ServiceError};
use crate::sign_in::{self, SignedIn};

/// Lifetime of a one-time link.
pub const LINK_LIFE: SignedDuration = SignedDuration::from_hours(72);
/// The account that the first start creates for the person who started the service.
pub const FIRST_ACCOUNT: &str = "owner@demo.localhost";
const AUDIT_LINES: u32 = 200;
const EMAIL_CHARACTERS_MAX: usize = 254;

/// The person who changes an account: their name in the audit log, and whether they may change
/// operators.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    name: &'a str,
    may_change_operators: bool,
}

impl<'a> Actor<'a> {
    /// Creates an actor for the command line, which may change everything because it has access to
    /// the database.
    pub fn at_the_machine(name: &'a str) -> Self {
        Self {
            name,
            may_change_operators: true,
        }
    }

    /// Creates an actor for a signed-in user. Only operators may change operators.
    pub fn signed_in(who: &'a SignedIn) -> Self {
        Self {
            name: who.actor(),
            may_change_operators: who.operator,
        }
    }

    /// Refuses changes to an operator's account by others. An operator has access to every tenant,
    /// so taking over the account would take over the installation.
    fn require_may_change(self, is_operator: bool) -> Result<(), ServiceError> {
        if is_operator && !self.may_change_operators {
            return Err(ServiceError::OperatorsOnly);
        }
        Ok(())
    }
}

/// A new member and their sign-in link, whose plain text exists only here.
pub struct Invited {
    /// The member.
    pub account: AccountRecord,
    /// The token behind `/sign-in/link/`.
    pub link: String,
}

/// Adds a member to a tenant.
pub async fn add(
    context: &Context,
    tenant: TenantId,
    email: &str,
    role: Role,
    operator: bool,
    actor: Actor<'_>,
) -> Result<Invited, ServiceError> {
    actor.require_may_change(operator)?;
    let email = sign_in::folded(email);
    check_email(&email)?;
    let new = NewAccount {
        id: AccountId(Uuid::now_v7()),
        tenant,
        email,
        role,
        operator,
        created_at: context.clock.now(),
    };
    let account = match context.store.create_account(new, actor.name).await {
        Err(StoreError::Conflict) => {
            return Err(ServiceError::Conflict(
                "that address has an account already",
            ));
        }
        other => other?,
    };
    let link = sign_in::new_link(context, account.id, LINK_LIFE, actor.name).await?;
    Ok(Invited { account, link })
}

/// Lists the members of a tenant.
pub async fn list(context: &Context, tenant: TenantId) -> Result<Vec<AccountRecord>, ServiceError> {
    Ok(context.store.list_accounts(tenant).await?)
}

/// Creates a new link for a member who forgot the password or is locked out.
pub async fn invite_again(
    context: &Context,
    tenant: TenantId,
    id: AccountId,
    actor: Actor<'_>,
) -> Result<Invited, ServiceError> {
    let account = changeable(context, tenant, id, actor).await?;
    let link = sign_in::new_link(context, account.id, LINK_LIFE, actor.name).await?;
    Ok(Invited { account, link })
}

/// Changes the role of a member. A tenant keeps at least one owner.
pub async fn set_role(
    context: &Context,
    tenant: TenantId,
    id: AccountId,
    role: Role,
    actor: Actor<'_>,
) -> Result<AccountRecord, ServiceError> {
    changeable(context, tenant, id, actor).await?;
    if role != Role::Owner {
        keep_an_owner(context, tenant, id).await?;
    }
    let now = context.clock.now();
    Ok(context
        .store
        .set_account_role(tenant, id, role, actor.name, now)
        .await?)
}

/// Removes a member and ends their sessions at once. A tenant keeps at least one owner.
pub async fn remove(
    context: &Context,
    tenant: TenantId,
    id: AccountId,
    actor: Actor<'_>,
) -> Result<(), ServiceError> {
    changeable(context, tenant, id, actor).await?;
    keep_an_owner(context, tenant, id).await?;
    let now = context.clock.now();
    let removed = context.store.remove_account(tenant, id, actor.name, now);
    Ok(removed.await?)
}

/// Turns off the one-time codes of a member who lost their phone.
pub async fn turn_codes_off(
    context: &Context,
    tenant: TenantId,
    id: AccountId,
    actor: Actor<'_>,
) -> Result<(), ServiceError> {
    let account = changeable(context, tenant, id, actor).await?;
    let now = context.clock.now();
    let turned = context.store.set_totp(account.id, None, actor.name, now);
    Ok(turned.await?)
}

/// Lists the latest administrative actions of a tenant, newest first.
pub async fn audit_log(
    context: &Context,
    tenant: TenantId,
) -> Result<Vec<AuditRecord>, ServiceError> {
    Ok(context.store.list_audit(Some(tenant), AUDIT_LINES).await?)
}

/// Finds a member and checks that the actor may change them. Every change of another person's
/// account calls this.
async fn changeable(
    context: &Context,
    tenant: TenantId,
    id: AccountId,
    actor: Actor<'_>,
) -> Result<AccountRecord, ServiceError> {
    let members = list(context, tenant).await?;
    let account = members
        .into_iter()
        .find(|member| member.id == id)
        .ok_or(ServiceError::NotFound("a member of that id"))?;
    actor.require_may_change(account.operator)?;
    Ok(account)
}

async fn keep_an_owner(
    context: &Context,
    tenant: TenantId,
    leaving: AccountId,
) -> Result<(), ServiceError> {
    let members = list(context, tenant).await?;
    let leaves = members
        .iter()
        .any(|member| member.id == leaving && member.role == Role::Owner);
    let stays = members
        .iter()
        .any(|member| member.id != leaving && member.role == Role::Owner);
    if leaves && !stays {
        return Err(ServiceError::Conflict(
            "this is the only owner; make somebody else an owner first",
        ));
    }
    Ok(())
}

fn check_email(email: &str) -> Result<(), ServiceError> {
    let good = email
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    let plain = !email
        .chars()
        .any(|letter| letter.is_whitespace() || letter.is_control());
    if good && plain && email.chars().count() <= EMAIL_CHARACTERS_MAX {
        return Ok(());
    }
    Err(ServiceError::InvalidRequest(vec![FieldError::new(
        "/email",
        "must be an email address such as ada@clinic.example",
    )]))
}
