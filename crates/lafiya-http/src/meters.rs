//! Request counts and durations. The metric handles of a route are looked up once per thread and
//! cached: a lookup for every request would take as long as the counting.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram};

/// The metric handles of one route.
struct Route {
    seconds: Histogram,
    /// By method and status. A list is enough, because there are few combinations.
    requests: Vec<((&'static str, StatusCode), Counter)>,
}

thread_local! {
    static ROUTES: RefCell<HashMap<Box<str>, Route>> = RefCell::default();
}

/// Counts one answered request.
pub(crate) fn count(route: &str, method: &Method, status: StatusCode, took: Duration) {
    let count = |meters: &mut Route| {
        meters.seconds.record(took.as_secs_f64());
        meters.requests(route, name(method), status).increment(1);
    };
    ROUTES.with_borrow_mut(|routes| match routes.get_mut(route) {
        Some(meters) => count(meters),
        None => count(routes.entry(route.into()).or_insert(Route::of(route))),
    });
}

impl Route {
    fn of(route: &str) -> Self {
        Self {
            seconds: metrics::histogram!("lafiya_http_request_seconds", "route" => route.to_owned()),
            requests: Vec::new(),
        }
    }

    fn requests(&mut self, route: &str, method: &'static str, status: StatusCode) -> &Counter {
        let mut known = self.requests.iter();
        let known = known.position(|(of, _)| *of == (method, status));
        let place = known.unwrap_or_else(|| {
            let labels = [
                ("route", route.to_owned()),
                ("method", method.to_owned()),
                ("status", status.as_u16().to_string()),
            ];
            let counter = metrics::counter!("lafiya_http_requests_total", &labels);
            self.requests.push(((method, status), counter));
            self.requests.len() - 1
        });
        &self.requests[place].1
    }
}

/// Returns the label of a method. Unknown methods share one label, because each label creates a
/// time series.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::HEAD => "HEAD",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
