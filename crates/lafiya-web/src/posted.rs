//! A submitted form: its fields in order, already verified to come from one of our own pages.

use std::sync::Arc;

use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::page::Failure;
use crate::page_request::PageRequest;

/// The fields of a form.
pub(crate) struct Posted {
    fields: Vec<(String, String)>,
}

impl FromRequest<Arc<App>> for Posted {
    type Rejection = Response;
    async fn from_request(request: Request, state: &Arc<App>) -> Result<Self, Response> {
        let visit = request.extensions().get::<PageRequest>().cloned();
        let expected = visit.map(|visit| visit.form_token);
        let Form(fields) = Form::<Vec<(String, String)>>::from_request(request, state)
            .await
            .map_err(|_| Failure::Unreadable.into_response())?;
        let posted = Self { fields };
        if expected.as_deref() != Some(posted.text("form_token")) {
            return Err(Failure::Forged.into_response());
        }
        Ok(posted)
    }
}

impl Posted {
    /// Returns a field's text without surrounding spaces; empty if the field is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value.trim())
    }

    /// Returns the fields whose name has a prefix, with the rest of the name, in form order.
    pub(crate) fn with_prefix<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.fields
            .iter()
            .filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, value.trim())))
    }

    /// Returns the whole form as bytes, to recognise it when it is sent again.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (key, value) in &self.fields {
            bytes.extend_from_slice(key.as_bytes());
            bytes.push(0);
            bytes.extend_from_slice(value.as_bytes());
            bytes.push(0);
        }
        bytes
    }
}
