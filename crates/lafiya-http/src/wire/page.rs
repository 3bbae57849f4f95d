//! Pages of a tenant's own records: the same parameters and the same two forms as the reference
//! lists.

use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use lafiya_service::webhooks::PageOf;
use serde::Serialize;
use utoipa::IntoParams;

use crate::json::Json;
use crate::wire::query::Params;

const LIMIT_DEFAULT: u64 = 20;
const LIMIT_MAX: u64 = 50;
/// Both databases use signed 64-bit offsets.
pub(crate) const OFFSET_MAX: u64 = i64::MAX as u64;

/// Parameters of a page.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "documents what `read_page` reads")]
pub(crate) struct PageParams {
    /// Page size
    #[param(minimum = 1, maximum = 50, default = 20)]
    limit: Option<u32>,
    /// Results to skip
    #[param(minimum = 0, default = 0)]
    offset: Option<u64>,
    /// `true` wraps the list in an object with `total`
    #[param(default = false)]
    envelope: Option<bool>,
}

/// Whether a list is a bare array or an object with its total.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Bare,
    Envelope,
}

pub(crate) fn read_page(params: &mut Params) -> (PageOf, Form) {
    let limit = params.integer("limit", 1..=LIMIT_MAX, LIMIT_DEFAULT);
    let page = PageOf {
        limit: u32::try_from(limit).unwrap_or(u32::MAX),
        offset: params.integer("offset", 0..=OFFSET_MAX, 0),
    };
    (page, read_form(params))
}

pub(crate) fn read_form(params: &mut Params) -> Form {
    if params.flag("envelope") {
        Form::Envelope
    } else {
        Form::Bare
    }
}

/// Returns one page of `total` items.
pub(crate) fn answer_page<T: Serialize>(
    items: &[T],
    total: u64,
    envelope_name: &'static str,
    form: Form,
) -> Response {
    let mut response = match form {
        Form::Bare => Json(items).into_response(),
        Form::Envelope => {
            Json(serde_json::json!({ envelope_name: items, "total": total })).into_response()
        }
    };
    response
        .headers_mut()
        .insert("x-total-count", HeaderValue::from(total));
    response
}
