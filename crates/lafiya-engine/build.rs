//! Computes the engine version: a hash over every file in `src/` except the tests. A version number
//! that has to be raised by hand gets forgotten.

#![expect(
    clippy::disallowed_methods,
    reason = "the build script reads source files; the crate itself does not"
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let root = Path::new("src");
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut hash = Fnv1a::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy();
        hash.update(name.replace('\\', "/").as_bytes());
        hash.update(&[0]);
        // Gives the same hash on a checkout with CRLF line endings.
        hash.update(fs::read_to_string(&file)?.replace("\r\n", "\n").as_bytes());
        hash.update(&[0]);
    }
    println!("cargo::rustc-env=LAFIYA_ENGINE_SOURCE={:016x}", hash.0);
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// A 64-bit FNV-1a hash: enough to tell versions apart, and the same on every platform.
struct Fnv1a(u64);

impl Fnv1a {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
