//! A steady load of assessments, each with its own idempotency key and retried with the same key
//! until it is answered, like a careful client. Afterwards every answer must be stored, and every
//! key billed once.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lafiya_blackbox::{Client, eventually};
use serde_json::{Value, json};

const CLIENTS: usize = 8;
const BETWEEN_REQUESTS: Duration = Duration::from_millis(5);
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(50);
/// The test fails if an answer takes longer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// The addresses of the replicas, as known to a load balancer.
pub(crate) type Replicas = Arc<Mutex<Vec<SocketAddr>>>;

#[derive(Default)]
struct Desk {
    /// Assessment ids by idempotency key.
    acknowledged: Mutex<HashMap<String, String>>,
    in_flight: AtomicUsize,
    repeated: AtomicUsize,
    unexpected: Mutex<Vec<String>>,
    end: AtomicBool,
}

/// A running load.
pub(crate) struct Load {
    desk: Arc<Desk>,
    client: Client,
    replicas: Replicas,
    threads: Vec<JoinHandle<()>>,
}

/// The result of everything that was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) acknowledged: usize,
    /// The number of retries.
    pub(crate) repeated: usize,
    pub(crate) lost: usize,
    pub(crate) doubled: usize,
}

pub(crate) fn body() -> Value {
    json!({
        "patient": {"age": 30, "sex": "female"},
        "evidence": [
            {"id": "s_fever", "choice_id": "present", "source": "initial"},
            {"id": "s_headache", "choice_id": "present", "source": "initial"}
        ]
    })
}

impl Load {
    /// Starts the load, and returns when the service is visibly processing it. `client` has the key
    /// of a tenant that nothing else uses.
    pub(crate) fn begin(client: &Client, replicas: &Replicas) -> Self {
        let desk = Arc::new(Desk::default());
        let threads = (0..CLIENTS)
            .map(|number| {
                let (desk, client) = (Arc::clone(&desk), client.clone());
                let replicas = Arc::clone(replicas);
                std::thread::spawn(move || work(number, &desk, &client, &replicas))
            })
            .collect();
        let load = Self {
            desk,
            client: client.clone(),
            replicas: Arc::clone(replicas),
            threads,
        };
        load.wait_for_more(3 * CLIENTS);
        load
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.desk
            .acknowledged
            .lock()
            .expect("no client panicked")
            .len()
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.desk.in_flight.load(Ordering::SeqCst)
    }

    /// Returns the number of failed attempts so far.
    pub(crate) fn repeated(&self) -> usize {
        self.desk.repeated.load(Ordering::SeqCst)
    }

    /// Waits until this many more requests are acknowledged.
    #[track_caller]
    pub(crate) fn wait_for_more(&self, count: usize) {
        let before = self.acknowledged();
        eventually("the load is answered", ANSWERED_WITHIN, || {
            (self.acknowledged() >= before + count).then_some(())
        });
    }

    /// Waits until everything sent is answered, then checks that it is stored.
    #[track_caller]
    pub(crate) fn end(self) -> Outcome {
        self.desk.end.store(true, Ordering::SeqCst);
        for thread in self.threads {
            thread.join().expect("every request is answered in the end");
        }
        let unexpected = self.desk.unexpected.lock().expect("no client panicked");
        assert!(unexpected.is_empty(), "{unexpected:#?}");
        let acknowledged = self.desk.acknowledged.lock().expect("no client panicked");
        let address = self.replicas.lock().expect("no panic")[0];
        let client = self.client.at(address);
        let lost = acknowledged.values().filter(|id| !is_there(&client, id));
        Outcome {
            acknowledged: acknowledged.len(),
            repeated: self.desk.repeated.load(Ordering::SeqCst),
            lost: lost.count(),
            doubled: billed(&client).saturating_sub(acknowledged.len()),
        }
    }
}

fn is_there(client: &Client, assessment: &str) -> bool {
    let body = json!({ "assessment_id": assessment });
    client.post("/v1/rationale", &body).status == 200
}

/// Returns the interviews billed this month.
#[track_caller]
fn billed(client: &Client) -> usize {
    let today = jiff::Timestamp::now().to_string();
    let month = &today[..7];
    let path = format!("/v1/usage?start_date={month}-01&end_date={month}-28");
    let usage = client.get(&path).expect(200).json();
    let used = usage["cost"]["used_this_month"].as_u64();
    used.expect("a number") as usize
}

fn work(number: usize, desk: &Desk, client: &Client, replicas: &Replicas) {
    let mut sent = 0;
    while !desk.end.load(Ordering::SeqCst) {
        sent += 1;
        let key = format!("load-{number}-{sent}");
        let assessment = until_answered(number, desk, client, replicas, &key);
        let mut acknowledged = desk.acknowledged.lock().expect("no client panicked");
        acknowledged.insert(key, assessment);
        drop(acknowledged);
        std::thread::sleep(BETWEEN_REQUESTS);
    }
}

/// Sends the same request with the same key to one replica after another until it is answered.
fn until_answered(
    number: usize,
    desk: &Desk,
    client: &Client,
    replicas: &Replicas,
    key: &str,
) -> String {
    let deadline = Instant::now() + ANSWERED_WITHIN;
    for attempt in number.. {
        assert!(Instant::now() < deadline, "{key} is never answered");
        let address = {
            let replicas = replicas.lock().expect("no panic");
            replicas[attempt % replicas.len()]
        };
        let request = client.at(address).request("POST", "/v1/assess");
        let request = request.header("Idempotency-Key", key).json(&body());
        desk.in_flight.fetch_add(1, Ordering::SeqCst);
        let answer = request.try_send();
        desk.in_flight.fetch_sub(1, Ordering::SeqCst);
        match answer {
            Ok(answer) if answer.status == 200 => {
                let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
                return body["assessment_id"].as_str().expect("an id").to_owned();
            }
            // Unavailable, timed out, or the first attempt is still running: all of these can be
            // retried.
            Ok(answer) if [409, 503, 504].contains(&answer.status) => {}
            Ok(answer) => {
                let mut unexpected = desk.unexpected.lock().expect("no client panicked");
                unexpected.push(answer.to_string());
            }
            // The connection was refused or broke.
            Err(_) => {}
        }
        desk.repeated.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(BETWEEN_ATTEMPTS);
    }
    unreachable!("the attempts do not end by themselves")
}
