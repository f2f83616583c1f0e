//! The searcher of one game: its graphs, and the root at which they stand. `report` reads it, `run` searches, `save`
//! keeps it on disk.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use playout_games::{Action, Game, Player, TablePaths};

use crate::{
    config::Config,
    evaluator::{Evaluator, Learned, Patterns},
    graph::{
        keys::{child_key, representative},
        tree::{Tree, Upkeep, config_of, count, plant},
    },
    guide::{
        Guide, Library,
        hint::Hint,
        macros::{Images, Macros, PatternMacro},
    },
    restriction::{Restriction, RestrictionRule, key_below},
    simulation::{Criticality, History, Studies},
};

/// The greatest visit count that a node may have.
const MOST_VISITS: u32 = u32::MAX - (1 << 24);

/// The searcher of one game: keeps its graphs from search to search.
pub struct Search<G: Game> {
    pub(crate) game: G,
    pub(crate) learned: Option<Learned>,
    pub(crate) patterns: Option<Arc<Patterns>>,
    pub(crate) config: Config,
    pub(crate) guide: Guide<G>,
    pub(crate) studies: Studies,
    /// The worth of moves in the search that goes on, or went last.
    pub(crate) history: Option<History>,
    /// Owners of points at the end of the playouts of that search.
    pub(crate) criticality: Option<Criticality>,
    /// Plies from the root up to which the guide's books are asked.
    pub(crate) book_plies: u32,
    pub(crate) table_depth: u32,
    pub(crate) trees: Vec<Tree>,
    pub(crate) position: G::Position,
    pub(crate) frame: u8,
    /// Root edges that may be taken, and the action of the user's that each stands for; None is all.
    pub(crate) allowed: Option<Vec<(Action, Action)>>,
    pub(crate) restriction: Option<Restriction>,
    /// Changes the random numbers of searches, but not the order in which actions are tried.
    pub(crate) variation: u64,
    /// Searches that the graphs have seen.
    pub(crate) searches: u64,
    pub(crate) upkeep: Upkeep,
    /// A field, so that tests can come near it.
    pub(crate) most_visits: u32,
}

/// A step of the line from a start position to the root.
#[derive(Clone, Copy, Debug)]
pub enum LineStep {
    Action(Action),
    /// This player is made the one to move.
    Player(Player),
}

impl<G: Game> Search<G> {
    /// Makes the random numbers of the searches to come others, for each `variation` its own; 0 is none.
    pub fn vary(&mut self, variation: u64) {
        self.variation = variation;
    }

    /// A search of `game` that stands at its initial position.
    pub fn new(game: G, config: Config) -> Search<G> {
        let position = game.initial();
        let trees = plant(&config, game.is_scored());
        let mut search = Search {
            game,
            learned: None,
            patterns: None,
            config,
            guide: Guide::default(),
            studies: Studies::default(),
            history: None,
            criticality: None,
            book_plies: 0,
            table_depth: 1,
            trees,
            position,
            frame: 0,
            allowed: None,
            restriction: None,
            variation: 0,
            searches: 0,
            upkeep: Upkeep::default(),
            most_visits: MOST_VISITS,
        };
        search.enter_root(search.start_key());
        search
    }

    pub fn game(&self) -> &G {
        &self.game
    }

    pub(crate) fn evaluator(&self) -> Evaluator<'_, G> {
        Evaluator { game: &self.game, learned: self.learned.as_ref(), patterns: self.patterns.as_deref() }
    }

    /// Takes nets, which were opened for this game, in place of the game's own H(s) and H(s, a), or puts them away. The graph
    /// starts anew where its values may come from others.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the net that corrects the game's own H(s), and nothing changes.
    pub fn set_learned(&mut self, learned: Option<Learned>) -> Result<(), String> {
        let fingerprint = |learned: &Option<Learned>| learned.as_ref().map(Learned::fingerprint);
        if fingerprint(&self.learned) != fingerprint(&learned) {
            self.game.correct(learned.as_ref().and_then(Learned::correction_of_own))?;
            self.learned = learned;
            self.clear();
        }
        self.set_arithmetic();
        Ok(())
    }

    /// Lets the nets count as the configuration says.
    fn set_arithmetic(&mut self) {
        if let Some(learned) = &mut self.learned {
            learned.count_in_bytes(self.config.eval_bytes);
        }
    }

    /// Takes what was learned of the moves of this game in place of its own H(s, a), or puts it away. The graph starts anew
    /// where something else guided it.
    pub fn set_patterns(&mut self, patterns: Option<Arc<Patterns>>) {
        let fingerprint = |patterns: &Option<Arc<Patterns>>| patterns.as_deref().map(Patterns::fingerprint);
        if fingerprint(&self.patterns) != fingerprint(&patterns) {
            self.patterns = patterns;
            self.clear();
        }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Takes other trees, none of which knows the root yet, and the number of searches that they have seen.
    pub(crate) fn replace_trees(&mut self, trees: Vec<Tree>, searches: u64) {
        self.trees = trees;
        self.searches = searches;
    }

    /// Bytes of the graph in use.
    pub fn used(&self) -> usize {
        self.trees.iter().map(|tree| tree.store.used()).sum()
    }

    /// Counts of making room since this searcher was made.
    pub fn upkeep(&self) -> Upkeep {
        self.upkeep
    }

    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// Takes a new configuration; the graph is kept unless the change makes it meaningless.
    pub fn configure(&mut self, config: Config) {
        let old = std::mem::replace(&mut self.config, config);
        let makes = |config: &Config| (config.hash_bytes(), config.node_bytes(), config.graph_kind(), count(config));
        if makes(&old) != makes(&self.config) {
            self.clear();
        }
        self.set_arithmetic();
        for (number, tree) in self.trees.iter_mut().enumerate() {
            tree.config = config_of(&self.config, number);
        }
    }

    /// Takes what `guide` was told of positions before the search, for the root and for nodes that are made from here on.
    /// The graph is kept, and with it what an earlier guide told.
    pub fn set_guide(&mut self, guide: Guide<G>) {
        self.guide.tell(guide);
        let key = self.root_key();
        self.enter_root(key);
    }

    /// As `set_guide`, for what lasts from one `set_guide` to the next.
    pub fn set_lasting(&mut self, guide: Guide<G>) {
        self.guide.tell_lasting(guide);
        self.trees.iter_mut().for_each(|tree| tree.metas.forget());
        let key = self.root_key();
        self.enter_root(key);
    }

    /// Takes books, or none. They are asked about each position at which the search chooses between moves. The graph is
    /// kept, and with it what earlier books told.
    pub fn set_library(&mut self, library: Option<Box<dyn Library<G>>>) {
        self.guide.set_library(library);
        for tree in &self.trees {
            tree.ask_again();
        }
    }

    /// Takes macros, or none. They are matched at each position at which the search chooses between moves. The graph is kept.
    ///
    /// # Errors
    ///
    /// One line if the game has no board of cells, and nothing changes.
    pub fn set_macros(&mut self, images: &Images, list: Vec<PatternMacro>) -> Result<(), String> {
        let macros = match self.game.grid() {
            _ if list.is_empty() => None,
            Some(grid) => Some(Macros::new(grid, images, list)),
            None => return Err("this game has no board of cells".to_owned()),
        };
        self.guide.set_macros(macros);
        for tree in &mut self.trees {
            tree.ask_again();
            tree.metas.forget();
        }
        Ok(())
    }

    /// The guide's hints for the root's moves, the heaviest first.
    pub fn hints(&self) -> Vec<Hint> {
        self.guide.is_matched(&self.game, &self.position);
        let Some((hints, frame)) = self.guide.hints(&self.game, &self.position, self.book_plies > 0) else {
            return Vec::new();
        };
        hints.into_iter().map(|hint| Hint { action: self.game.undo_frame(frame, hint.action), ..hint }).collect()
    }

    /// H(s) of the root for the player to move, and H(s, a) of its legal actions, by the nets or strengths of features if there
    /// are any; each None where there is none, and both where the game is over or dice are to fall.
    pub fn estimates(&self) -> (Option<f32>, Option<Vec<(Action, f32)>>) {
        let (game, mut position) = (&self.game, self.position.clone());
        if game.result(&position).is_some() || game.player(&position) == Player::Chance {
            return (None, None);
        }
        let (mut actions, mut preferences) = (Vec::new(), Vec::new());
        game.actions(&position, &mut actions);
        let known = self.evaluator().preferences(&position, &actions, &mut preferences);
        (self.evaluator().value(&mut position), known.then(|| actions.into_iter().zip(preferences).collect()))
    }

    /// Has the books asked at positions less than `plies` plies from the root.
    pub fn set_book_plies(&mut self, plies: u32) {
        self.book_plies = plies;
    }

    /// Takes tables of solved positions, or puts them away. Positions at least `depth` plies below the root are looked up
    /// in them. The graph starts anew.
    ///
    /// # Errors
    ///
    /// One line that names the file, and nothing changes.
    pub fn set_tables(&mut self, tables: Option<&TablePaths>, depth: u32) -> Result<(), String> {
        self.game.set_tables(tables)?;
        self.learned.iter_mut().for_each(Learned::renew);
        self.table_depth = depth;
        self.clear();
        Ok(())
    }

    /// Frees the least-visited part of each graph that takes more than half of its memory.
    pub fn free_half(&mut self) {
        for tree in self.trees.iter_mut().filter(|tree| tree.store.used() > tree.store.limit() / 2) {
            tree.reclaim();
            self.upkeep.reclaims += 1;
        }
    }

    /// Forgets everything that earlier searches learned.
    pub fn clear(&mut self) {
        // In a plain tree the key belongs to the moves that led here: the start's would make this position the start.
        let key = if self.config.transpositions { self.start_key() } else { self.root_key() };
        self.trees = plant(&self.config, self.game.is_scored());
        self.studies = Studies::default(); // In a plain tree the same keys may come to stand for other positions.
        self.guide.forget();
        self.searches = 0;
        self.enter_root(key);
    }

    pub(crate) fn root_key(&self) -> u64 {
        let tree = &self.trees[0];
        tree.store.node(tree.root).key.load(Relaxed)
    }

    /// Makes `start` followed by `moves` the root; what the graph knows of it is kept. In a plain tree all starts have
    /// one key: before another start, `clear`.
    pub fn set_position(&mut self, start: G::Position, moves: impl IntoIterator<Item = LineStep>) {
        self.position = start;
        self.allowed = None;
        self.restriction = None;
        let mut key = self.start_key();
        for step in moves {
            match step {
                LineStep::Action(action) => {
                    let (_, frame) = child_key(&self.game, &self.config, &self.position, key, 0);
                    let canonical = self.game.to_frame(frame, action);
                    self.game.play(&mut self.position, action);
                    key = child_key(&self.game, &self.config, &self.position, key, canonical).0;
                }
                LineStep::Player(player) => {
                    self.game.set_player(&mut self.position, player);
                    key = child_key(&self.game, &self.config, &self.position, key, Action::MAX - player as u32).0;
                }
            }
        }
        self.enter_root(key);
    }

    /// Allows only these actions at the root; empty allows all.
    pub fn restrict(&mut self, actions: &[Action]) {
        let mut allowed: Vec<(Action, Action)> = Vec::new();
        for &action in actions {
            let image = self.canonical_action(action);
            if !allowed.iter().any(|&(canonical, _)| canonical == image) {
                allowed.push((image, action));
            }
        }
        self.allowed = (!allowed.is_empty()).then_some(allowed);
    }

    /// Keeps moves out of the first plies, until the next `set_position`, which comes before. `restrict` comes after.
    /// Returns how many moves are left at the root.
    pub fn keep_out(&mut self, rules: Vec<RestrictionRule>) -> usize {
        self.restriction = Restriction::new(rules);
        if self.restriction.is_some() {
            let key = self.root_key();
            self.enter_root(self.key_at(&self.position, (key, 0), 0).0);
        }
        self.root_actions().len()
    }

    /// The key and the frame of a position `ply` plies below the root, after `before`: its parent's key and the action,
    /// in the parent's frame.
    pub(crate) fn key_at(&self, position: &G::Position, before: (u64, Action), ply: u32) -> (u64, u8) {
        key_below((&self.game, &self.config, self.restriction.as_ref()), position, before, ply)
    }

    /// The action, in the canonical frame, whose edge at the root stands for `action`.
    pub(crate) fn canonical_action(&self, action: Action) -> Action {
        if self.restriction.is_some() {
            return action;
        }
        representative(&self.game, &self.config, &self.position, self.frame, action)
    }

    /// The user's action that a root edge stands for; None if the edge is not allowed.
    pub fn output_action(&self, canonical: Action) -> Option<Action> {
        match &self.allowed {
            None => Some(self.game.undo_frame(self.frame, canonical)),
            Some(allowed) => allowed.iter().find(|&&(image, _)| image == canonical).map(|&(_, action)| action),
        }
    }

    fn start_key(&self) -> u64 {
        self.key_at(&self.position, (0, 0), 0).0
    }

    pub(crate) fn enter_root(&mut self, key: u64) {
        self.frame = self.key_at(&self.position, (key, 0), 0).1;
        let key = (key, self.restriction.is_some());
        let (learned, patterns) = (self.learned.as_ref(), self.patterns.as_deref());
        let evaluator = Evaluator { game: &self.game, learned, patterns };
        for tree in &mut self.trees {
            tree.enter(evaluator, &self.guide, &mut self.position, key, &mut self.upkeep);
        }
    }

    /// Frees memory as the search does at its bound.
    #[cfg(test)]
    pub(crate) fn make_room(&mut self) {
        self.trees.iter_mut().for_each(|tree| tree.make_room(&mut self.upkeep));
    }

    /// The root's actions in the canonical frame, one for each edge that it may have.
    pub(crate) fn root_actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.game.actions(&self.position, &mut actions);
        if let Some(restriction) = &self.restriction {
            restriction.retain(&self.game, &self.position, 0, &mut actions);
        }
        for action in &mut actions {
            *action = self.canonical_action(*action);
        }
        actions.sort_unstable();
        actions.dedup();
        actions
    }
}
