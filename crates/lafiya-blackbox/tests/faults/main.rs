//! What breaks, and what becomes of it. Each test breaks one thing under a steady load, mends it, and
//! counts: nothing acknowledged is lost, nothing is billed twice, health tells the truth within two
//! seconds, and the service recovers by itself within five seconds of the cause ending. `cargo xtask
//! faults` lends the servers that are broken here and gathers the figures.

mod ai_provider;
mod cache;
mod clock;
mod crash;
mod database;
mod disk;
mod fleet;
mod hostile_clients;
mod load;
mod record;
mod upgrade;
mod webhook_receivers;
