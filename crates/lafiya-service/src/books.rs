//! Phrase tables, which stored documents use to refer to texts by number. The store keeps the table
//! of a knowledge base before any document refers to it, so old assessments stay readable long
//! after the base has changed.

use std::sync::Arc;

use lafiya_knowledge::Book;
use moka::future::Cache;
use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::error::ServiceError;

/// The id of a phrase table: a digest of all its phrases.
pub(crate) type BookId = String;

/// Maximum number of phrase tables in memory: each takes a few megabytes, and few knowledge bases
/// are in use at a time.
const BOOKS_MAX: u64 = 4;

/// The cache of phrase tables that were read from the store.
pub struct BookShelf(Cache<BookId, Arc<Book>>);

impl Default for BookShelf {
    fn default() -> Self {
        Self(Cache::new(BOOKS_MAX))
    }
}

/// Stores the phrase table of the current knowledge base, if that is not done yet. Until then
/// documents contain their texts in full, so a failed call can simply be repeated later.
pub async fn keep(context: &Context) -> Result<(), ServiceError> {
    let library = context.knowledge.load_full();
    if library.kept_book().is_some() || library.book().is_empty() {
        return Ok(());
    }
    let book = Arc::clone(library.book());
    let packing = tokio::task::spawn_blocking(move || packed(&book)).await;
    let (id, phrases) = packing.map_err(|cause| ServiceError::Internal(cause.to_string()))??;
    let now = context.clock.now();
    context.store.keep_book(&id, phrases.into(), now).await?;
    tracing::info!(book.id = %id, "Documents name the texts of the knowledge base in its book.");
    library.book_is_kept(id);
    Ok(())
}

/// Serializes a phrase table as a JSON list of its phrases, which any program can read.
fn packed(book: &Book) -> Result<(BookId, Vec<u8>), ServiceError> {
    let phrases: Vec<&str> = book.phrases().collect();
    let bytes = serde_json::to_vec(&phrases);
    let bytes = bytes.map_err(|cause| ServiceError::Internal(cause.to_string()))?;
    let digest = Sha256::digest(&bytes);
    // Every document contains the id, so it is shortened to half of the digest, which is still
    // unique.
    let id = hex::encode(&digest[..16]);
    Ok((id, bytes))
}

fn unpacked(bytes: &[u8]) -> Result<Book, ServiceError> {
    let phrases: Vec<String> = serde_json::from_slice(bytes)
        .map_err(|cause| ServiceError::Internal(format!("a kept book is unreadable: {cause}")))?;
    Ok(phrases.iter().map(String::as_str).collect())
}

/// Finds a phrase table by its id.
pub(crate) async fn find(context: &Context, id: &str) -> Result<Arc<Book>, ServiceError> {
    let library = context.knowledge.load();
    if library.kept_book().is_some_and(|kept| kept == id) {
        return Ok(Arc::clone(library.book()));
    }
    drop(library);
    if let Some(book) = context.books.0.get(id).await {
        return Ok(book);
    }
    let bytes = context.store.find_book(id).await?;
    let bytes = bytes.ok_or_else(|| {
        ServiceError::Internal(format!("a document names the book {id}, which is not kept"))
    })?;
    let book = Arc::new(unpacked(&bytes)?);
    context
        .books
        .0
        .insert(id.to_owned(), Arc::clone(&book))
        .await;
    Ok(book)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_reads_as_it_was_packed() {
        let book: Book = ["Rest.", "", "Fièvre \"forte\"\n"].into_iter().collect();
        let (id, bytes) = packed(&book).unwrap();
        assert_eq!(unpacked(&bytes).unwrap(), book);
        let other: Book = ["Rest."].into_iter().collect();
        assert_ne!(packed(&other).unwrap().0, id);
        assert!(unpacked(b"[1]").is_err());
    }
}
