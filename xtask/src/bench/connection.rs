//! Requests over keep-alive connections, and their answers.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The timeout for an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// The maximum number of headers in an answer.
const HEADERS_MAX: usize = 32;
/// The size of the read buffer: small enough to stay in the processor's fastest caches, which the
/// load shares with the server.
pub(super) const PIECE_MAX: usize = 16 * 1024;

/// A serialized request that can be sent repeatedly.
pub(super) struct Request {
    bytes: Vec<u8>,
}

impl Request {
    pub(super) fn get(path: &str, key: &str) -> Self {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\r\n");
        Self {
            bytes: head.into_bytes(),
        }
    }

    pub(super) fn post(path: &str, key: &str, content_type: &str, body: &str) -> Self {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        Self {
            bytes: [head.as_bytes(), body.as_bytes()].concat(),
        }
    }

    /// Sends it once on a new connection.
    pub(super) fn once(&self, to: SocketAddr) -> io::Result<Answer> {
        Connection::open(to)?.ask(self)
    }

    /// Sends it on a connection without pending requests.
    pub(super) fn send(&self, mut on: impl Write) -> io::Result<()> {
        on.write_all(&self.bytes)
    }
}

/// The answer to a request.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// A blocking connection that waits for each answer.
pub(super) struct Connection {
    stream: TcpStream,
    incoming: Incoming,
}

impl Connection {
    pub(super) fn open(to: SocketAddr) -> io::Result<Self> {
        let stream = connected(to)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            incoming: Incoming::default(),
        })
    }

    pub(super) fn ask(&mut self, request: &Request) -> io::Result<Answer> {
        request.send(&self.stream)?;
        let mut room = [0; PIECE_MAX];
        let mut body = Vec::new();
        loop {
            let keep = |piece: &[u8]| body.extend_from_slice(piece);
            if let Some(head) = self.incoming.take(&self.stream, &mut room, keep)? {
                return Ok(Answer {
                    status: head.status,
                    body,
                });
            }
        }
    }
}

/// Opens a stream that sends small requests immediately (`TCP_NODELAY`).
pub(super) fn connected(to: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&to, PATIENCE)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A partially received answer.
#[derive(Default)]
pub(super) struct Incoming {
    /// The bytes received before the head was complete.
    begun: Vec<u8>,
    head: Option<Head>,
    /// The remaining bytes of the body.
    missing: usize,
}

impl Incoming {
    /// Reads available bytes into `room` and passes the body bytes among them to `body`. Returns
    /// the head once the answer is complete; the next bytes then start a new answer.
    pub(super) fn take(
        &mut self,
        mut from: impl Read,
        room: &mut [u8],
        mut body: impl FnMut(&[u8]),
    ) -> io::Result<Option<Head>> {
        let read = from.read(room)?;
        if read == 0 {
            return Err(broken("the answer ends before its end"));
        }
        let mut piece = &room[..read];
        if self.head.is_none() {
            self.begun.extend_from_slice(piece);
            let Some(head) = Head::read(&self.begun)? else {
                return Ok(None);
            };
            piece = &self.begun[head.bytes..];
            self.missing = head.body_bytes;
            self.head = Some(head);
        }
        let missing = self.missing.checked_sub(piece.len());
        self.missing = missing.ok_or_else(|| broken("more than one answer"))?;
        body(piece);
        self.begun.clear();
        Ok(self.head.take_if(|_| self.missing == 0))
    }
}

/// The head of an answer.
pub(super) struct Head {
    pub(super) status: u16,
    /// The `Retry-After` header, if present.
    pub(super) retry_after: Option<String>,
    /// The length of the head in bytes.
    bytes: usize,
    body_bytes: usize,
}

impl Head {
    /// Parses the head at the start of these bytes; `None` if it is incomplete.
    fn read(received: &[u8]) -> io::Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut headers);
        let parsed = response.parse(received).map_err(broken)?;
        let httparse::Status::Complete(bytes) = parsed else {
            return Ok(None);
        };
        let status = response.code.unwrap_or_default();
        let value = |name: &str| {
            let mut all = response.headers.iter();
            let found = all.find(|header| header.name.eq_ignore_ascii_case(name))?;
            str::from_utf8(found.value).ok().map(str::trim)
        };
        let length = value("content-length").unwrap_or("0").parse();
        Ok(Some(Self {
            status,
            retry_after: value("retry-after").map(str::to_owned),
            bytes,
            body_bytes: length.map_err(broken)?,
        }))
    }
}

fn broken(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"HTTP/1.1 503 Full\r\nretry-after: 2\r\nContent-Length: 4\r\n\r\nfull";

    /// Processes pieces until the answer is complete or none are left.
    fn taken(incoming: &mut Incoming, pieces: &[&[u8]]) -> io::Result<(Option<Head>, Vec<u8>)> {
        let mut body = Vec::new();
        for piece in pieces {
            let keep = |more: &[u8]| body.extend_from_slice(more);
            let head = incoming.take(*piece, &mut [0; PIECE_MAX], keep)?;
            if head.is_some() {
                return Ok((head, body));
            }
        }
        Ok((None, body))
    }

    #[test]
    fn a_response_split_anywhere_is_complete_with_its_last_part() {
        let mut incoming = Incoming::default();
        for cut in 1..ANSWER.len() {
            let (first, rest) = ANSWER.split_at(cut);
            assert!(taken(&mut incoming, &[first]).unwrap().0.is_none());
            let head = taken(&mut incoming, &[rest]).unwrap().0.unwrap();
            assert_eq!(head.status, 503);
            assert_eq!(head.retry_after.as_deref(), Some("2"));
        }
        let (head, body) = taken(&mut incoming, &[&ANSWER[..20], &ANSWER[20..]]).unwrap();
        assert!(head.is_some() && body == b"full");
    }

    #[test]
    fn malformed_truncated_and_overlong_responses_are_errors() {
        let new = Incoming::default;
        assert!(taken(&mut new(), &[b"hello there\r\n\r\n"]).is_err());
        assert!(taken(&mut new(), &[&ANSWER[..30], b""]).is_err());
        assert!(taken(&mut new(), &[&[ANSWER, b"!"].concat()]).is_err());
    }
}
