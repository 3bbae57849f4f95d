//! A client of the API: with or without a key, one connection per request, JSON in both directions.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;

use crate::answer::Answer;
use crate::connection::Connection;

/// An API client.
#[derive(Clone, Debug)]
pub struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

/// A request under construction.
#[derive(Clone, Debug)]
pub struct Request {
    address: SocketAddr,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Client {
    /// Creates a client without a key.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            headers: Vec::new(),
        }
    }

    /// Returns the same client with a key.
    pub fn with_key(&self, key: &str) -> Self {
        self.with_header("Authorization", &format!("Bearer {key}"))
    }

    /// Returns the same client with a header on every request.
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// Returns the same client for another replica.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self {
            address,
            ..self.clone()
        }
    }

    /// Creates a request without sending it.
    pub fn request(&self, method: &str, path: &str) -> Request {
        Request {
            address: self.address,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: self.headers.clone(),
            body: None,
        }
    }

    /// Sends `GET path`.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path).send()
    }

    /// Sends `POST path` with a JSON body.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path).json(body).send()
    }

    /// Sends `DELETE path`.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.request("DELETE", path).send()
    }
}

impl Request {
    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body, without a content type.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sets a JSON body with its content type.
    pub fn json(self, body: &Value) -> Self {
        self.json_text(body.to_string())
    }

    /// Sets a body with the content type of JSON.
    pub fn json_text(self, body: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Type", "application/json").body(body)
    }

    /// Sends it and returns the answer. Panics if the connection breaks.
    #[track_caller]
    pub fn send(&self) -> Answer {
        self.try_send()
            .unwrap_or_else(|cause| panic!("{} got no answer: {cause}", self.name()))
    }

    /// Sends it and returns the answer, or the error if the connection breaks.
    pub fn try_send(&self) -> io::Result<Answer> {
        let mut connection = Connection::open(self.address)?;
        connection.send(&self.head("close"))?;
        if let Some(body) = &self.body {
            connection.send(body)?;
        }
        connection.answer(&self.name())
    }

    /// Returns the request line and the headers as sent.
    pub fn head(&self, connection: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let own = [
            ("Host".to_owned(), self.address.to_string()),
            ("Connection".to_owned(), connection.to_owned()),
        ];
        for (name, value) in own.iter().chain(&self.headers) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}
