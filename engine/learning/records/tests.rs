//! Files that come back, are cut off, damaged, or of another game.

use std::{fs, path::PathBuf};

use playout_games::{Params, connect_four::ConnectFour};

use super::*;

/// A path of its own in the folder for temporary files.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("playout-records-{}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

fn game() -> ConnectFour {
    ConnectFour::new(&Params::default()).unwrap()
}

fn label() -> Label {
    Label { game: "connect_four:columns=7,rows=6".to_owned(), inputs: "connect-four-7x6-1".to_owned() }
}

/// The first player wins in the first column.
fn record(seed: u64) -> GameRecord {
    let visits = |action| Searched::Visits(0.25, vec![(action, 60), (3, 40)]);
    let plies = [0, 1, 0, 1, 0, 1, 0].into_iter().zip(0..);
    let searched = |action, number| match number % 3 {
        0 => Searched::Not,
        1 => Searched::Value(-1.0),
        _ => visits(action),
    };
    let plies = plies.map(|(action, number)| Ply { action, searched: searched(action, number) }).collect();
    GameRecord { seed, start: None, result: 1.0, plies }
}

fn all(path: &std::path::Path) -> Result<(Vec<GameRecord>, Option<String>), String> {
    let mut reader = Reader::open(path, &game(), &label())?;
    let mut records = Vec::new();
    while let Some(some) = reader.next(&game())? {
        records.extend(some);
    }
    Ok((records, reader.damage()))
}

#[test]
fn games_come_back_from_a_file() {
    let path = path("back");
    let mut writer = Writer::open(&path, &game(), &label()).unwrap();
    writer.append(&game(), &[record(1), record(2)]).unwrap();
    drop(writer);
    let mut writer = Writer::open(&path, &game(), &label()).unwrap();
    assert_eq!(writer.games(), 2);
    let other = GameRecord { start: Some("a text".to_owned()), ..record(3) };
    writer.append(&game(), std::slice::from_ref(&other)).unwrap();
    assert_eq!(all(&path), Ok((vec![record(1), record(2), other], None)));
    fs::remove_file(path).unwrap();
}

#[test]
fn a_file_that_was_cut_anywhere_goes_on_from_its_last_whole_frame() {
    let path = path("cut");
    let mut writer = Writer::open(&path, &game(), &label()).unwrap();
    let head = fs::metadata(&path).unwrap().len();
    writer.append(&game(), &[record(1)]).unwrap();
    let one = fs::metadata(&path).unwrap().len();
    writer.append(&game(), &[record(2)]).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() as u64 {
        fs::write(&path, &whole[..length as usize]).unwrap();
        let kept = u64::from(length >= one);
        if length >= head {
            let (records, damage) = all(&path).unwrap();
            assert_eq!((records.len() as u64, damage.is_some()), (kept, length != head && length != one));
        }
        let mut writer = Writer::open(&path, &game(), &label()).unwrap();
        assert_eq!(writer.games(), kept);
        writer.append(&game(), &[record(9)]).unwrap();
        let (records, damage) = all(&path).unwrap();
        assert_eq!((records.len() as u64, damage), (kept + 1, None));
    }
    let mut damaged = whole;
    damaged[one as usize + 12] ^= 1;
    fs::write(&path, damaged).unwrap();
    let (records, damage) = all(&path).unwrap();
    assert_eq!(records, [record(1)]);
    assert!(damage.unwrap().ends_with("is cut off or damaged; only what comes before it is used"));
    fs::remove_file(path).unwrap();
}

#[test]
fn a_file_that_is_none_or_of_another_game_is_refused_by_name() {
    let path = path("other");
    let refused = |what: &str| {
        let error = all(&path).unwrap_err();
        assert!(error.contains(&path.display().to_string()) && error.contains(what), "{error}");
    };
    refused("No such file");
    fs::write(&path, "something else, that is long enough to have a label").unwrap();
    refused("not a file of records");
    assert!(Writer::open(&path, &game(), &label()).is_err());
    fs::remove_file(&path).unwrap();
    let other = Label { game: "hex:size=11".to_owned(), ..label() };
    Writer::open(&path, &game(), &other).unwrap();
    refused("its game is \"hex:size=11\" instead of \"connect_four:columns=7,rows=6\"");
    assert!(Writer::open(&path, &game(), &label()).is_err());
    fs::remove_file(path).unwrap();
}

#[test]
fn contents_that_are_wrong_are_refused_by_record() {
    let path = path("wrong");
    let refused = |bad: GameRecord, what: &str| {
        let _ = fs::remove_file(&path);
        let mut writer = Writer::open(&path, &game(), &label()).unwrap();
        writer.append(&game(), &[record(1), bad]).unwrap();
        let error = all(&path).unwrap_err();
        assert!(error.contains("record 2: ") && error.contains(what), "{error}");
    };
    refused(GameRecord { result: f32::NAN, ..record(2) }, "the result is NaN");
    let mut bad = record(2);
    bad.plies[1].searched = Searched::Value(1.5);
    refused(bad.clone(), "the value of a position is 1.5");
    bad.plies[1].searched = Searched::Visits(0.0, Vec::new());
    refused(bad, "ply 2 is of the kind 2 with 0 visited moves");
    fs::remove_file(path).unwrap();
}

/// The record of a game of these columns.
fn taken(columns: &str, result: f32, lessons: Option<&[Lesson]>, seed: u64) -> Result<GameRecord, String> {
    let moves: Vec<String> = columns.split(' ').map(str::to_owned).collect();
    given(&game(), &Given { start: None, result, moves: &moves, lessons }, seed)
}

#[test]
fn what_is_to_be_learned_may_be_another_move_and_a_value() {
    let lesson = |text: Option<&str>, value| (text.map(str::to_owned), value);
    let lessons =
        [lesson(Some("c"), Some(0.5)), lesson(None, Some(-0.25)), lesson(Some("d"), None), lesson(None, None)];
    let record = taken("a b a b", 0.0, Some(&lessons), 7).unwrap();
    let searched: Vec<Searched> = record.plies.into_iter().map(|ply| ply.searched).collect();
    let expected =
        [Searched::Visits(0.5, vec![(2, 1)]), Searched::Value(-0.25), Searched::Given(vec![(3, 1)]), Searched::Not];
    assert_eq!(searched, expected);
    let refused = |lessons: &[Lesson]| taken("a b", 0.0, Some(lessons), 0).unwrap_err();
    assert_eq!(refused(&lessons), "4 lessons for 2 moves");
    assert_eq!(refused(&[lesson(None, None), lesson(Some("z"), None)]), "ply 2: \"z\" is illegal");
    assert!(refused(&[lesson(None, Some(1.5)), lesson(None, None)]).starts_with("ply 1: the value "));
}

#[test]
fn a_game_that_was_played_elsewhere_is_a_record_of_its_moves() {
    let record = taken("a b a b a b a", 0.0, None, 7).unwrap();
    let plies = [0, 1, 0, 1, 0, 1, 0].map(|action| Ply { action, searched: Searched::Given(vec![(action, 1)]) });
    // The rules give the result of a game that is over.
    assert_eq!(record, GameRecord { seed: 7, start: None, result: 1.0, plies: plies.into() });
    let open = taken("a b", -1.0, None, 8).unwrap();
    assert_eq!((open.result, open.plies.len()), (-1.0, 2));
    let refused = |columns| taken(columns, 0.0, None, 0).unwrap_err();
    assert_eq!(refused("a i"), "ply 2, \"i\", is illegal");
    assert_eq!(refused("a a a a a a a"), "ply 7, \"a\", is illegal");
    assert_eq!(refused("a b a b a b a b"), "the game is over before ply 8");
    let path = path("given");
    Writer::open(&path, &game(), &label()).unwrap().append(&game(), &[record.clone(), open.clone()]).unwrap();
    assert_eq!(all(&path), Ok((vec![record, open], None)));
    fs::remove_file(path).unwrap();
}
