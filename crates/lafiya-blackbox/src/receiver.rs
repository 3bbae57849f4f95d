//! A webhook receiver: a small local HTTP server that records deliveries and answers as the test
//! specifies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::wait::eventually;

/// One delivery, as received.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Header names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body as received.
    pub body: Vec<u8>,
    /// The time of arrival.
    pub at: Instant,
}

impl Delivery {
    /// Returns the value of a required header.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        &found
            .unwrap_or_else(|| panic!("no {name}: {:?}", self.headers))
            .1
    }

    /// Returns the body, which must be JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

struct Shared {
    got: Mutex<Vec<Delivery>>,
    status: AtomicU16,
    location: Mutex<Option<String>>,
    delay_ms: AtomicUsize,
    now: AtomicUsize,
    at_once_max: AtomicUsize,
}

/// A running receiver.
pub struct Receiver {
    /// The listening address.
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Starts a receiver that accepts everything.
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            got: Mutex::new(Vec::new()),
            status: AtomicU16::new(204),
            location: Mutex::new(None),
            delay_ms: AtomicUsize::new(0),
            now: AtomicUsize::new(0),
            at_once_max: AtomicUsize::new(0),
        });
        let for_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&for_thread);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Returns its URL for a webhook.
    pub fn url(&self) -> String {
        format!("http://{}/hooks", self.address)
    }

    /// Answers with this status from now on.
    pub fn answer(&self, status: u16) {
        self.shared.status.store(status, Ordering::SeqCst);
    }

    /// Answers with a redirect to this URL from now on.
    pub fn redirect_to(&self, url: &str) {
        *self.shared.location.lock().unwrap() = Some(url.to_owned());
        self.answer(307);
    }

    /// Delays every answer by this time from now on.
    pub fn wait_before_answers(&self, delay: Duration) {
        let delay = delay.as_millis() as usize;
        self.shared.delay_ms.store(delay, Ordering::SeqCst);
    }

    /// Returns all deliveries so far.
    pub fn got(&self) -> Vec<Delivery> {
        self.shared.got.lock().unwrap().clone()
    }

    /// Waits for this many deliveries and returns them.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Delivery> {
        let what = format!("{count} deliveries arrive");
        eventually(&what, Duration::from_secs(30), || {
            let got = self.got();
            (got.len() >= count).then_some(got)
        })
    }

    /// Returns the highest number of simultaneous deliveries.
    pub fn at_once_max(&self) -> usize {
        self.shared.at_once_max.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, shared: &Shared) {
    let mut stream = BufReader::new(stream);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    if stream.read_exact(&mut body).is_err() {
        return;
    }
    let now = shared.now.fetch_add(1, Ordering::SeqCst) + 1;
    shared.at_once_max.fetch_max(now, Ordering::SeqCst);
    let status = shared.status.load(Ordering::SeqCst);
    shared.got.lock().unwrap().push(Delivery {
        headers,
        body,
        at: Instant::now(),
    });
    let delay = shared.delay_ms.load(Ordering::SeqCst) as u64;
    std::thread::sleep(Duration::from_millis(delay));
    let location = shared.location.lock().unwrap().clone();
    let location = location.map_or(String::new(), |url| format!("location: {url}\r\n"));
    let answer = format!(
        "HTTP/1.1 {status} Said\r\n{location}content-length: 0\r\nconnection: close\r\n\r\n"
    );
    shared.now.fetch_sub(1, Ordering::SeqCst);
    let _ = stream.get_mut().write_all(answer.as_bytes());
}
