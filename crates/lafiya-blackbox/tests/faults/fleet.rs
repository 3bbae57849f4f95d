//! Services under test: two replicas on servers that may be broken, or one on SQLite, and the
//! checks during a fault.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use lafiya_blackbox::{Backend, Client, LentServers, Server, Start, eventually};

use crate::load::{Load, Outcome, Replicas, body};

/// Longer than any bound, so that exceeding a bound fails as such and not as a timeout.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the servers of this run, for one test at a time.
pub(crate) fn servers() -> MutexGuard<'static, LentServers> {
    static SERVERS: OnceLock<Mutex<LentServers>> = OnceLock::new();
    SERVERS
        .get_or_init(|| Mutex::new(LentServers::start()))
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Replicas on one backend, and a tenant whose key the load uses.
pub(crate) struct Fleet {
    pub(crate) replicas: Vec<Server>,
    pub(crate) client: Client,
    addresses: Replicas,
}

impl Fleet {
    /// Starts two replicas on PostgreSQL and Redis, with these settings in addition to those of the
    /// backend.
    #[track_caller]
    pub(crate) fn on(backend: &Arc<Backend>, settings: &[(&str, &str)]) -> Self {
        let mut start = Server::without_limits().on(backend);
        for (name, value) in settings {
            start = start.with(name, value);
        }
        Self::two(start)
    }

    /// Starts two replicas with this configuration.
    #[track_caller]
    pub(crate) fn two(start: Start) -> Self {
        let first = start.start();
        let second = first.replica();
        let client = client_of_a_clinic(&first, &first);
        Self::of(vec![first, second], client)
    }

    /// Starts one service on SQLite.
    #[track_caller]
    pub(crate) fn alone(start: Start) -> Self {
        let server = start.on(&Arc::new(Backend::embedded())).start();
        let client = client_of_a_clinic(&server, &server);
        Self::of(vec![server], client)
    }

    /// Wraps one service whose commands are run by `admin`, for which the data folder has another
    /// path.
    #[track_caller]
    pub(crate) fn alone_with(server: Server, admin: &Server) -> Self {
        let client = client_of_a_clinic(&server, admin);
        Self::of(vec![server], client)
    }

    #[track_caller]
    fn of(replicas: Vec<Server>, client: Client) -> Self {
        let fleet = Self {
            addresses: Arc::default(),
            replicas,
            client,
        };
        fleet.announce();
        fleet
    }

    /// Tells the load the current addresses of the replicas.
    pub(crate) fn announce(&self) {
        let addresses = self.replicas.iter().map(|server| server.address).collect();
        *self.addresses.lock().expect("no panic") = addresses;
    }

    pub(crate) fn load(&self) -> Load {
        Load::begin(&self.client, &self.addresses)
    }

    /// Returns the status in `/health` of the whole service and of one part.
    fn health(&self, part: &str) -> Option<(String, String)> {
        let client = Client::new(self.replicas[0].address);
        let answer = client.request("GET", "/v1/health").try_send().ok()?;
        let body = answer.json();
        let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        Some((word(&body["status"]), word(&body["checks"][part])))
    }

    /// Returns the time until `/health` reports this status for a part.
    #[track_caller]
    pub(crate) fn until_health_says(&self, part: &str, word: &str) -> Duration {
        let began = Instant::now();
        eventually("health tells the truth", PATIENCE, || {
            let (_, said) = self.health(part)?;
            (said == word).then_some(())
        });
        began.elapsed()
    }

    /// Returns the time until every replica assesses again and is healthy.
    #[track_caller]
    pub(crate) fn until_recovered(&self) -> Duration {
        let began = Instant::now();
        for server in &self.replicas {
            let client = self.client.at(server.address);
            eventually("the service recovers", PATIENCE, || {
                // A sandbox interview: stored like any other, but not billed.
                let request = client.request("POST", "/v1/assess").json(&body());
                let request = request.header("X-Service-Environment", "sandbox");
                let assessed = request.try_send().ok()?.status == 200;
                let health = client.request("GET", "/v1/health").try_send().ok()?;
                (assessed && health.status == 200).then_some(())
            });
        }
        began.elapsed()
    }

    /// Ends the load shortly after everything works again.
    #[track_caller]
    pub(crate) fn settle(&self, load: Load) -> Outcome {
        load.wait_for_more(16);
        load.end()
    }
}

/// Returns a client with the key of a tenant that nothing else uses.
#[track_caller]
fn client_of_a_clinic(server: &Server, admin: &Server) -> Client {
    let words = ["tenant", "create", "clinic", "--tier", "enterprise"];
    let made = admin.cli(&[&words[..], &["--quota", "1000000"]].concat());
    assert!(made.status.success(), "{made:?}");
    server.client().with_key(&admin.new_key("clinic").1)
}
