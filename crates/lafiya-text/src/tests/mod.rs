//! Tests over the real base.
