//! Fault tests. Each test breaks one thing under a steady load, repairs it, and checks: nothing
//! acknowledged is lost, nothing is billed twice, `/health` is correct within 2 s, and the service
//! recovers by itself within 5 s of the end of the fault. `cargo xtask faults` provides the servers
//! that are broken here and collects the figures.

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
