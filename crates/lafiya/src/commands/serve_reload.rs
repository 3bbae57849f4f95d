//! Reloads the knowledge directory and the imported facilities on SIGHUP. Invalid content is
//! refused and the old one is kept.

use std::path::PathBuf;
use std::sync::Arc;

use lafiya_knowledge::KnowledgeBase;
use lafiya_service::{Context, Library};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::wiring;

/// The directories to reload from.
#[derive(Clone)]
pub(super) struct Folders {
    /// The knowledge directory; `None` for the embedded base, which never changes.
    pub(super) knowledge: Option<PathBuf>,
    /// The directory of imported facilities.
    pub(super) data: PathBuf,
}

pub(super) fn reload_on_hangup(
    context: Arc<Context>,
    folders: Folders,
    stop: CancellationToken,
) -> anyhow::Result<impl Future<Output = ()>> {
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        while let Some(Some(())) = stop.run_until_cancelled(hangup.recv()).await {
            let (context, folders) = (Arc::clone(&context), folders.clone());
            // Loading and validation are CPU-bound, so they run on a blocking thread.
            let reading = tokio::task::spawn_blocking(move || reload(&context, &folders));
            if let Err(cause) = reading.await {
                tracing::error!(%cause, "Reading again failed; what was there stays.");
            }
        }
    })
}

fn reload(context: &Context, folders: &Folders) {
    if let Some(folder) = &folders.knowledge {
        match KnowledgeBase::from_dir(folder) {
            Ok(base) => {
                tracing::info!(knowledge.version = %base.version().version, "The knowledge base was read again.");
                let library = Library::new(base);
                library.prepare();
                context.knowledge.store(Arc::new(library));
            }
            Err(cause) => {
                tracing::error!(%cause, "The new knowledge base is refused; the old one stays.");
            }
        }
    }
    // After the knowledge base, which defines the facility types.
    let types = context.knowledge.load().facility_types();
    match wiring::register(&folders.data, types) {
        Ok(register) => {
            tracing::info!(
                facilities = register.len(),
                "The facilities were read again."
            );
            context.facilities.store(Arc::new(register));
        }
        Err(cause) => {
            tracing::error!(%cause, "The new facilities are refused; the old ones stay.");
        }
    }
}
