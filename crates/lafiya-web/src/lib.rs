//! The web app: consultation, knowledge, dashboard and documentation as HTML pages. It renders the
//! results of the use cases in `lafiya-service` and makes no clinical decision. Every page works
//! without scripts. `visit` identifies the user, `page` renders responses, `app` lists the routes.
#![warn(missing_docs)]

mod app;
mod assets;
mod consult;
mod dashboard;
mod docs;
mod knowledge;
mod page;

mod page_request;
mod plot;
mod posted;
mod redirect;
mod sign_in;
mod words;

pub use app::{Pages, WebSettings, pages};
pub use page_request::leads_to_this_machine;
