//! The graph on disk: saved whole or not at all, checked when it is loaded.
//!
//! A file begins with `MAGIC` and the format's version (4 bytes), and goes on in blocks with checksums (`blocks`).
//! These hold what the graph belongs to (game, start, kind, a fingerprint of the rules), the actions, where the game
//! numbers them as they appear, then each tree: its nodes in the order of their numbers from 1, each with its edges, oldest first. Chunks and the table are made anew.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
    sync::atomic::Ordering::Relaxed,
};

use playout_games::{Action, Game, Player};

use crate::{
    graph::{
        node::{FULL, KNOWN, Node, OVER, PATH_DEPENDENT, RESTRICTED, UNORDERED},
        reclaim::settle,
        store::{Stock, Store},
        tree::plant,
    },
    search::Search,
};

mod blocks;

use blocks::{BlockReader, BlockWriter, Fault};

const MAGIC: [u8; 16] = *b"playout graph\r\n\0";
const VERSION: u32 = 1;
/// The flags of a node that are saved, besides its mover.
const FLAGS: u32 = OVER | FULL | PATH_DEPENDENT | UNORDERED | KNOWN | RESTRICTED;

/// The game and the start position that a saved graph belongs to.
#[derive(Debug, PartialEq, Eq)]
pub struct Label {
    /// The game with its parameters.
    pub game: String,
    /// The text of the start position, for a plain tree, which has one start; empty is the game's own.
    pub start: String,
}

struct Header {
    label: Label,
    kind: String,
    fingerprint: u64,
    searches: u64,
    trees: u32,
}

impl<G: Game> Search<G> {
    /// The kind of the graph in files.
    fn kind(&self) -> String {
        let mut kind = self.config().graph_kind();
        if self.game().is_scored() {
            kind += " scores=true";
        }
        if let Some(learned) = &self.learned {
            let _ = write!(kind, " nets={:x}", learned.fingerprint());
        }
        if let Some(patterns) = &self.patterns {
            let _ = write!(kind, " patterns={:x}", patterns.fingerprint());
        }
        kind
    }

    /// Saves the graph to `path`. The file is written beside it and then takes its place in one step: whatever happens,
    /// `path` holds the old graph or the new one. Blocks.
    ///
    /// # Errors
    ///
    /// One line that names the file and what went wrong.
    pub fn save(&mut self, path: &Path, label: &Label) -> Result<(), String> {
        for tree in &mut self.trees {
            tree.root = settle(&mut tree.store, tree.root);
        }
        let header = Header {
            label: Label { game: label.game.clone(), start: label.start.clone() },
            kind: self.kind(),
            fingerprint: self.game().fingerprint(),
            searches: self.searches,
            trees: self.trees.len() as u32,
        };
        let ledger = self.game().ledger().transpose().map_err(|why| format!("{}: {why}", path.display()))?;
        let write = |file: &mut File| {
            let mut file = io::BufWriter::with_capacity(1 << 18, file);
            file.write_all(&MAGIC)?;
            file.write_all(&VERSION.to_le_bytes())?;
            let mut writer = BlockWriter::new(file, VERSION);
            write_header(&mut writer, &header)?;
            if let Some(texts) = &ledger {
                writer.u32(texts.len() as u32)?;
                texts.iter().try_for_each(|text| writer.text(text))?;
            }
            for tree in &self.trees {
                write_graph(&mut writer, &tree.store)?;
            }
            writer.finish()?.flush()
        };
        replace(path, write).map_err(|error| format!("{}: cannot save the graph: {error}", path.display()))
    }

    /// Loads the graph that was saved to `path`; what the search knew is forgotten. Returns the label's start. Blocks.
    ///
    /// # Errors
    ///
    /// One line that names the file, the place and what is wrong. The graph is as before, or, if the file's contents
    /// make no sense although its checksums hold, empty.
    pub fn load(&mut self, path: &Path, game: &str) -> Result<String, String> {
        let at = |fault: Fault| format!("{}: byte {}: {}", path.display(), fault.place, fault.what);
        let mut reader = open(path)?;
        let header = read_header(&mut reader).map_err(at)?;
        self.accept(&header, game).map_err(|what| format!("{}: {what}", path.display()))?;
        reader.verify().map_err(at)?;
        let mut reader = open(path)?;
        let read = |reader: &mut BlockReader<BufReader<File>>, search: &mut Search<G>| {
            read_header(reader)?;
            let numbers = search.read_ledger(reader)?;
            search.replace_trees(Vec::new(), header.searches);
            let mut trees = plant(search.config(), search.game().is_scored());
            for tree in &mut trees {
                read_graph(reader, &mut tree.store, numbers.as_deref())?;
                tree.measure();
            }
            reader.end()?;
            search.replace_trees(trees, header.searches);
            Ok(())
        };
        let key = self.root_key();
        let done = read(&mut reader, self).map_err(at);
        if done.is_err() {
            self.replace_trees(plant(self.config(), self.game().is_scored()), 0);
        }
        self.enter_root(key);
        done.map(|()| header.label.start)
    }

    /// Reads the number in this process of each action of the file. None where they are the file's.
    fn read_ledger<R: Read>(&self, from: &mut BlockReader<R>) -> Result<Option<Vec<Action>>, Fault> {
        if self.game().ledger().is_none() {
            return Ok(None);
        }
        let count = from.u32()?;
        let texts = (0..count).map(|_| from.text()).collect::<Result<Vec<_>, _>>()?;
        let numbers = self.game().numbers_in(&texts).map_err(|what| from.fault(what))?;
        Ok(Some(numbers).filter(|numbers| !numbers.iter().copied().eq(0..count)))
    }

    /// Whether a graph with this header may be searched on.
    fn accept(&self, header: &Header, game: &str) -> Result<(), String> {
        if header.label.game != game {
            return Err(format!("a graph of {}, not of {game}", header.label.game));
        }
        let kind = self.kind();
        if header.kind != kind {
            return Err(format!("the graph was made {}", difference(&header.kind, &kind)));
        }
        if header.trees as usize != self.trees.len() {
            return Err(format!("it holds {} trees, this search has {}", header.trees, self.trees.len()));
        }
        if header.fingerprint != self.game().fingerprint() {
            return Err("another version of the game made it, whose keys of positions were others".to_owned());
        }
        Ok(())
    }
}

/// The game that the graph in the file belongs to, and what else its label says. Reads no more than the beginning.
///
/// # Errors
///
/// One line that names the file, the place and what is wrong.
pub fn label(path: &Path) -> Result<Label, String> {
    let mut reader = open(path)?;
    read_header(&mut reader)
        .map(|header| header.label)
        .map_err(|fault| format!("{}: byte {}: {}", path.display(), fault.place, fault.what))
}

/// The first word of one kind of graph that the other lacks, and of the other.
fn difference(theirs: &str, ours: &str) -> String {
    let lacks =
        |one: &str, other: &str| one.split(' ').find(|word| other.split(' ').all(|o| o != *word)).map(str::to_owned);
    match (lacks(theirs, ours), lacks(ours, theirs)) {
        (Some(theirs), Some(ours)) => format!("with {theirs}, this search has {ours}"),
        (Some(theirs), None) => format!("with {theirs}, this search is without it"),
        (None, ours) => format!("without {}, which this search has", ours.unwrap_or_default()),
    }
}

/// Writes a file beside `path`, makes sure that it is on the disk, and puts it in the place of `path`. What a process
/// leaves that is killed meanwhile is called like `path` with its number and `saving` at the end.
///
/// # Errors
///
/// If the file cannot be written; `path` is as before.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut name = path.file_name().ok_or_else(|| io::Error::other("it names no file"))?.to_owned();
    name.push(format!(".{}.saving", std::process::id()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside: PathBuf = folder.join(name);
    let written = File::create(&beside).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        // The name is on the disk when the folder is; systems without this keep the order themselves.
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(())
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Opens a graph file of this version.
fn open(path: &Path) -> Result<BlockReader<BufReader<File>>, String> {
    let say = |what: &dyn std::fmt::Display| format!("{}: {what}", path.display());
    let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(|error| say(&error))?);
    let (mut magic, mut version) = ([0; MAGIC.len()], [0; 4]);
    let head = file.read_exact(&mut magic).and_then(|()| file.read_exact(&mut version));
    if magic != MAGIC {
        return Err(say(&"byte 0: not a graph of playout"));
    }
    head.map_err(|_| say(&"byte 16: the file ends in the middle"))?;
    let version = u32::from_le_bytes(version);
    if version != VERSION {
        return Err(say(&format!("byte 16: format version {version}; this playout reads version {VERSION}")));
    }
    Ok(BlockReader::new(file, MAGIC.len() as u64 + 4, VERSION))
}

fn write_header<W: Write>(to: &mut BlockWriter<W>, header: &Header) -> io::Result<()> {
    to.text(&header.label.game)?;
    to.text(&header.label.start)?;
    to.text(&header.kind)?;
    to.u64(header.fingerprint)?;
    to.u64(header.searches)?;
    to.u32(header.trees)
}

fn read_header<R: Read>(from: &mut BlockReader<R>) -> Result<Header, Fault> {
    Ok(Header {
        label: Label { game: from.text()?, start: from.text()? },
        kind: from.text()?,
        fingerprint: from.u64()?,
        searches: from.u64()?,
        trees: from.u32()?,
    })
}

/// Writes a graph whose nodes are all in use.
fn write_graph<W: Write>(to: &mut BlockWriter<W>, store: &Store) -> io::Result<()> {
    let (end, _) = store.ends();
    to.u64(store.used() as u64)?;
    to.u32(end - 1)?;
    for index in 1..end {
        let node = store.node(index);
        to.u64(node.key.load(Relaxed))?;
        to.u32(node.visits.load(Relaxed))?;
        to.f32(node.mean())?;
        to.f32(node.lower.get())?;
        to.f32(node.upper.get())?;
        to.f32(node.own.get())?;
        to.u32(node.own_visits.load(Relaxed))?;
        to.u32(node.flags.load(Relaxed) & FLAGS | node.mover() as u32)?;
        to.u32(node.wins.load(Relaxed))?;
        to.u32(node.draws.load(Relaxed))?;
        to.u32(node.plies.load(Relaxed))?;
        if store.has_scores() {
            let score = store.score(index);
            to.u32(score.samples.load(Relaxed))?;
            to.f32(score.mean.get())?;
            to.f32(score.square.get())?;
        }
        to.u32(node.edge_count.load(Relaxed))?;
        for (slot, edge) in store.edges_of(node) {
            to.u32(edge.action.load(Relaxed))?;
            to.u32(edge.child.load(Relaxed))?;
            to.u32(edge.visits.load(Relaxed))?;
            to.f32(edge.extra.get())?;
            if store.has_tallies() {
                let tally = store.tally(slot);
                to.f32(tally.prior.get())?;
                to.u32(tally.amaf_visits.load(Relaxed))?;
                to.f32(tally.amaf_value.get())?;
            }
        }
    }
    Ok(())
}

/// Reads a graph into an empty store. `numbers` are those of the file's actions in this process, if they differ.
fn read_graph<R: Read>(from: &mut BlockReader<R>, store: &mut Store, numbers: Option<&[Action]>) -> Result<(), Fault> {
    let bytes = from.u64()?;
    let count = from.u32()?;
    let (needs, has) = (bytes as f64 / f64::from(1 << 20), store.limit() as f64 / f64::from(1 << 20));
    let too_large = format!("the graph takes {needs:.1} MiB, and Hash leaves room for {has:.1} MiB");
    if store.claim_nodes(count).is_err() {
        return Err(from.fault(too_large));
    }
    let mut stock = store.take_stock();
    for index in 1..=count {
        let key = from.u64()?;
        if store.find(key).is_some() {
            return Err(from.fault(format!("node {index} has the key of another")));
        }
        read_node(from, store, index, key)?;
        if numbers.is_some() {
            // The order of its actions is by their numbers.
            store.node(index).flags.fetch_or(UNORDERED, Relaxed);
        }
        let edges = from.u32()?;
        for _ in 0..edges {
            if !read_edge(from, store, store.node(index), (count, edges, numbers), &mut stock)? {
                return Err(from.fault(too_large));
            }
        }
        store.reinsert(index);
    }
    store.park(stock);
    Ok(())
}

fn read_node<R: Read>(from: &mut BlockReader<R>, store: &Store, index: u32, key: u64) -> Result<(), Fault> {
    let node = store.node(index);
    node.reset(key, Player::First);
    node.visits.store(from.u32()?, Relaxed);
    node.value.set(from.value()?);
    node.lower.set(from.value()?);
    node.upper.set(from.value()?);
    node.own.set(from.f32()?);
    node.own_visits.store(from.u32()?, Relaxed);
    let flags = from.u32()?;
    if flags & !FLAGS > Player::Chance as u32 {
        return Err(from.fault(format!("node {index} has flags {flags:#x}")));
    }
    node.flags.store(flags, Relaxed);
    node.wins.store(from.u32()?, Relaxed);
    node.draws.store(from.u32()?, Relaxed);
    node.plies.store(from.u32()?, Relaxed);
    if store.has_scores() {
        let score = store.score(index);
        score.samples.store(from.u32()?, Relaxed);
        score.mean.set(from.f32()?);
        score.square.set(from.f32()?);
    }
    Ok(())
}

/// Reads one edge of `node`; false if there is no room for it. `nodes` and `edges` are the numbers of nodes of the graph
/// and of edges of `node`, `numbers` as in `read_graph`.
fn read_edge<R: Read>(
    from: &mut BlockReader<R>,
    store: &Store,
    node: &Node,
    (nodes, edges, numbers): (u32, u32, Option<&[Action]>),
    stock: &mut Stock,
) -> Result<bool, Fault> {
    let (action, child, visits, extra) = (from.u32()?, from.u32()?, from.u32()?, from.f32()?);
    if child > nodes {
        return Err(from.fault(format!("an edge leads to node {child} of {nodes}")));
    }
    let known = numbers.map_or(Some(action), |numbers| numbers.get(action as usize).copied());
    let Some(action) = known else { return Err(from.fault(format!("an edge has action {action}"))) };
    let Ok(slot) = store.append_edge(node, action, extra, edges as usize, stock) else { return Ok(false) };
    let edge = store.edge(slot);
    edge.child.store(child, Relaxed);
    edge.visits.store(visits, Relaxed);
    if store.has_tallies() {
        let tally = store.tally(slot);
        tally.prior.set(from.f32()?);
        tally.amaf_visits.store(from.u32()?, Relaxed);
        tally.amaf_value.set(from.f32()?);
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
