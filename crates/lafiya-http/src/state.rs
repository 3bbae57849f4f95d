//! The state of the HTTP edge, in addition to the service's context.

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use lafiya_service::Context;
use tokio::sync::Semaphore;

use crate::endpoints::health::CachedHealth;
use crate::fhir::DefinitionCache;
use crate::response_cache::ResponseCache;
use crate::versions::Versions;

/// Settings of the HTTP edge.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The public URL of the service, without a path.
    pub public_url: String,
    /// Networks whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Maximum body size of an ordinary request.
    pub body_limit_bytes: usize,
    /// Maximum body size of a FHIR request.
    pub fhir_body_limit_bytes: usize,
    /// How long a client may take to send its headers, and how long a connection may be idle.
    pub header_timeout: Duration,
    /// How long a client may take to send its body.
    pub body_timeout: Duration,
    /// A client that reads fewer than this many bytes of its response in `write_timeout` is
    /// disconnected.
    pub write_bytes_min: usize,
    /// How long a client may take to read `write_bytes_min`.
    pub write_timeout: Duration,
    /// Maximum number of open connections; further ones are answered 503.
    pub connections_max: usize,
    /// Maximum number of open connections per address; further ones are answered 503. 0 disables
    /// the limit.
    pub connections_per_address_max: usize,
    /// Networks without a limit per address, in addition to the trusted proxies.
    pub connections_per_address_exempt: Vec<IpNet>,
    /// Maximum number of concurrent requests; further ones are answered 503.
    pub concurrent_requests_max: usize,
    /// How long a shutdown waits for running requests.
    pub shutdown_grace: Duration,
    /// The deprecation and sunset dates of API versions.
    pub versions: Versions,
}

impl HttpSettings {
    /// Returns the networks without a limit per address. Trusted proxies are included, because a
    /// proxy brings many clients.
    pub(crate) fn exempt_from_connection_limit(&self) -> Vec<IpNet> {
        let exempt = self.connections_per_address_exempt.iter();
        exempt.chain(&self.trusted_proxies).copied().collect()
    }
}

/// The state shared by all handlers.
pub struct HttpState {
    /// The context of the service.
    pub context: Arc<Context>,
    /// The settings of the edge.
    pub settings: HttpSettings,
    /// Admission control: one permit per running request.
    pub(crate) admission: Semaphore,
    /// Rendered FHIR definitions.
    pub(crate) fhir: DefinitionCache,
    /// Cached responses about the knowledge base.
    pub(crate) response_cache: ResponseCache,
    /// The last response of `/health`.
    pub(crate) kept_health: CachedHealth,
}

impl HttpState {
    /// Creates the state of one server.
    pub fn new(context: Arc<Context>, settings: HttpSettings) -> Arc<Self> {
        Arc::new(Self {
            admission: Semaphore::new(settings.concurrent_requests_max),
            fhir: DefinitionCache::new(&settings.public_url),
            response_cache: ResponseCache::default(),
            kept_health: CachedHealth::default(),
            context,
            settings,
        })
    }
}
