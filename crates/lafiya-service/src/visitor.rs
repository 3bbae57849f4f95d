//! Where a request comes from, as the edge saw it. The HTTP edge puts one on every request; the web
//! app reads it.

use std::net::IpAddr;

use lafiya_model::RequestId;

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub struct Visitor {
    /// The id of the request.
    pub request: RequestId,
    /// The address the request is counted against.
    pub address: IpAddr,
    /// The address at the other end of the connection: a proxy's, where there is one.
    pub peer: IpAddr,
}
