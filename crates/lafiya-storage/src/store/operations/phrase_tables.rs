//! Phrase tables: the texts that assessment documents refer to by number.

use bytes::Bytes;
use jiff::Timestamp;

use crate::store::StoreError;
use crate::store::connection::{Connection, sql};

/// Stores a phrase table unless it already exists.
pub(in crate::store) async fn keep(
    connection: &mut Connection,
    id: &str,
    phrases: &Bytes,
    now: Timestamp,
) -> Result<(), StoreError> {
    let kept = sql("select id from book where id = $1").bind(id);
    if kept.optional(connection).await?.is_some() {
        return Ok(());
    }
    sql("insert into book (id, phrases, kept_at) values ($1, $2, $3) on conflict (id) do nothing")
        .bind(id)
        .bind(phrases)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::store) async fn find(
    connection: &mut Connection,
    id: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let row = sql("select phrases from book where id = $1").bind(id);
    let row = row.optional(connection).await?;
    row.map(|row| row.bytes("phrases")).transpose()
}
