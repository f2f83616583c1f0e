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
mod tests {
    use super::*;

    #[test]
    fn contents_are_shared_while_they_are_held_and_the_file_is_the_same() {
        static HELD: Shared<String> = Shared::none();
        let path = std::env::temp_dir().join(format!("playout-shared-{}", std::process::id()));
        let write = |text: &str| fs::write(&path, text).expect("a folder for temporary files");
        let text = |bytes: &[u8]| Ok(String::from_utf8_lossy(bytes).into_owned());
        let open = |reader: &str| HELD.open(&path, reader.to_owned(), text).expect("it can be read");
        write("one");
        let first = open("a");
        assert!(Arc::ptr_eq(&first, &open("a")));
        assert!(!Arc::ptr_eq(&first, &open("b")), "another reader");
        // A file of another length is another one, whatever the clock of the file system says.
        write("others");
        assert_eq!(*open("a"), "others");
        drop(first);
        let error = HELD.open(&path, "c".to_owned(), |_| Err("no text".to_owned())).unwrap_err();
        assert_eq!(error, format!("{}: no text", path.display()));
        fs::remove_file(&path).expect("it is there");
        assert!(HELD.open(&path, "a".to_owned(), text).unwrap_err().starts_with(&path.display().to_string()));
    }
}
