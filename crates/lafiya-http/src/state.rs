//! What the HTTP edge itself needs to know, beside the service's context.

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use lafiya_service::Context;
use tokio::sync::Semaphore;

use crate::endpoints::health::KeptHealth;
use crate::fhir::Shelf;
use crate::kept_answers::KeptAnswers;
use crate::versions::Versions;

/// Bounds and addresses of the HTTP edge.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// The address clients reach the service at, without a path.
    pub public_url: String,
    /// Networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Largest body of an ordinary request.
    pub body_limit_bytes: usize,
    /// Largest body of a FHIR request.
    pub fhir_body_limit_bytes: usize,
    /// How long a client may take to send its headers; also how long a connection may idle.
    pub header_timeout: Duration,
    /// How long a client may take to send its body.
    pub body_timeout: Duration,
    /// A client that takes fewer than this many bytes of its answer in `write_timeout` is disconnected.
    pub write_bytes_min: usize,
    /// How long a client may take to read `write_bytes_min`.
    pub write_timeout: Duration,
    /// Open connections at most; more are answered 503.
    pub connections_max: usize,
    /// Open connections of one address at most; more are answered 503. 0: no bound.
    pub connections_per_address_max: usize,
    /// Networks without a bound for each address, beside the trusted proxies.
    pub connections_per_address_exempt: Vec<IpNet>,
    /// Requests worked on at once at most; more are answered 503.
    pub concurrent_requests_max: usize,
    /// How long a shutdown waits for requests that run.
    pub shutdown_grace: Duration,
    /// API versions other than the current one, and their end.
    pub versions: Versions,
}

impl HttpSettings {
    /// Networks whose addresses may open any number of connections: a proxy brings many clients.
    pub(crate) fn exempt_from_connection_limit(&self) -> Vec<IpNet> {
        let exempt = self.connections_per_address_exempt.iter();
        exempt.chain(&self.trusted_proxies).copied().collect()
    }
}

/// The state every handler can reach.
pub struct HttpState {
    /// The service.
    pub context: Arc<Context>,
    /// The edge's own settings.
    pub settings: HttpSettings,
    /// Admission: one permit per request that is worked on.
    pub(crate) admission: Semaphore,
    /// FHIR definitions, rendered once.
    pub(crate) fhir: Shelf,
    /// Answers about the knowledge base.
    pub(crate) kept_answers: KeptAnswers,
    /// The last answer about health.
    pub(crate) kept_health: KeptHealth,
}

impl HttpState {
    /// The state for one server.
    pub fn new(context: Arc<Context>, settings: HttpSettings) -> Arc<Self> {
        Arc::new(Self {
            admission: Semaphore::new(settings.concurrent_requests_max),
            fhir: Shelf::new(&settings.public_url),
            kept_answers: KeptAnswers::default(),
            kept_health: KeptHealth::default(),
            context,
            settings,
        })
    }
}
