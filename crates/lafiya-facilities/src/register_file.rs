//! The register on disk: one file in the data folder, replaced as a whole. A reader sees the old one
//! or the new one, never half of either.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::register::Facility;

/// What the file begins with; another form of it has another number.
const MAGIC: &[u8] = b"lafiya-register-1\n";
const NAME: &str = "facilities.register";

/// Where an imported register is kept.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    path: PathBuf,
}

/// Why a register cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NotARegister {
    /// The disk says no.
    #[error("{path} cannot be used: {cause}")]
    Disk {
        /// Which file.
        path: PathBuf,
        /// What the disk says.
        cause: std::io::Error,
    },
    /// It is not a register, or one of another version.
    #[error("{0} is not a register of this version; import it again")]
    Unreadable(PathBuf),
}

#[derive(Serialize, Deserialize)]
struct Contents {
    facilities: Vec<Facility>,
}

impl RegisterFile {
    /// The register of a data folder.
    pub fn in_dir(dir: &Path) -> Self {
        Self {
            path: dir.join(NAME),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was imported; `None` where nothing was.
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

    /// Replaces what was imported: written beside, made durable, then moved over.
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
