//! Resolves the patient's location and finds the nearest facility that can help.
//!
//! [`Atlas`] resolves text or coordinates to a [`Located`] place. [`Need`] says what an assessment
//! requires of a facility. [`Register`] stores facilities and finds the nearest suitable ones.
//! [`import`] reads the registers of operators. Nothing here names a disease, logs a place or uses
//! the network.
#![warn(missing_docs)]

mod areas;
mod atlas;
mod candidates;
mod distance;
mod fold;
mod gazetteer;
pub mod import;
mod mentions;
mod nearest;
mod need;
mod register;
mod register_file;
mod spatial_index;
mod types;

pub use atlas::{Atlas, Located, Precision};
pub use distance::distance_km;
pub use nearest::{FACILITIES_MAX, nearest_facilities};
pub use need::Need;
pub use register::{Facility, Found, Register, Services};
pub use register_file::{NotARegister, RegisterFile};
pub use types::Types;
