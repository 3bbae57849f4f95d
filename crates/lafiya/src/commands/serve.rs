//! `lafiya serve`: runs the service from start to graceful shutdown.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Command;
use lafiya_http::{ConnectionThreads, EdgeService, HttpState, Listening, Pages};
use lafiya_service::keeping::Retention;
use lafiya_service::{Context, authenticate, keeping, phrase_tables};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::serve_reload::Folders;
use super::{first_start, say};
use crate::settings::{Settings, processors};
use crate::wiring;

/// Interval between writes of the key counters, and between purges of expired rows.
const KEY_USE_WRITTEN_EVERY: Duration = Duration::from_secs(2);
const PURGED_EVERY: Duration = Duration::from_secs(300);
/// Interval between checks that the store has the phrase table of the current knowledge base, which
/// may have been reloaded.
const PHRASE_TABLE_CHECK_EVERY: Duration = Duration::from_secs(5);

pub(super) fn command() -> Command {
    Command::new("serve").about("Serve the API (what `lafiya` does without a command)")
}

pub(super) async fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    let admin_address = settings.admin_listen()?;
    let metrics = match admin_address {
        Some(_) => Some(lafiya_http::admin::collect_metrics().map_err(anyhow::Error::msg)?),
        None => None,
    };
    // Before the database is opened, so that a refused start leaves nothing behind.
    settings.require_data_key()?;
    let context = Arc::new(wiring::context(settings).await?);
    // Before the address is bound: a service that cannot read its documents must not answer.
    wiring::settle_data_keys(&context).await?;
    let listening = Listening::bind(settings.listen)
        .await
        .with_context(|| format!("the address {} cannot be used", settings.listen))?;
    // Bound before a first start creates keys: they are shown only once, so a failure must come
    // first.
    let admin_listener = match admin_address {
        Some(address) => Some(admin_listener(address).await?),
        None => None,
    };
    let public_url = settings.public_url(listening.address);
    let first = first_start::prepare(&context, &public_url).await?;
    let told = first.map(|first| first_start::told(&first, &settings.data_dir));
    greet(&public_url, told.as_deref());

    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    if let Some((handle, listener)) = metrics.zip(admin_listener) {
        tracing::info!(address = %listener.local_addr()?, "The operator's listener is up.");
        tasks.spawn(lafiya_http::admin::keep_up(handle.clone(), stop.clone()));
        let router = lafiya_http::admin::router(handle, Arc::clone(&context));
        let stopped = stop.clone();
        tasks.spawn(async move {
            let serving =
                axum::serve(listener, router).with_graceful_shutdown(stopped.cancelled_owned());
            if let Err(cause) = serving.await {
                tracing::error!(%cause, "The operator's listener ended.");
            }
        });
    }
    tasks.spawn(write_key_use(Arc::clone(&context), stop.clone()));
    tasks.spawn(purge(
        Arc::clone(&context),
        settings.retention(),
        stop.clone(),
    ));
    tasks.spawn(super::serve_webhooks::deliver(
        Arc::clone(&context),
        settings.webhooks(),
        stop.clone(),
    ));
    tasks.spawn(super::serve_webhooks::do_chores(
        Arc::clone(&context),
        settings.chores_interval(),
        stop.clone(),
    ));
    tasks.spawn(keep_book(Arc::clone(&context), stop.clone()));
    tasks.spawn(stop_on_signal(stop.clone())?);
    tasks.spawn(super::serve_reload::reload_on_hangup(
        Arc::clone(&context),
        Folders {
            knowledge: settings.knowledge_dir().map(Into::into),
            data: settings.data_dir.clone(),
        },
        stop.clone(),
    )?);

    // Dropped after everything has finished, because work in the store may have been started on one
    // of these threads.
    let connection_threads = connection_threads(settings)?;
    let http_settings = settings.http(listening.address)?;
    let state = HttpState::new(Arc::clone(&context), http_settings.clone());
    let web = lafiya_web::pages(
        Arc::clone(&context),
        settings.web(listening.address),
        lafiya_http::sandbox(Arc::clone(&state)),
    );
    let pages = Pages {
        router: web.router,
        not_found: web.not_found,
    };
    let edge = EdgeService::new(state, pages);
    let library = context.knowledge.load_full();
    // On its own thread, so that a shutdown need not wait for it.
    std::thread::spawn(move || library.prepare());
    tracing::info!(address = %listening.address, knowledge.version = %context.knowledge.load().version().version, "Lafiya is ready.");
    lafiya_http::serve(
        listening,
        edge,
        &http_settings,
        &connection_threads,
        stop.cancelled(),
    )
    .await;

    // All requests are finished; stop the background tasks.
    stop.cancel();
    tasks.close();
    // A task that hangs must not prevent the store from closing.
    let _ = tokio::time::timeout(Duration::from_secs(5), tasks.wait()).await;
    // Once more: the timer may have stopped before the last requests were counted.
    authenticate::write_key_use(&context).await;
    // Last, because everything above may still write.
    context.store.close().await;
    tracing::info!("Lafiya has stopped.");
    Ok(ExitCode::SUCCESS)
}

async fn admin_listener(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .with_context(|| format!("admin_listen {address} cannot be used"))
}

/// Starts one connection thread per CPU if requests are answered without other servers.
fn connection_threads(settings: &Settings) -> anyhow::Result<ConnectionThreads> {
    if !settings.answers_alone()? {
        return Ok(ConnectionThreads::none());
    }
    ConnectionThreads::open(processors()).context("no threads to answer on")
}

async fn write_key_use(context: Arc<Context>, stop: CancellationToken) {
    while stop
        .run_until_cancelled(tokio::time::sleep(KEY_USE_WRITTEN_EVERY))
        .await
        .is_some()
    {
        authenticate::write_key_use(&context).await;
    }
}

/// Purges at startup and then at intervals, because a service may be restarted more often than it
/// purges.
async fn purge(context: Arc<Context>, retention: Retention, stop: CancellationToken) {
    loop {
        let purging = stop.run_until_cancelled(keeping::purge(&context, retention));
        match purging.await {
            None => return,
            Some(Ok(0)) => {}
            Some(Ok(rows)) => tracing::info!(rows, "Removed what has expired."),
            Some(Err(cause)) => {
                tracing::warn!(%cause, "Expired rows could not be removed; tried again later.");
            }
        }
        let resting = stop.run_until_cancelled(tokio::time::sleep(PURGED_EVERY));
        if resting.await.is_none() {
            return;
        }
    }
}

async fn keep_book(context: Arc<Context>, stop: CancellationToken) {
    loop {
        if let Err(cause) = phrase_tables::keep(&context).await {
            tracing::warn!(%cause, "The texts of the knowledge base could not be kept; documents are written in full.");
        }
        let resting = stop.run_until_cancelled(tokio::time::sleep(PHRASE_TABLE_CHECK_EVERY));
        if resting.await.is_none() {
            return;
        }
    }
}

fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => tracing::info!("Asked to stop; running requests are finished first."),
            _ = interrupt.recv() => tracing::info!("Interrupted; running requests are finished first."),
            () = stop.cancelled() => {}
        }
        stop.cancel();
    })
}

/// Prints the greeting. The service runs even if it cannot be printed.
fn greet(public_url: &str, first_start: Option<&str>) {
    if let Err(cause) = say(greeting(public_url, first_start)) {
        tracing::warn!(%cause, "The addresses could not be printed.");
    }
}

fn greeting(public_url: &str, first_start: Option<&str>) -> String {
    let mut lines = vec![
        format!("Lafiya {}", env!("CARGO_PKG_VERSION")),
        format!("  API       {public_url}/v1"),
        format!("  API docs  {public_url}/docs/api/"),
        format!("  Docs      {public_url}/docs"),
        format!("  Web app   {public_url}/"),
    ];
    if let Some(first_start) = first_start {
        lines.extend([String::new(), first_start.to_owned()]);
    }
    lines.push(String::new());
    lines.join("\n")
}
