//! Files that searches share.

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
    #[cfg(unix)]
    assert_eq!(HELD.open(Path::new("/dev/null"), "a".to_owned(), text).unwrap_err(), "/dev/null: not a regular file");
    assert!(HELD.open(&path, "a".to_owned(), text).unwrap_err().starts_with(&path.display().to_string()));
}
