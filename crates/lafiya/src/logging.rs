//! Logging as text or JSON, on standard error so that standard output is free for command output;
//! and traces to a collector, if the binary is built with support for it.

use std::io::IsTerminal;

use anyhow::{Context, ensure};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::settings::{LogFormat, Settings};

/// Starts logging for the whole process.
pub(crate) fn start(settings: &Settings) -> anyhow::Result<()> {
    let registry = tracing_subscriber::registry()
        .with(filter(&settings.log_level)?)
        .with(log_layer(settings.log_format));
    #[cfg(feature = "otel")]
    let registry = registry.with(traces::layer(&settings.otlp_endpoint)?);
    registry.init();
    Ok(())
}

/// Parses `log_level` into a filter. A word that is not a level would be read as the name of a
/// module and silence all others, so it is refused.
pub(crate) fn filter(log_level: &str) -> anyhow::Result<EnvFilter> {
    let words = log_level.split(',').map(str::trim);
    for word in words.filter(|word| !word.is_empty() && !word.contains(['=', '['])) {
        ensure!(
            word.parse::<LevelFilter>().is_ok(),
            "log_level: `{word}` is no level; write error, warn, info, debug, trace or off, \
             or a part with its level such as lafiya_http=debug"
        );
    }
    EnvFilter::try_new(log_level).context("log_level is not a valid filter")
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
        // The request span is written once, not again in the list of parent spans.
        LogFormat::Json => layer
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
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

    /// Returns a layer that sends spans to the collector; `None` if no address is set.
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

#[cfg(test)]
mod tests {
    use super::filter;

    #[test]
    fn an_unknown_level_is_refused_with_a_message() {
        for wrong in ["inof", "info,debgu", "lafiya_http", "lafiya_http=inof"] {
            let said = filter(wrong).map(|_| ()).unwrap_err().to_string();
            assert!(said.starts_with("log_level"), "{wrong}: {said}");
        }
    }

    #[test]
    fn levels_and_filters_are_accepted() {
        for right in ["info", "WARN", "off", "info,lafiya_http=debug"] {
            assert!(filter(right).is_ok(), "{right}");
        }
    }
}
