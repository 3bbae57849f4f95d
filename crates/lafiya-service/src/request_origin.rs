//! The origin of a request. The HTTP edge attaches it to every request; the web app reads it.

use std::net::IpAddr;

use lafiya_model::RequestId;

/// The origin of a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestOrigin {
    /// The request id.
    pub request: RequestId,
    /// The address that the request is counted against.
    pub address: IpAddr,
    /// The peer address of the connection; a proxy's if there is one.
    pub peer: IpAddr,
}
