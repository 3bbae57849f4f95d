//! A raw TCP connection, for requests that no correct client would send.

use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::answer::Answer;

/// The timeout for an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An open connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects. Returns the error, because on a busy machine a refused attempt proves nothing.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends bytes unchanged.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads one answer.
    pub fn answer(&mut self, asked: &str) -> io::Result<Answer> {
        Answer::read(&mut self.stream, asked)
    }

    /// Reads to the end in pieces of `piece` bytes, with a pause before each. Returns the number of
    /// bytes.
    pub fn read_slowly(&mut self, piece: usize, pause: Duration) -> io::Result<usize> {
        let mut total = 0;
        loop {
            std::thread::sleep(pause);
            let mut bytes = Vec::new();
            self.stream
                .by_ref()
                .take(piece as u64)
                .read_to_end(&mut bytes)?;
            match bytes.len() {
                0 => return Ok(total),
                read => total += read,
            }
        }
    }

    /// Whether the service closes the connection without sending anything else.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0]), Ok(0) | Err(_))
    }

    /// Sets the timeout for an answer.
    pub fn set_patience(&self, timeout: Duration) -> io::Result<()> {
        self.stream.get_ref().set_read_timeout(Some(timeout))
    }
}
