//! One GET over a plain socket: all the HTTP that a chore needs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use anyhow::Context;

/// The status of `GET path`, or nothing while nobody answers.
pub(crate) fn get_status(address: SocketAddr, path: &str) -> Option<u16> {
    let patience = Duration::from_secs(2);
    let mut stream = TcpStream::connect_timeout(&address, patience).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
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

/// A port of the loopback address that nobody uses at this moment.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    let probe = TcpListener::bind("127.0.0.1:0").context("no free port on 127.0.0.1")?;
    Ok(probe.local_addr()?)
}
