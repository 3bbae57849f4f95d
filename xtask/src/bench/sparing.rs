//! Many connections on one thread: whoever has an answer is asked again, and the thread sleeps only while nobody has.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Instant;

use anyhow::ensure;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::connection::{Incoming, PATIENCE, PIECE_MAX, Request, connected};
use super::load::{GoesOn, Outcome};

/// Sends the request over and over on each of some connections.
pub(super) fn send(
    to: SocketAddr,
    request: &Request,
    connections: usize,
    goes_on: GoesOn<'_>,
) -> anyhow::Result<Outcome> {
    let mut poll = Poll::new()?;
    let mut lines = Vec::new();
    for place in 0..connections {
        let mut line = Line::open(to)?;
        let registry = poll.registry();
        registry.register(&mut line.stream, Token(place), Interest::READABLE)?;
        lines.push(line);
    }
    let mut waiting = 0;
    for line in &mut lines {
        if goes_on() {
            line.ask(request)?;
            waiting += 1;
        }
    }
    let mut outcome = Outcome::default();
    let mut events = Events::with_capacity(connections);
    let mut room = [0; PIECE_MAX];
    while waiting > 0 {
        match poll.poll(&mut events, Some(PATIENCE)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        ensure!(!events.is_empty(), "no answer in {PATIENCE:?}");
        // Those that are read last have waited for the sender, not for the server.
        let arrived = Instant::now();
        for event in &events {
            let line = &mut lines[event.token().0];
            let Some(status) = line.answer(&mut room)? else {
                continue;
            };
            outcome.note(status, arrived.duration_since(line.asked));
            if goes_on() {
                line.ask(request)?;
            } else {
                waiting -= 1;
            }
        }
    }
    Ok(outcome)
}

/// A connection with one request on its way at a time.
struct Line {
    stream: TcpStream,
    asked: Instant,
    incoming: Incoming,
}

impl Line {
    fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let stream = connected(to)?;
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: TcpStream::from_std(stream),
            asked: Instant::now(),
            incoming: Incoming::default(),
        })
    }

    fn ask(&mut self, request: &Request) -> anyhow::Result<()> {
        self.asked = Instant::now();
        // Nothing else is on its way, so that there is room for it.
        Ok(request.send(&self.stream)?)
    }

    /// The status of the answer, by way of `room`; none: there is more to come.
    fn answer(&mut self, room: &mut [u8]) -> anyhow::Result<Option<u16>> {
        loop {
            match self.incoming.take(&self.stream, room, |_| ()) {
                Ok(Some(head)) => return Ok(Some(head.status)),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
