//! Logs, for people or as JSON, on standard error so that standard output stays for answers; and
//! traces to a collector, where the binary is built for it.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::settings::{LogFormat, Settings};

/// Starts logging for the whole process.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let filter =
        EnvFilter::try_new(&settings.log_level).context("log_level is not a valid filter")?;
    let registry = tracing_subscriber::registry()
        .with(filter)
        .with(log_layer(settings.log_format));
    #[cfg(feature = "otel")]
    let registry = registry.with(traces::layer(&settings.otlp_endpoint)?);
    registry.init();
    Ok(())
}

fn log_layer<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span>,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    match format {
        LogFormat::Pretty => layer
            .with_target(false)
            .with_ansi(std::io::stderr().is_terminal())
            .boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    }
}

#[cfg(feature = "otel")]
mod traces {
    use anyhow::Context;
    use opentelemetry::trace::TracerProvider;
    use opentelemetry_otlp::{SpanExporter, WithExportConfig};
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing_subscriber::Layer;
    use tracing_subscriber::registry::LookupSpan;

    /// Sends spans to the collector; `None` where no address is set.
    pub(super) fn layer<S>(endpoint: &str) -> anyhow::Result<Option<impl Layer<S> + use<S>>>
    where
        S: tracing::Subscriber + for<'span> LookupSpan<'span>,
    {
        if endpoint.is_empty() {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(endpoint)
            .build()
            .context("otlp_endpoint cannot be used")?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .build();
        Ok(Some(
            tracing_opentelemetry::layer().with_tracer(provider.tracer("lafiya")),
        ))
    }
}
