//! Phrase tables, which stored documents use to refer to texts by number. The store keeps the table
//! of a knowledge base before any document refers to it, so old assessments stay readable long
//! after the base has changed.

use std::sync::Arc;

use lafiya_knowledge::PhraseTable;
use moka::future::Cache;
use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::error::ServiceError;

/// The id of a phrase table: a digest of all its phrases.
pub(crate) type PhraseTableId = String;

/// Maximum number of phrase tables in memory: each takes a few megabytes, and few knowledge bases
/// are in use at a time.
const PHRASE_TABLES_MAX: u64 = 4;

/// The cache of phrase tables that were read from the store.
pub struct PhraseTableCache(Cache<PhraseTableId, Arc<PhraseTable>>);

impl Default for PhraseTableCache {
    fn default() -> Self {
        Self(Cache::new(PHRASE_TABLES_MAX))
    }
}

/// Stores the phrase table of the current knowledge base, if that is not done yet. Until then
/// documents contain their texts in full, so a failed call can simply be repeated later.
pub async fn keep(context: &Context) -> Result<(), ServiceError> {
    let library = context.knowledge.load_full();
    if library.stored_phrase_table().is_some() || library.phrase_table().is_empty() {
        return Ok(());
    }
    let phrase_table = Arc::clone(library.phrase_table());
    let packing = tokio::task::spawn_blocking(move || packed(&phrase_table)).await;
    let (id, phrases) = packing.map_err(|cause| ServiceError::Internal(cause.to_string()))??;
    let now = context.clock.now();
    context
        .store
        .store_phrase_table(&id, phrases.into(), now)
        .await?;
    tracing::info!(phrase_table.id = %id, "Documents name the texts of the knowledge base by the numbers of this phrase table.");
    library.phrase_table_is_stored(id);
    Ok(())
}

/// Serializes a phrase table as a JSON list of its phrases, which any program can read.
fn packed(phrase_table: &PhraseTable) -> Result<(PhraseTableId, Vec<u8>), ServiceError> {
    let phrases: Vec<&str> = phrase_table.phrases().collect();
    let bytes = serde_json::to_vec(&phrases);
    let bytes = bytes.map_err(|cause| ServiceError::Internal(cause.to_string()))?;
    let digest = Sha256::digest(&bytes);
    // Every document contains the id, so it is shortened to half of the digest, which is still
    // unique.
    let id = hex::encode(&digest[..16]);
    Ok((id, bytes))
}

fn unpacked(bytes: &[u8]) -> Result<PhraseTable, ServiceError> {
    let phrases: Vec<String> = serde_json::from_slice(bytes).map_err(|cause| {
        ServiceError::Internal(format!("a stored phrase table is unreadable: {cause}"))
    })?;
    Ok(phrases.iter().map(String::as_str).collect())
}

/// Finds a phrase table by its id.
pub(crate) async fn find(context: &Context, id: &str) -> Result<Arc<PhraseTable>, ServiceError> {
    let library = context.knowledge.load();
    if library.stored_phrase_table().is_some_and(|kept| kept == id) {
        return Ok(Arc::clone(library.phrase_table()));
    }
    drop(library);
    if let Some(phrase_table) = context.phrase_tables.0.get(id).await {
        return Ok(phrase_table);
    }
    let bytes = context.store.find_phrase_table(id).await?;
    let bytes = bytes.ok_or_else(|| {
        ServiceError::Internal(format!(
            "a document names the phrase table {id}, which is not stored"
        ))
    })?;
    let phrase_table = Arc::new(unpacked(&bytes)?);
    context
        .phrase_tables
        .0
        .insert(id.to_owned(), Arc::clone(&phrase_table))
        .await;
    Ok(phrase_table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_phrase_table_reads_back() {
        let phrase_table: PhraseTable = ["Rest.", "", "Fièvre \"forte\"\n"].into_iter().collect();
        let (id, bytes) = packed(&phrase_table).unwrap();
        assert_eq!(unpacked(&bytes).unwrap(), phrase_table);
        let other: PhraseTable = ["Rest."].into_iter().collect();
        assert_ne!(packed(&other).unwrap().0, id);
        assert!(unpacked(b"[1]").is_err());
    }
}
