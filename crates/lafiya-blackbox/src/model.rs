//! A fake language model: a small local HTTP server with the chat API, which records requests and
//! behaves as the test specifies, well or badly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The behaviour of the fake model.
#[derive(Clone)]
pub enum Play {
    /// Answers with JSON computed from the question.
    Think(fn(&Value) -> Value),
    /// Answers with this text.
    Say(String),
    /// Answers with computed JSON after a delay.
    Slow(Duration, fn(&Value) -> Value),
    /// Answers with this status.
    Status(u16),
    /// Accepts the request and never answers.
    Hang,
    /// Closes the connection in the middle of an answer.
    BreakOff,
    /// Sends 10 MB.
    Flood,
    /// Sends single bytes with pauses.
    Drip,
}

struct Shared {
    play: Mutex<Play>,
    asked: Mutex<Vec<String>>,
    key: Mutex<String>,
}

/// A running fake model.
pub struct Model {
    /// The listening address.
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Model {
    /// Starts a fake model with this behaviour.
    pub fn start(play: Play) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            play: Mutex::new(play),
            asked: Mutex::default(),
            key: Mutex::default(),
        });
        let for_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&for_thread);
                thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Returns its URL for the settings.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Changes the behaviour from now on.
    pub fn play(&self, play: Play) {
        *self.shared.play.lock().unwrap() = play;
    }

    /// Returns the bodies of all requests so far, as received.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap().clone()
    }

    /// Returns the last API key received.
    pub fn key(&self) -> String {
        self.shared.key.lock().unwrap().clone()
    }
}

/// Returns the JSON document in the user's message of a request.
pub fn matter(body: &str) -> Value {
    let body: Value = serde_json::from_str(body).expect("a JSON body");
    let content = body["messages"][1]["content"].as_str().expect("a message");
    serde_json::from_str(content).expect("a JSON document")
}

fn serve(stream: TcpStream, shared: &Shared) {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end();
        if first.is_empty() {
            line.clone_into(&mut first);
        }
        match line.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().unwrap_or(0);
            }
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => {
                value.clone_into(&mut shared.key.lock().unwrap());
            }
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).is_err() {
        return;
    }
    let stream = stream.get_mut();
    if first.starts_with("GET") {
        answer(stream, 200, &json!({"data": []}).to_string());
        return;
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    shared.asked.lock().unwrap().push(body.clone());
    let play = shared.play.lock().unwrap().clone();
    act(stream, play, &body);
}

fn act(stream: &mut TcpStream, play: Play, body: &str) {
    let said = |content: &str| {
        json!({"choices": [{"message": {"role": "assistant", "content": content}}]}).to_string()
    };
    match play {
        Play::Think(think) => answer(stream, 200, &said(&think(&matter(body)).to_string())),
        Play::Say(words) => answer(stream, 200, &said(&words)),
        Play::Slow(delay, think) => {
            thread::sleep(delay);
            answer(stream, 200, &said(&think(&matter(body)).to_string()));
        }
        Play::Status(status) => answer(stream, status, "{}"),
        Play::Hang => until_gone(stream, |_| Ok(())),
        Play::BreakOff => {
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"choices\": [{\"mess",
            );
        }
        Play::Flood => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
            let block = vec![b' '; 64 * 1024];
            for _ in 0..160 {
                if stream.write_all(&block).is_err() {
                    return;
                }
            }
        }
        Play::Drip => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n");
            until_gone(stream, |stream| stream.write_all(b" "));
        }
    }
}

fn answer(stream: &mut TcpStream, status: u16, body: &str) {
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}

/// Repeats an action with pauses until the other side closes the connection.
fn until_gone(stream: &mut TcpStream, mut act: impl FnMut(&mut TcpStream) -> std::io::Result<()>) {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
    let mut byte = [0];
    loop {
        let gone = matches!(stream.read(&mut byte), Ok(0));
        if gone || act(stream).is_err() {
            return;
        }
    }
}
