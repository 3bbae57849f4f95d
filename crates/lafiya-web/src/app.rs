//! All routes of the web app, and their shared state.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use lafiya_service::Context;

use crate::{assets, consult, dashboard, docs, knowledge, page, page_request, sign_in};

/// The settings of the web app.
#[derive(Clone, Debug)]
pub struct WebSettings {
    /// The public URL of the service, without a path.
    pub public_url: String,
    /// Whether a user on the server's own machine may consult without signing in.
    pub consult_at_the_machine: bool,
}

impl WebSettings {
    /// Whether cookies may be restricted to HTTPS.
    pub(crate) fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// The state shared by all pages.
pub(crate) struct App {
    pub(crate) context: Arc<Context>,
    pub(crate) settings: WebSettings,
    /// The API's sandbox, for the examples in the documentation. It takes a caller instead of a
    /// key.
    pub(crate) sandbox: Router,
}

/// The pages, to be mounted beside the API.
pub struct Pages {
    /// The routes of the web app.
    pub router: Router,
    /// Renders the page for an unknown path.
    pub not_found: fn(&Request) -> Response,
}

fn dashboard_routes() -> Router<Arc<App>> {
    use dashboard::{
        account, assessments, audit, deliveries, keys, members, operator, usage, webhooks,
    };
    Router::new()
        .route("/dashboard", get(dashboard::home))
        .route("/dashboard/usage", get(usage::page))
        .route("/dashboard/keys", get(keys::page).post(keys::create))
        .route("/dashboard/keys/{id}/rotate", post(keys::rotate))
        .route("/dashboard/keys/{id}/revoke", post(keys::revoke))
        .route("/dashboard/assessments", get(assessments::list))
        .route("/dashboard/assessments/{id}", get(assessments::one))
        .route(
            "/dashboard/assessments/{id}/adverse-events",
            post(assessments::report),
        )
        .route(
            "/dashboard/webhooks",
            get(webhooks::page).post(webhooks::register),
        )
        .route("/dashboard/webhooks/{id}", get(webhooks::one))
        .route("/dashboard/webhooks/{id}/{act}", post(webhooks::change))
        .route(
            "/dashboard/webhooks/{id}/deliveries/{delivery}",
            get(deliveries::one),
        )
        .route(
            "/dashboard/webhooks/{id}/deliveries/{delivery}/retry",
            post(deliveries::retry),
        )
        .route("/dashboard/audit", get(audit::page))
        .route("/dashboard/members", get(members::page).post(members::add))
        .route("/dashboard/members/{id}/{act}", post(members::change))
        .route("/dashboard/account", get(account::page))
        .route("/dashboard/account/password", post(account::password))
        .route("/dashboard/account/codes", post(account::codes))
        .route("/dashboard/operator", get(operator::page))
        .route("/dashboard/operator/tenants", post(operator::change))
}

/// Builds the web app. `sandbox` answers the examples in the documentation; it reads the caller
/// from the request's extensions.
pub fn pages(context: Arc<Context>, settings: WebSettings, sandbox: Router) -> Pages {
    let app = Arc::new(App {
        context,
        settings,
        sandbox,
    });
    let router = Router::new()
        .route("/", get(consult::start::page).post(consult::start::hear))
        .route("/consult/confirm", post(consult::confirm::confirmed))
        .route("/consult/findings", get(consult::confirm::suggestions))
        .route("/consult/{interview}", get(consult::question::page))
        .route("/review", get(consult::start::review))
        .route(
            "/consult/{interview}/patient",
            get(consult::correct::page).post(consult::correct::corrected),
        )
        .route(
            "/consult/{interview}/answer",
            post(consult::question::answered),
        )
        .route("/cases/{assessment}", get(consult::result::page))
        .route("/cases/{assessment}/letter", get(consult::result::letter))
        .route("/sign-in", get(sign_in::page).post(sign_in::attempt))
        .route(
            "/sign-in/link/{token}",
            get(sign_in::link).post(sign_in::follow_link),
        )
        .route("/sign-out", post(sign_in::leave))
        .merge(dashboard_routes())
        .route("/knowledge", get(knowledge::overview))
        .route("/knowledge/conditions", get(knowledge::conditions))
        .route("/knowledge/conditions/{id}", get(knowledge::condition))
        .route("/knowledge/findings", get(knowledge::findings))
        .route("/knowledge/findings/{id}", get(knowledge::finding))
        .route("/knowledge/medicines", get(knowledge::medicines))
        .route("/knowledge/medicines/{id}", get(knowledge::medicine))
        .route("/knowledge/rules", get(knowledge::rules))
        .route("/knowledge/sources", get(knowledge::sources))
        .route("/knowledge/changes", get(knowledge::changes))
        .route("/docs", get(docs::home))
        .route("/docs/", get(docs::home))
        .route("/docs/{*path}", get(docs::page).post(docs::run))
        .layer(from_fn_with_state(Arc::clone(&app), page_request::receive))
        // After the layer: files need neither a session nor a cookie.
        .route("/assets/{version}/{name}", get(assets::serve))
        .route("/favicon.ico", get(assets::icon))
        .with_state(app);
    Pages {
        router,
        not_found: page::not_found,
    }
}
