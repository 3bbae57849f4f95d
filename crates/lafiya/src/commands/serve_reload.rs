//! SIGHUP reads the knowledge folder again. A broken base is refused and the old one stays.

use std::path::PathBuf;
use std::sync::Arc;

use lafiya_knowledge::KnowledgeBase;
use lafiya_service::{Context, Library};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub(super) fn reload_on_hangup(
    context: Arc<Context>,
    dir: Option<PathBuf>,
    stop: CancellationToken,
) -> anyhow::Result<impl Future<Output = ()>> {
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        let Some(dir) = dir else { return };
        while let Some(Some(())) = stop.run_until_cancelled(hangup.recv()).await {
            let folder = dir.clone();
            // Reading and checking is work for a thread of its own.
            match tokio::task::spawn_blocking(move || KnowledgeBase::from_dir(&folder)).await {
                Ok(Ok(base)) => {
                    tracing::info!(knowledge.version = %base.version().version, "The knowledge base was read again.");
                    context.knowledge.store(Arc::new(Library::new(base)));
                }
                Ok(Err(cause)) => {
                    tracing::error!(%cause, "The new knowledge base is refused; the old one stays.");
                }
                Err(cause) => {
                    tracing::error!(%cause, "Reading the knowledge base failed; the old one stays.");
                }
            }
        }
    })
}
