//! Serves many connections from one thread: each connection sends its next request as soon as it
//! has an answer, and the thread sleeps only while none has.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::ensure;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Registry, Token};

use super::connection::{Head, Incoming, PATIENCE, PIECE_MAX, Request, connected};
use super::load::{GoesOn, Outcome};

/// Sends the request repeatedly on each of several connections.
pub(super) fn send(
    to: SocketAddr,
    request: &Request,
    connections: usize,
    goes_on: GoesOn<'_>,
) -> anyhow::Result<Outcome> {
    let mut poll = Poll::new()?;
    let mut lines = Vec::new();
    for place in 0..connections {
        lines.push(Line::open(to, poll.registry(), place)?);
    }
    // The time of each connection's last request.
    let mut asked = vec![Instant::now(); connections];
    let mut waiting = 0;
    for (line, asked) in lines.iter_mut().zip(&mut asked) {
        if goes_on() {
            *asked = Instant::now();
            line.ask(request)?;
            waiting += 1;
        }
    }
    let mut outcome = Outcome::default();
    let mut events = Events::with_capacity(connections);
    let mut room = [0; PIECE_MAX];
    while waiting > 0 {
        wait(&mut poll, &mut events, PATIENCE)?;
        ensure!(!events.is_empty(), "no answer in {PATIENCE:?}");
        // Taken once for all events: those read last waited for the sender, not for the server.
        let arrived = Instant::now();
        for event in &events {
            let Token(place) = event.token();
            let Some(head) = lines[place].answer(&mut room, |_| ())? else {
                continue;
            };
            outcome.note(head.status, arrived.duration_since(asked[place]));
            if goes_on() {
                asked[place] = Instant::now();
                lines[place].ask(request)?;
            } else {
                waiting -= 1;
            }
        }
    }
    Ok(outcome)
}

/// Waits for events, up to a timeout.
pub(super) fn wait(poll: &mut Poll, events: &mut Events, at_most: Duration) -> io::Result<()> {
    match poll.poll(events, Some(at_most)) {
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            events.clear();
            Ok(())
        }
        polled => polled,
    }
}

/// A non-blocking connection with one pending request at a time.
pub(super) struct Line {
    stream: TcpStream,
    incoming: Incoming,
}

impl Line {
    /// Opens a connection whose events have the token `place`.
    pub(super) fn open(to: SocketAddr, registry: &Registry, place: usize) -> io::Result<Self> {
        let stream = connected(to)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        registry.register(&mut stream, Token(place), Interest::READABLE)?;
        Ok(Self {
            stream,
            incoming: Incoming::default(),
        })
    }

    pub(super) fn ask(&self, request: &Request) -> io::Result<()> {
        // No other request is pending, so the socket buffer has room.
        request.send(&self.stream)
    }

    /// Reads available bytes through `room`, which discards the body. Returns the head of the
    /// answer, or `None` if it is incomplete.
    pub(super) fn answer(
        &mut self,
        room: &mut [u8],
        mut body: impl FnMut(&[u8]),
    ) -> io::Result<Option<Head>> {
        loop {
            match self.incoming.take(&self.stream, room, &mut body) {
                Ok(Some(head)) => return Ok(Some(head)),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}
