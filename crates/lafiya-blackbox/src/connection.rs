//! One TCP connection, for requests that no decent client would send.

use std::io::{self, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::answer::Answer;

/// How long a test waits for an answer before it calls the service stuck.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An open connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects; on a loaded machine a refused attempt says nothing, so the error is returned.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads one answer.
    pub fn answer(&mut self, asked: &str) -> io::Result<Answer> {
        Answer::read(&mut self.stream, asked)
    }

    /// Waits at most this long for an answer.
    pub fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.stream.get_ref().set_read_timeout(Some(patience))
    }
}
