//! A language model that is none: a small HTTP server on this machine that speaks the chat API, keeps
//! what it was asked and plays the part that the test gives it, good or bad.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What it does with a question.
#[derive(Clone)]
pub enum Play {
    /// Thinks about the matter and answers with JSON.
    Think(fn(&Value) -> Value),
    /// Says these words.
    Say(String),
    /// Thinks for a while before it answers.
    Slow(Duration, fn(&Value) -> Value),
    /// Answers this status.
    Status(u16),
    /// Takes the question and never answers.
    Hang,
    /// Breaks off in the middle of an answer.
    BreakOff,
    /// Sends ten megabytes.
    Flood,
    /// Sends a byte now and then.
    Drip,
}

struct Desk {
    play: Mutex<Play>,
    asked: Mutex<Vec<String>>,
    key: Mutex<String>,
}

/// A running model.
pub struct Model {
    /// Where it listens.
    pub address: SocketAddr,
    desk: Arc<Desk>,
}

impl Model {
    /// One that plays this part.
    pub fn start(play: Play) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let desk = Arc::new(Desk {
            play: Mutex::new(play),
            asked: Mutex::default(),
            key: Mutex::default(),
        });
        let at_desk = Arc::clone(&desk);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let desk = Arc::clone(&at_desk);
                thread::spawn(move || serve(stream, &desk));
            }
        });
        Self { address, desk }
    }

    /// Its address as a setting.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Plays another part from now on.
    pub fn play(&self, play: Play) {
        *self.desk.play.lock().unwrap() = play;
    }

    /// The bodies of all questions so far, as they came over the wire.
    pub fn asked(&self) -> Vec<String> {
        self.desk.asked.lock().unwrap().clone()
    }

    /// What it was shown as a key, last.
    pub fn key(&self) -> String {
        self.desk.key.lock().unwrap().clone()
    }
}

/// The JSON document in the user's message of a question.
pub fn matter(body: &str) -> Value {
    let body: Value = serde_json::from_str(body).expect("a JSON body");
    let content = body["messages"][1]["content"].as_str().expect("a message");
    serde_json::from_str(content).expect("a JSON document")
}

fn serve(stream: TcpStream, desk: &Desk) {
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
                value.clone_into(&mut desk.key.lock().unwrap());
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
    desk.asked.lock().unwrap().push(body.clone());
    let play = desk.play.lock().unwrap().clone();
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

/// Does something every now and then until the other side has had enough.
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
