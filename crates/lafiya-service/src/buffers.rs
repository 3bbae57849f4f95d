//! Reused buffers for the bytes written per request: the response and its document. The buffer
//! returned last is taken first, while it is still in the CPU cache; an allocator cycles through
//! memory of this size, so its buffers are cold.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// A pool of buffers.
pub struct Buffers {
    waiting: Mutex<Vec<Vec<u8>>>,
    /// Capacity of a new buffer.
    bytes: usize,
}

/// Maximum number of pooled buffers, about as many as are in use at once on a busy machine.
const WAITING_MAX: usize = 64;
/// A buffer that has grown beyond this multiple of its initial capacity is not returned to the
/// pool.
const GROWN_MAX: usize = 4;

impl Buffers {
    /// Creates a pool of buffers with an initial capacity of `bytes`.
    pub const fn new(bytes: usize) -> Self {
        Self {
            waiting: Mutex::new(Vec::new()),
            bytes,
        }
    }

    /// Returns an empty buffer.
    pub fn take(&self) -> Vec<u8> {
        let waiting = self.waiting().pop();
        waiting.unwrap_or_else(|| Vec::with_capacity(self.bytes))
    }

    /// Turns a written buffer into `Bytes`; the buffer returns to the pool when the last reference
    /// is dropped.
    pub fn lend(&'static self, written: Vec<u8>) -> Bytes {
        Bytes::from_owner(PooledBuffer {
            written,
            home: self,
        })
    }

    fn give_back(&self, mut buffer: Vec<u8>) {
        if buffer.capacity() > GROWN_MAX * self.bytes {
            return;
        }
        buffer.clear();
        let mut waiting = self.waiting();
        if waiting.len() < WAITING_MAX {
            waiting.push(buffer);
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct PooledBuffer {
    written: Vec<u8>,
    home: &'static Buffers,
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.written
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        self.home.give_back(std::mem::take(&mut self.written));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_returned_buffer_is_reused_empty() {
        static BUFFERS: Buffers = Buffers::new(16);
        let mut buffer = BUFFERS.take();
        buffer.extend_from_slice(b"first");
        let room = buffer.as_ptr();
        let lent = BUFFERS.lend(buffer);
        let other = lent.clone();
        drop(lent);
        assert!(BUFFERS.waiting().is_empty(), "somebody still reads it");
        assert_eq!(other, "first");
        drop(other);
        let again = BUFFERS.take();
        assert!(again.is_empty());
        assert_eq!(again.as_ptr(), room);
        // A buffer that has grown too large is dropped.
        drop(BUFFERS.lend(vec![0; 1000]));
        assert!(BUFFERS.waiting().is_empty());
    }
}
