//! The `lafiya` binary: command line, settings, wiring, shutdown. No domain logic.
// `println!` panics on a closed pipe; `commands::say` handles it.
#![deny(clippy::print_stdout)]

mod commands;
mod logging;
mod settings;
mod wiring;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // One crypto provider for the whole process, before anything can open a TLS connection.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments = commands::command_line().get_matches();
    match commands::run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("lafiya: {error:#}");
            ExitCode::from(2)
        }
    }
}
