use std::time::Duration;

use playout_games::{
    Params, Rng, backgammon::Backgammon, chess::Chess, connect_four::ConnectFour, go::Go, tic_tac_toe::TicTacToe,
};

use super::*;
use crate::{Config, Control, Leaf, Limits, Parallelism, SearchReport};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("playout-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("the system has a folder for such");
        Folder(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("graph")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it stands");
        entries.map(|entry| entry.expect("it stands").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn params(pairs: &[(&str, &str)]) -> Params {
    Params(pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn connect_four() -> ConnectFour {
    ConnectFour::new(&Params::default()).expect("the default rules")
}

fn go() -> Go {
    Go::new(&params(&[("size", "5")])).expect("the board is legal")
}

fn label() -> Label {
    Label { game: "a game".to_owned(), start: "its start".to_owned() }
}

fn run<G: Game>(search: &mut Search<G>, nodes: u64) -> SearchReport {
    let limits = Limits { nodes: Some(nodes), past_proof: true, ..Limits::default() };
    search.run(limits, &Control::default(), Duration::from_secs(60), 9, &mut |_, _, _| {}).report
}

fn same(a: &SearchReport, b: &SearchReport) {
    let facts = |report: &SearchReport| format!("{:?}", SearchReport { seconds: 0.0, fill: 0.0, ..report.clone() });
    assert_eq!(facts(a), facts(b));
}

/// Saves after a search and loads into another searcher: both must go on alike.
fn round_trip<G: Game>(name: &str, make: impl Fn() -> G, config: &Config, nodes: u64) {
    let folder = Folder::new(name);
    let mut first = Search::new(make(), config.clone());
    run(&mut first, nodes);
    let known = first.report(9);
    first.save(&folder.file(), &label()).expect("it is saved");
    same(&known, &first.report(9));
    let mut second = Search::new(make(), config.clone());
    assert_eq!(second.load(&folder.file(), "a game").expect("it is loaded"), "its start");
    same(&known, &second.report(9));
    assert!(second.used() <= first.used());
    same(&run(&mut first, nodes), &run(&mut second, nodes));
    assert_eq!(folder.names(), ["graph"]);
}

#[test]
fn a_search_goes_on_from_the_file_as_if_it_had_never_stopped() {
    let config = Config { seed: 3, hash_mib: 16, ..Config::default() };
    round_trip("tic_tac_toe", || TicTacToe, &config, 2_000);
    round_trip("connect_four", connect_four, &config, 20_000);
    round_trip("go", go, &config, 5_000);
    let chess = || Chess::new(&Params::default()).expect("the default rules");
    round_trip("chess", chess, &Config { leaf_evaluation: Leaf::Static, ..config.clone() }, 3_000);
    let backgammon = || Backgammon::new(&Params::default()).expect("the default rules");
    round_trip("backgammon", backgammon, &config, 2_000);
}

#[test]
fn plain_trees_and_graphs_without_symmetries_are_saved_too() {
    for (name, transpositions, symmetries) in
        [("tree", false, true), ("plain", false, false), ("unmerged", true, false)]
    {
        let config = Config { seed: 3, hash_mib: 16, transpositions, symmetries, ..Config::default() };
        round_trip(name, go, &config, 5_000);
    }
}

#[test]
fn a_graph_from_which_a_part_was_reclaimed_is_saved_too() {
    let folder = Folder::new("reclaimed");
    let config = Config { seed: 3, hash_mib: 1, ..Config::default() };
    let mut first = Search::new(connect_four(), config.clone());
    run(&mut first, 40_000);
    first.save(&folder.file(), &label()).expect("it is saved");
    let mut second = Search::new(connect_four(), config);
    second.load(&folder.file(), "a game").expect("it is loaded");
    same(&first.report(9), &second.report(9));
    assert_eq!(run(&mut second, 40_000).visits, 80_000);
    assert!(second.upkeep().reclaims > 0);
}

#[test]
fn trees_of_their_own_are_all_saved() {
    let folder = Folder::new("trees");
    let config = Config { threads: 3, parallelism: Parallelism::Root, hash_mib: 16, seed: 3, ..Config::default() };
    let mut first = Search::new(connect_four(), config.clone());
    let known = run(&mut first, 20_000);
    first.save(&folder.file(), &label()).expect("it is saved");
    let mut second = Search::new(connect_four(), config.clone());
    second.load(&folder.file(), "a game").expect("it is loaded");
    assert_eq!((known.visits, known.value), (second.report(0).visits, second.report(0).value));
    let mut other = Search::new(connect_four(), Config { threads: 2, ..config });
    assert!(other.load(&folder.file(), "a game").unwrap_err().ends_with("it holds 3 trees, this search has 2"));
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let folder = Folder::new("refused");
    let config = Config { seed: 3, hash_mib: 16, ..Config::default() };
    let mut search = Search::new(connect_four(), config.clone());
    run(&mut search, 50_000);
    search.save(&folder.file(), &label()).expect("it is saved");
    assert_eq!(super::label(&folder.file()), Ok(label()));
    let refused = |config: Config, game: &str, reason: &str| {
        let mut search = Search::new(connect_four(), config);
        let known = run(&mut search, 100);
        let error = search.load(&folder.file(), game).unwrap_err();
        assert!(error.starts_with(&folder.file().display().to_string()) && error.contains(reason), "{error}");
        assert!(!error.contains('\n'));
        (known, search)
    };
    let (known, search) = refused(config.clone(), "another", "a graph of a game, not of another");
    same(&SearchReport { simulations: 0, mean_depth: 0.0, longest: 0, simulated: None, ..known }, &search.report(9));
    refused(Config { seed: 4, ..config.clone() }, "a game", "made with seed=3, this search has seed=4");
    refused(Config { symmetries: false, ..config.clone() }, "a game", "symmetries=true");
    refused(Config { transpositions: false, ..config.clone() }, "a game", "transpositions=true");
    refused(Config { solver: false, ..config.clone() }, "a game", "solver=true");
    refused(Config { hash_mib: 1, ..config.clone() }, "a game", "and Hash leaves room for");
    // A board of another size has other keys, though the label is the same.
    let small = ConnectFour::new(&params(&[("columns", "6")])).expect("the board is legal");
    let error = Search::new(small, config.clone()).load(&folder.file(), "a game").unwrap_err();
    assert!(error.contains("another version"), "{error}");
    let whole = fs::read(folder.file()).expect("it stands");
    let with = |at: usize, bytes: &[u8], reason: &str| {
        let mut other = whole.clone();
        other[at..at + bytes.len()].copy_from_slice(bytes);
        fs::write(folder.file(), other).expect("there is room");
        refused(config.clone(), "a game", reason);
    };
    with(0, b"PNG", "byte 0: not a graph of playout");
    with(16, &[9, 0, 0, 0], "byte 16: format version 9; this playout reads version 1");
    with(100_000, b"!", "byte 65572: damaged: the checksum of the next 65536 bytes is another");
    fs::remove_file(folder.file()).expect("it stands");
    refused(config.clone(), "a game", "No such file");
}

#[test]
fn no_damage_is_loaded() {
    let folder = Folder::new("damage");
    let config = Config { seed: 3, hash_mib: 4, ..Config::default() };
    let mut search = Search::new(connect_four(), config.clone());
    run(&mut search, 1_500);
    search.save(&folder.file(), &label()).expect("it is saved");
    let whole = fs::read(folder.file()).expect("it stands");
    assert!(whole.len() > 80_000);
    let mut rng = Rng::with_seed(1);
    let mut search = Search::new(connect_four(), config);
    for number in 0..400 {
        let mut other = whole.clone();
        if number % 2 == 0 {
            other.truncate(rng.usize(..whole.len()));
        } else {
            for _ in 0..rng.usize(1..4) {
                other[rng.usize(..whole.len())] ^= rng.u8(1..);
            }
        }
        if other == whole {
            continue;
        }
        fs::write(folder.file(), other).expect("there is room");
        assert!(search.load(&folder.file(), "a game").is_err());
    }
    fs::write(folder.file(), whole).expect("there is room");
    search.load(&folder.file(), "a game").expect("it is whole");
}

/// Faults that the checksums cannot tell, because they were made afterwards.
#[test]
fn contents_that_make_no_sense_are_refused_or_harmless() {
    let folder = Folder::new("nonsense");
    let config = Config { seed: 3, hash_mib: 2, ..Config::default() };
    let mut search = Search::new(connect_four(), config.clone());
    run(&mut search, 300);
    search.save(&folder.file(), &label()).expect("it is saved");
    let file = fs::read(folder.file()).expect("it stands");
    let body =
        |file: &[u8]| file[24..24 + u32::from_le_bytes(file[20..24].try_into().expect("four")) as usize].to_vec();
    let body = body(&file);
    assert!(body.len() < 65_536, "one block");
    let mut rng = Rng::with_seed(1);
    let mut refused = 0;
    for _ in 0..1000 {
        let mut other = body.clone();
        let odd = [0, 1, 0x7F, 0x80, 0xFF, rng.u8(..)][rng.usize(..6)];
        let at = rng.usize(..body.len());
        for byte in other.iter_mut().skip(at).take(rng.usize(1..9)) {
            *byte = odd;
        }
        other.truncate(if rng.u32(..10) == 0 { rng.usize(..body.len()) } else { body.len() });
        let mut out = file[..20].to_vec();
        let mut writer = BlockWriter::new(&mut out, VERSION);
        writer.bytes(&other).and_then(|()| writer.finish().map(|_| ())).expect("memory takes all");
        fs::write(folder.file(), out).expect("there is room");
        refused += u32::from(search.load(&folder.file(), "a game").is_err());
        for tree in &search.trees {
            for index in 1..tree.store.ends().0 {
                let end = tree.store.ends().0;
                assert!(tree.store.edges_of(tree.store.node(index)).all(|(_, edge)| edge.child.load(Relaxed) < end));
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn saving_that_fails_leaves_the_old_file_whole_and_nothing_beside_it() {
    let folder = Folder::new("fails");
    fs::write(folder.file(), "old").expect("there is room");
    let fails = |file: &mut File| {
        file.write_all(b"half of the new")?;
        Err(io::Error::other("the disk is full"))
    };
    assert!(replace(&folder.file(), fails).is_err());
    assert_eq!(fs::read(folder.file()).expect("it stands"), b"old");
    assert_eq!(folder.names(), ["graph"]);
    let mut search = Search::new(TicTacToe, Config::default());
    let error = search.save(&folder.0.join("no such folder").join("graph"), &label()).unwrap_err();
    assert!(error.contains("no such folder") && error.contains("cannot save the graph"), "{error}");
}
