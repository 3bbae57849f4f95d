//! Documents made small. What an assessment says is mostly text that repeats itself; packed with Snappy
//! it takes a third of the bytes, and packing takes less time than writing the rest would.
//!
//! What is packed begins with a mark that no document begins with, so that what was stored before
//! documents were packed is read as it is.

use super::StoreError;

/// The first byte of what is packed.
const MARK: u8 = 1;
/// Shorter documents are not worth it.
const PACKED_FROM_BYTES: usize = 1024;
/// More than any document has. A length beyond it was not written by us.
const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// The document as it is stored.
pub(super) fn pack(document: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    let is_short = document.len() < PACKED_FROM_BYTES;
    if is_short && document.first() != Some(&MARK) {
        return Ok(document);
    }
    let mut packed = vec![0; 1 + snap::raw::max_compress_len(document.len())];
    packed[0] = MARK;
    let written = snap::raw::Encoder::new().compress(&document, &mut packed[1..]);
    let written = written.map_err(|_| StoreError::corrupt("a document could not be packed"))?;
    packed.truncate(1 + written);
    Ok(packed)
}

/// The document again, whether or not it was packed.
pub(super) fn unpack(stored: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    let Some((&MARK, packed)) = stored.split_first() else {
        return Ok(stored);
    };
    let damaged = || StoreError::corrupt("a packed document is damaged");
    let length = snap::raw::decompress_len(packed).map_err(|_| damaged())?;
    if length > DOCUMENT_BYTES_MAX {
        return Err(damaged());
    }
    let unpacked = snap::raw::Decoder::new().decompress_vec(packed);
    unpacked.map_err(|_| damaged())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_document_comes_back(
            mut document in prop::collection::vec(any::<u8>(), 0..40), times in 1..200_usize,
            marked in any::<bool>(),
        ) {
            if marked {
                document.insert(0, MARK);
            }
            let document = document.repeat(times);
            let stored = pack(document.clone()).unwrap();
            prop_assert_eq!(unpack(stored).unwrap(), document);
        }

        #[test]
        fn damage_is_an_error_and_no_panic(mut stored in prop::collection::vec(any::<u8>(), 0..200)) {
            stored.insert(0, MARK);
            let _ = unpack(stored);
        }
    }

    #[test]
    fn a_long_document_becomes_shorter_and_a_short_one_stays() {
        let short = b"{\"age\":7}".to_vec();
        assert_eq!(pack(short.clone()).unwrap(), short);
        let long = short.repeat(1000);
        assert!(pack(long.clone()).unwrap().len() * 5 < long.len());
    }

    #[test]
    fn what_was_stored_unpacked_is_read_as_it_is() {
        let long = b"{\"form\":1}".repeat(1000);
        assert_eq!(unpack(long.clone()).unwrap(), long);
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_damaged() {
        let mut stored = pack(b"a document ".repeat(1000)).unwrap();
        stored.truncate(stored.len() / 2);
        assert!(unpack(stored).is_err());
        let as_long_as_can_be = [MARK, 0xff, 0xff, 0xff, 0xff, 0x0f, 0];
        assert!(unpack(as_long_as_can_be.to_vec()).is_err());
    }
}
