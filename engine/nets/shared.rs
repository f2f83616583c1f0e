//! Contents of files that all searches of a process share, as long as one of them holds them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::SystemTime,
};

/// A file as it was read.
#[derive(PartialEq)]
struct Source {
    path: PathBuf,
    written: SystemTime,
    length: u64,
    reader: String,
}

/// The files of one kind that are held.
pub struct Shared<T>(Mutex<Vec<(Source, Weak<T>)>>);

impl<T> Shared<T> {
    pub const fn none() -> Shared<T> {
        Shared(Mutex::new(Vec::new()))
    }

    /// The contents of a file, read by `read` unless they are held: the same file, unchanged, by the same `reader`, which
    /// says all that the contents depend on besides the file.
    ///
    /// # Errors
    ///
    /// One line that names the file and what is wrong with it.
    pub fn open(
        &self,
        path: &Path,
        reader: String,
        read: impl FnOnce(&[u8]) -> Result<T, String>,
    ) -> Result<Arc<T>, String> {
        let wrong = |what: String| format!("{}: {what}", path.display());
        let failed = |error: io::Error| wrong(error.to_string());
        let about = fs::metadata(path).map_err(failed)?;
        if !about.is_file() && !about.is_dir() {
            return Err(wrong("not a regular file".to_owned()));
        }
        let written = about.modified().map_err(failed)?;
        let source = Source { path: path.to_owned(), written, length: about.len(), reader };
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(_, contents)| contents.strong_count() > 0);
        let known = held.iter().find(|(known, _)| *known == source);
        if let Some(contents) = known.and_then(|(_, contents)| contents.upgrade()) {
            return Ok(contents);
        }
        let contents = Arc::new(read(&fs::read(path).map_err(failed)?).map_err(wrong)?);
        held.push((source, Arc::downgrade(&contents)));
        Ok(contents)
    }
}

#[cfg(test)]
mod tests;
