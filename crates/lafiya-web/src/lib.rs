//! The web app: consult, knowledge, dashboard and documentation as plain pages. It renders what the
//! use cases in `lafiya-service` answer and decides nothing clinical. Every page works without
//! scripts; `visit` says who is looking, `page` how an answer leaves, `app` lists the routes.
#![warn(missing_docs)]

mod app;
mod assets;
mod consult;
mod dashboard;
mod docs;
mod knowledge;
mod page;

mod plot;
mod posted;
mod redirect;
mod sign_in;
mod visit;
mod words;

pub use app::{Pages, WebSettings, pages};
pub use visit::leads_to_this_machine;
