//! Settings. Precedence: flag, environment variable, `lafiya.toml`, default. `lafiya.default.toml`
//! is the only list of them; flags, variables, help texts and types derive from it.

mod catalogue;
mod layers;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use ipnet::IpNet;
use lafiya_http::HttpSettings;
use lafiya_http::versions::{VersionPolicy, Versions};
use lafiya_model::is_country_code;
use lafiya_provider::{Provider, ProviderSettings};
use lafiya_service::keeping::Retention;
use lafiya_service::{Advisor, AiMode, Limits};
use lafiya_storage::store::{DataKeys, StoreUrl};
use lafiya_web::WebSettings;
use lafiya_webhooks::{RetrySchedule, TargetPolicy, WorkerSettings};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

pub(crate) use catalogue::{HELP_HEADING, arguments};
pub(crate) use layers::{FILE_VARIABLE, warn_of_unknown_variables};

/// All settings, validated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) listen: SocketAddr,
    admin_listen: String,
    public_url: String,
    trusted_proxies: Vec<IpNet>,
    pub(crate) data_dir: PathBuf,
    database_url: SecretString,
    pub(crate) database_connections_max: u32,
    redis_url: SecretString,
    pub(crate) redis_prefix: String,
    key_hash_secret: SecretString,
    data_key: SecretString,
    allow_unencrypted_data: bool,
    retention_days: u32,
    sandbox_retention_days: u32,
    sandbox_assessments_max: u32,
    knowledge_dir: PathBuf,
    home_country: String,
    rate_limit_per_minute: u32,
    health_rate_limit_per_minute: u32,
    anonymous_rate_limit_per_minute: u32,
    body_limit_bytes: usize,
    fhir_body_limit_bytes: usize,
    pipeline_timeout_ms: u64,
    ai_provider: AiProvider,
    ai_base_url: String,
    ai_model: String,
    ai_api_key: SecretString,
    ai_mode: AiModeWord,
    ai_timeout_ms: u64,
    ai_concurrency_max: usize,
    ai_tokens_max: u32,
    ai_breaker_failures: u32,
    ai_breaker_open_ms: u64,
    consult_at_the_machine: bool,
    versions: Vec<VersionPolicy>,
    webhook_allow_insecure_targets: bool,
    webhook_timeout_ms: u64,
    webhook_retry_delays_ms: Vec<u64>,
    webhook_concurrency_max: u32,
    webhook_poll_interval_ms: u64,
    chores_interval_ms: u64,
    header_timeout_ms: u64,
    body_timeout_ms: u64,
    write_timeout_ms: u64,
    write_bytes_min: usize,
    connections_max: usize,
    connections_per_address_max: usize,
    connections_per_address_exempt: Vec<IpNet>,
    concurrent_requests_max: usize,
    shutdown_grace_ms: u64,
    pub(crate) log_format: LogFormat,
    pub(crate) log_level: String,
    pub(crate) otlp_endpoint: String,
}

/// The reasoning provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AiProvider {
    Embedded,
    Openai,
}

/// What happens if the language model gives no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AiModeWord {
    Fallback,
    Require,
}

/// The log format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Pretty,
    Json,
}

impl Settings {
    /// Merges the layers and validates the result.
    pub(crate) fn load(arguments: &clap::ArgMatches) -> anyhow::Result<Self> {
        let table = layers::merged(arguments)?;
        let settings: Self =
            serde_path_to_error::deserialize(toml::Value::Table(table)).map_err(|cause| {
                let name = cause.path().to_string();
                anyhow::anyhow!("{name} is not valid: {}", cause.into_inner().message())
            })?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> anyhow::Result<()> {
        let at_least_one = [
            (
                "rate_limit_per_minute",
                u64::from(self.rate_limit_per_minute),
            ),
            (
                "health_rate_limit_per_minute",
                u64::from(self.health_rate_limit_per_minute),
            ),
            (
                "anonymous_rate_limit_per_minute",
                u64::from(self.anonymous_rate_limit_per_minute),
            ),
            ("body_limit_bytes", self.body_limit_bytes as u64),
            (
                "sandbox_assessments_max",
                u64::from(self.sandbox_assessments_max),
            ),
            ("connections_max", self.connections_max as u64),
            (
                "database_connections_max",
                u64::from(self.database_connections_max),
            ),
            ("header_timeout_ms", self.header_timeout_ms),
            ("body_timeout_ms", self.body_timeout_ms),
            ("write_timeout_ms", self.write_timeout_ms),
            ("write_bytes_min", self.write_bytes_min as u64),
            ("pipeline_timeout_ms", self.pipeline_timeout_ms),
            ("webhook_timeout_ms", self.webhook_timeout_ms),
            (
                "webhook_concurrency_max",
                u64::from(self.webhook_concurrency_max),
            ),
            ("webhook_poll_interval_ms", self.webhook_poll_interval_ms),
            ("chores_interval_ms", self.chores_interval_ms),
            ("ai_timeout_ms", self.ai_timeout_ms),
            ("ai_concurrency_max", self.ai_concurrency_max as u64),
            ("ai_tokens_max", u64::from(self.ai_tokens_max)),
            ("ai_breaker_failures", u64::from(self.ai_breaker_failures)),
        ];
        for (name, value) in at_least_one {
            ensure!(value > 0, "{name} must be at least 1");
        }
        if !self.otlp_endpoint.is_empty() && !cfg!(feature = "otel") {
            bail!("otlp_endpoint is set, but this binary was built without the feature otel");
        }
        ensure!(
            self.home_country.is_empty() || is_country_code(&self.home_country),
            "home_country must be a country's ISO code of two letters, such as NG"
        );
        ensure!(
            !self.data_dir.as_os_str().is_empty(),
            "data_dir must name a folder, such as data"
        );
        crate::logging::filter(&self.log_level)?;
        self.check_ai()?;
        self.store_url()?;
        self.data_keys()?;
        self.admin_listen()?;
        Versions::new(self.versions.clone()).map_err(anyhow::Error::msg)?;
        let redis = self.redis_url.expose_secret();
        if !(redis.is_empty() || redis.starts_with("redis://") || redis.starts_with("unix:")) {
            bail!("redis_url must begin with redis://");
        }
        let public = &self.public_url;
        if !(public.is_empty() || public.starts_with("http://") || public.starts_with("https://")) {
            bail!("public_url must begin with http:// or https://");
        }
        // Port 0 lets the system choose, so both may be written alike.
        if self.admin_listen()? == Some(self.listen) && self.listen.port() != 0 {
            bail!("admin_listen and listen must be different addresses");
        }
        Ok(())
    }

    fn check_ai(&self) -> anyhow::Result<()> {
        if self.ai_provider == AiProvider::Embedded {
            return Ok(());
        }
        ensure!(
            !self.ai_base_url.is_empty(),
            "ai_base_url must be set with ai_provider = openai"
        );
        ensure!(
            !self.ai_model.is_empty(),
            "ai_model must be set with ai_provider = openai"
        );
        ensure!(
            self.ai_mode == AiModeWord::Require || self.ai_timeout_ms < self.pipeline_timeout_ms,
            "ai_timeout_ms must be less than pipeline_timeout_ms, or there is no time left to fall back"
        );
        Ok(())
    }

    /// Returns the language model to ask, if one is configured.
    pub(crate) fn advisor(&self) -> anyhow::Result<Option<Advisor>> {
        if self.ai_provider == AiProvider::Embedded {
            return Ok(None);
        }
        let provider = Provider::new(ProviderSettings {
            base_url: self.ai_base_url.clone(),
            model: self.ai_model.clone(),
            api_key: self.ai_api_key.clone(),
            timeout: Duration::from_millis(self.ai_timeout_ms),
            concurrency: self.ai_concurrency_max,
            tokens_max: self.ai_tokens_max,
            breaker_failures: self.ai_breaker_failures,
            breaker_open_for: Duration::from_millis(self.ai_breaker_open_ms),
        });
        Ok(Some(Advisor {
            provider: provider.context("ai_base_url is not valid")?,
            mode: match self.ai_mode {
                AiModeWord::Fallback => AiMode::Fallback,
                AiModeWord::Require => AiMode::Require,
            },
        }))
    }

    /// Returns the URL of the store.
    pub(crate) fn store_url(&self) -> anyhow::Result<StoreUrl> {
        let configured = self.database_url.expose_secret();
        if configured.is_empty() {
            return Ok(StoreUrl::Sqlite(self.data_dir.join("lafiya.db")));
        }
        configured
            .parse()
            .context("database_url must begin with postgres:// or sqlite://")
    }

    fn is_store_embedded(&self) -> anyhow::Result<bool> {
        Ok(matches!(self.store_url()?, StoreUrl::Sqlite(_)))
    }

    /// Whether the database, the cache and the reasoning all run within this process.
    pub(crate) fn answers_alone(&self) -> anyhow::Result<bool> {
        let advised = self.ai_provider != AiProvider::Embedded;
        Ok(self.is_store_embedded()? && self.redis_url().is_none() && !advised)
    }

    /// Returns the keys that stored documents are encrypted with.
    pub(crate) fn data_keys(&self) -> anyhow::Result<DataKeys> {
        DataKeys::parse(self.data_key.expose_secret()).context("data_key is not valid")
    }

    /// Refuses to start if patient data would be stored unencrypted on a database server. The
    /// embedded database of a trial needs no key.
    pub(crate) fn require_data_key(&self) -> anyhow::Result<()> {
        if self.is_store_embedded()?
            || self.allow_unencrypted_data
            || self.data_keys()?.seal_documents()
        {
            return Ok(());
        }
        bail!(
            "no data key is set, so patients' data would lie in PostgreSQL in the clear. \
             Make a key with `openssl rand -base64 32` and set LAFIYA_DATA_KEY, the same for all \
             replicas; or set LAFIYA_ALLOW_UNENCRYPTED_DATA=true if the disks are encrypted anyway"
        )
    }

    /// Returns the address of the admin listener, if it is enabled.
    pub(crate) fn admin_listen(&self) -> anyhow::Result<Option<SocketAddr>> {
        match self.admin_listen.as_str() {
            "" => Ok(None),
            text => Ok(Some(text.parse().context(
                "admin_listen must be an address and port such as 127.0.0.1:9090",
            )?)),
        }
    }

    /// Returns the URL of the shared cache, if one is configured.
    pub(crate) fn redis_url(&self) -> Option<&str> {
        Some(self.redis_url.expose_secret()).filter(|url| !url.is_empty())
    }

    /// Returns the key hash secret, if one is configured.
    pub(crate) fn key_hash_secret(&self) -> Option<&[u8]> {
        Some(self.key_hash_secret.expose_secret().as_bytes()).filter(|secret| !secret.is_empty())
    }

    /// Returns the directory that replaces the embedded knowledge base, if one is configured.
    pub(crate) fn knowledge_dir(&self) -> Option<&std::path::Path> {
        Some(self.knowledge_dir.as_path()).filter(|dir| !dir.as_os_str().is_empty())
    }

    /// Returns the country whose place names are searched first, if one is configured.
    pub(crate) fn home_country(&self) -> Option<&str> {
        Some(self.home_country.as_str()).filter(|code| !code.is_empty())
    }

    /// Returns the limits of the service.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            per_key_per_minute: self.rate_limit_per_minute,
            health_per_minute: self.health_rate_limit_per_minute,
            anonymous_per_minute: self.anonymous_rate_limit_per_minute,
            pipeline_timeout_ms: self.pipeline_timeout_ms,
        }
    }

    /// Returns how long assessments are kept.
    pub(crate) fn retention(&self) -> Retention {
        Retention {
            days: self.retention_days,
            sandbox_days: self.sandbox_retention_days,
            sandbox_max: self.sandbox_assessments_max,
        }
    }

    /// Returns which webhook target addresses are allowed.
    pub(crate) fn webhook_targets(&self) -> TargetPolicy {
        if self.webhook_allow_insecure_targets {
            TargetPolicy::Insecure
        } else {
            TargetPolicy::PublicHttps
        }
    }

    /// Returns the settings of webhook delivery.
    pub(crate) fn webhooks(&self) -> WorkerSettings {
        let delays = self.webhook_retry_delays_ms.iter();
        WorkerSettings {
            policy: self.webhook_targets(),
            timeout: Duration::from_millis(self.webhook_timeout_ms),
            retries: RetrySchedule::new(delays.copied().map(Duration::from_millis).collect()),
            poll_every: Duration::from_millis(self.webhook_poll_interval_ms),
            concurrency: self.webhook_concurrency_max,
        }
    }

    /// Returns the interval between checks for due periodic tasks.
    pub(crate) fn chores_interval(&self) -> Duration {
        Duration::from_millis(self.chores_interval_ms)
    }

    /// Returns the URL that clients use.
    pub(crate) fn public_url(&self, bound: SocketAddr) -> String {
        match self.public_url.as_str() {
            "" => format!("http://{bound}"),
            configured => configured.trim_end_matches('/').to_owned(),
        }
    }

    /// Returns the settings of the web app.
    pub(crate) fn web(&self, bound: SocketAddr) -> WebSettings {
        WebSettings {
            public_url: self.public_url(bound),
            consult_at_the_machine: self.consult_at_the_machine && self.serves_here_alone(bound),
        }
    }

    /// Whether the database is embedded and, according to the settings, only this machine can reach
    /// the service. A proxy may add no header to the requests it forwards, so configured proxies
    /// count as remote access.
    fn serves_here_alone(&self, bound: SocketAddr) -> bool {
        self.database_url.expose_secret().is_empty()
            && bound.ip().is_loopback()
            && self.trusted_proxies.is_empty()
            && lafiya_web::leads_to_this_machine(&self.public_url(bound))
    }

    /// Returns the settings of the HTTP edge.
    pub(crate) fn http(&self, bound: SocketAddr) -> anyhow::Result<HttpSettings> {
        Ok(HttpSettings {
            public_url: self.public_url(bound),
            trusted_proxies: self.trusted_proxies.clone(),
            body_limit_bytes: self.body_limit_bytes,
            fhir_body_limit_bytes: self.fhir_body_limit_bytes,
            header_timeout: Duration::from_millis(self.header_timeout_ms),
            body_timeout: Duration::from_millis(self.body_timeout_ms),
            write_bytes_min: self.write_bytes_min,
            write_timeout: Duration::from_millis(self.write_timeout_ms),
            connections_max: self.connections_max,
            connections_per_address_max: self.connections_per_address_max,
            connections_per_address_exempt: self.connections_per_address_exempt.clone(),
            concurrent_requests_max: match self.concurrent_requests_max {
                0 => requests_that_suit_the_machine(),
                given => given,
            },
            shutdown_grace: Duration::from_millis(self.shutdown_grace_ms),
            versions: Versions::new(self.versions.clone()).map_err(anyhow::Error::msg)?,
        })
    }
}

/// Returns the default limit of concurrent requests: large enough to absorb a burst, and small
/// enough that admitted requests are answered quickly.
fn requests_that_suit_the_machine() -> usize {
    (64 * processors()).max(256)
}

/// Returns the number of CPUs available to this process, or 1 if it is unknown.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
