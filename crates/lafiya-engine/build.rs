//! Names the reasoning after its source: a hash over every file in `src/` but the tests. A version that
//! somebody has to remember to raise is never raised.

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
        // The same on a checkout with other line ends.
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

/// FNV-1a with 64 bits: enough to tell versions apart, and the same wherever it is built.
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
