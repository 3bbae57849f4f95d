//! A minimal HTTP client: one GET over a plain socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use anyhow::Context;

/// Returns the status of `GET path`, or `None` if there is no answer.
pub(crate) fn get_status(address: SocketAddr, path: &str) -> Option<u16> {
    let timeout = Duration::from_secs(2);
    let mut stream = TcpStream::connect_timeout(&address, timeout).ok()?;
    stream.set_read_timeout(Some(timeout)).ok()?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let head = String::from_utf8_lossy(&answer);
    head.split(' ').nth(1)?.parse().ok()
}

/// Returns an address on the loopback interface with a currently unused port.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    let probe = TcpListener::bind("127.0.0.1:0").context("no free port on 127.0.0.1")?;
    Ok(probe.local_addr()?)
}
