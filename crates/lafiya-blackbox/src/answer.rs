//! An HTTP response as received, with assertions that panic with a readable message.

use std::io::{self, Read};

use serde_json::Value;

/// One response.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body as received.
    pub body: Vec<u8>,
    asked: String,
}

impl Answer {
    /// Reads one response. `asked` names the request in messages.
    pub(crate) fn read(stream: &mut impl Read, asked: &str) -> io::Result<Self> {
        let head = read_head(stream)?;
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1)?.parse().ok())
            .ok_or_else(|| malformed("a status line"))?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut answer = Self {
            status,
            headers,
            body: Vec::new(),
            asked: asked.to_owned(),
        };
        answer.body = answer.read_body(stream)?;
        Ok(answer)
    }

    fn read_body(&self, stream: &mut impl Read) -> io::Result<Vec<u8>> {
        if self.header("transfer-encoding") == Some("chunked") {
            return read_chunks(stream);
        }
        let length = self.header("content-length").unwrap_or("0");
        let length: usize = length.parse().map_err(|_| malformed("a content length"))?;
        let without_body = self.asked.starts_with("HEAD ") || self.status == 204;
        let mut body = vec![0; if without_body { 0 } else { length }];
        stream.read_exact(&mut body)?;
        Ok(body)
    }

    /// Returns the value of a header, if present. Panics if it occurs twice.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self
            .headers
            .iter()
            .filter(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str());
        let value = values.next();
        assert!(values.next().is_none(), "{name} stands twice: {self}");
        value
    }

    /// Returns the cookies that it sets, as a browser sends them back.
    pub fn cookies(&self) -> String {
        let set = self
            .headers
            .iter()
            .filter(|(name, _)| name == "set-cookie")
            .filter_map(|(_, value)| value.split(';').next());
        set.collect::<Vec<_>>().join("; ")
    }

    /// Returns the value of a required header.
    #[track_caller]
    pub fn required_header(&self, name: &str) -> &str {
        self.header(name)
            .unwrap_or_else(|| panic!("the header {name} is missing: {self}"))
    }

    /// Returns the value of a required header as an integer.
    #[track_caller]
    pub fn number(&self, name: &str) -> u64 {
        let value = self.required_header(name);
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is not a whole number: {self}"))
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body, which must be JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        let content_type = self.header("content-type").unwrap_or_default();
        assert!(
            content_type.contains("json"),
            "not announced as JSON: {self}"
        );
        serde_json::from_slice(&self.body).unwrap_or_else(|cause| panic!("{cause}: {self}"))
    }

    /// Asserts a status and returns the answer.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "wrong status: {self}");
        self
    }

    /// Asserts the error envelope with this status and code, and returns the `error` object.
    #[track_caller]
    pub fn expect_error(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "wrong status: {self}");
        let body = self.json();
        let error = &body["error"];
        assert_eq!(error["code"], code, "wrong code: {self}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "an error without a sentence: {self}");
        let known = ["code", "message", "details"];
        let fields = error.as_object().expect("an object with a code");
        let unknown = fields.keys().find(|name| !known.contains(&name.as_str()));
        assert_eq!(unknown, None, "the envelope has a field of its own: {self}");
        error.clone()
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "\n{}\n  -> {}", self.asked, self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "  {name}: {value}")?;
        }
        write!(f, "  {:.2000}", self.text())
    }
}

fn read_head(stream: &mut impl Read) -> io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.extend_from_slice(&byte);
    }
    String::from_utf8(head).map_err(|_| malformed("a readable head"))
}

fn read_chunks(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = Vec::new();
        let mut byte = [0];
        while !line.ends_with(b"\r\n") {
            stream.read_exact(&mut byte)?;
            line.extend_from_slice(&byte);
        }
        let text = String::from_utf8_lossy(&line);
        let size = usize::from_str_radix(text.trim(), 16).map_err(|_| malformed("a chunk size"))?;
        let mut chunk = vec![0; size + 2];
        stream.read_exact(&mut chunk)?;
        if size == 0 {
            return Ok(body);
        }
        chunk.truncate(size);
        body.append(&mut chunk);
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the answer lacks {what}"),
    )
}
