//! The register on disk: one file in the data folder, replaced atomically. A reader sees either the
//! old or the new file, never a mixture.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::register::Facility;

/// The first bytes of the file, including its format version.
const MAGIC: &[u8] = b"lafiya-register-1\n";
const NAME: &str = "facilities.register";

/// The file of an imported register.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    path: PathBuf,
}

/// The reason why a register could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NotARegister {
    /// An I/O error.
    #[error("{path} cannot be used: {cause}")]
    Disk {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// The file is not a register, or has another format version.
    #[error("{0} is not a register of this version; import it again")]
    Unreadable(PathBuf),
}

#[derive(Serialize, Deserialize)]
struct Contents {
    facilities: Vec<Facility>,
}

impl RegisterFile {
    /// Returns the register file in a data folder.
    pub fn in_dir(dir: &Path) -> Self {
        Self {
            path: dir.join(NAME),
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the imported facilities; `None` if nothing was imported.
    pub fn read(&self) -> Result<Option<Vec<Facility>>, NotARegister> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(self.disk(cause)),
        };
        let packed = bytes.strip_prefix(MAGIC);
        let contents = packed.and_then(|packed| postcard::from_bytes::<Contents>(packed).ok());
        match contents {
            Some(contents) => Ok(Some(contents.facilities)),
            None => Err(NotARegister::Unreadable(self.path.clone())),
        }
    }

    /// Replaces the imported facilities: writes a temporary file, syncs it, then renames it.
    pub fn replace(&self, facilities: Vec<Facility>) -> Result<(), NotARegister> {
        let packed = postcard::to_stdvec(&Contents { facilities })
            .map_err(|cause| self.disk(std::io::Error::other(cause)))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(MAGIC)?;
            file.write_all(&packed)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|refused| refused.error)?;
            fs::File::open(folder)?.sync_all()
        };
        write().map_err(|cause| self.disk(cause))
    }

    fn disk(&self, cause: std::io::Error) -> NotARegister {
        NotARegister::Disk {
            path: self.path.clone(),
            cause,
        }
    }
}
