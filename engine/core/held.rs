//! A search whose game is known when it is made, and not to those who use it.

use std::{collections::HashSet, path::Path, time::Duration};

use playout_games::{Action, Game, Player, TablePaths};
use playout_search::{
    Config, Control, Guide, Hint, Learned, Library, Limits, LineStep, MoveReport, Patterns, PointsLead, Reason,
    RestrictionRule, SearchReport, TreeStep, Upkeep, macros::Images, save::Label,
};

use crate::{
    books::{Books, KernelBooks},
    kernels::Make,
    macros::MacroTuple,
};

/// (move, visits, value, win, draw, lower, upper, plies, line, visits along the line)
pub type MoveTuple = (String, u32, f32, f32, f32, f32, f32, Option<u32>, Vec<String>, Vec<(u32, u32)>, Lead);
/// (seconds, simulations, mean depth, longest path, value, visits, fill, moves, lead, mean of this search's simulations)
pub type ReportTuple = (f64, u64, f32, u32, f32, u32, f32, Vec<MoveTuple>, Lead, Option<f32>);

/// (mean, standard deviation), in points for the player to move at the root
pub type Lead = Option<(f32, f32)>;

/// (start, moves from there, hints for the position that they lead to)
pub type GuideEntry = (Option<String>, Vec<String>, Vec<ToldTuple>);

/// (hint, numbers of the macros whose trees name the move, whether it is a move of their player)
pub type ToldTuple = (HintTuple, Vec<u32>, bool);

/// (move, weight, visits, value, banned)
pub type HintTuple = (String, f32, u32, f32, bool);

/// (H(s), H(s, a) by moves)
pub type EstimatesTuple = (Option<f32>, Option<Vec<(String, f32)>>);

/// (player, moves, whether all others are avoided, plies)
pub type RuleTuple = (u8, HashSet<String>, bool, u32);

pub trait AnySearch: Send {
    fn set_position(&mut self, text: Option<&str>, moves: &[String]) -> Result<(), String>;
    fn restrict(&mut self, moves: &[String]) -> usize;
    fn keep_out(&mut self, rules: Vec<RuleTuple>) -> usize;
    fn configure(&mut self, config: Config);
    fn set_guide(&mut self, entries: &[GuideEntry], lasting: bool) -> Result<(), String>;
    fn set_macros(&mut self, images: &Images, macros: Vec<MacroTuple>) -> Result<(), String>;
    fn hints(&self) -> Vec<HintTuple>;
    fn estimates(&self) -> EstimatesTuple;
    fn set_books(&mut self, books: Option<Books>);
    fn set_book_plies(&mut self, plies: u32);
    fn set_tables(&mut self, tables: Option<&TablePaths>, depth: u32) -> Result<(), String>;
    fn set_nets(&mut self, path: Option<&Path>, game: &str) -> Result<(), String>;
    fn set_patterns(&mut self, path: Option<&Path>, game: &str) -> Result<(), String>;
    fn config(&self) -> &Config;
    fn clear(&mut self);
    fn free_half(&mut self);
    fn vary(&mut self, variation: u64);
    fn report(&self, lines: usize) -> ReportTuple;
    fn used(&self) -> usize;
    fn upkeep(&self) -> Upkeep;
    fn save(&mut self, path: &Path, game: &str) -> Result<(), String>;
    fn load(&mut self, path: &Path, game: &str) -> Result<(), String>;
    fn run(
        &mut self,
        limits: Limits,
        control: &Control,
        interval: Duration,
        lines: usize,
        on_report: &mut dyn FnMut(ReportTuple),
    ) -> (Reason, ReportTuple);
}

pub struct HeldSearch<G: Game> {
    search: playout_search::Search<G>,
    /// The text of the start; None is the game's own.
    start: Option<String>,
    /// Makes books ones that are asked for this game.
    library: MakeLibrary<G>,
}

type MakeLibrary<G> = fn(Books) -> Box<dyn Library<G>>;

impl<G: Game> HeldSearch<G> {
    pub fn new(game: G, config: Config, library: MakeLibrary<G>) -> HeldSearch<G> {
        HeldSearch { search: playout_search::Search::new(game, config), start: None, library }
    }

    fn tuple(&self, report: SearchReport) -> ReportTuple {
        tuple(self.search.game(), self.search.position(), report)
    }
}

fn parse<G: Game>(game: &G, position: &G::Position, text: &str) -> Result<Action, String> {
    game.parse_action(position, text).ok_or_else(|| format!("illegal move: {text:?}"))
}

/// Meaning of a word in a list of moves: a move or, as "@0" or "@1", who is to move from here.
pub(crate) fn step<G: Game>(game: &G, position: &G::Position, text: &str) -> Result<LineStep, String> {
    Ok(match text {
        "@0" => LineStep::Player(Player::First),
        "@1" => LineStep::Player(Player::Second),
        _ => LineStep::Action(parse(game, position, text)?),
    })
}

pub(crate) fn enter<G: Game>(game: &G, position: &mut G::Position, step: LineStep) -> Result<(), String> {
    match step {
        LineStep::Action(action) => game.play(position, action),
        LineStep::Player(player) => {
            if !game.set_player(position, player) {
                return Err("in this game the player to move cannot be changed".to_owned());
            }
        }
    }
    Ok(())
}

/// The fault of a file, after its name.
pub fn of_file(path: Option<&Path>, what: String) -> String {
    match path {
        Some(path) => format!("{}: {what}", path.display()),
        None => what,
    }
}

/// The position after `moves` from the one that `text` describes, or from the initial one.
pub(crate) fn reached<G: Game>(game: &G, text: Option<&str>, moves: &[String]) -> Result<G::Position, String> {
    let mut position = match text {
        Some(text) => game.parse_position(text)?,
        None => game.initial(),
    };
    for text in moves {
        let step = step(game, &position, text)?;
        enter(game, &mut position, step)?;
    }
    Ok(position)
}

/// The texts of the moves of a line from `position` on.
pub(crate) fn line_texts<G: Game>(game: &G, mut position: G::Position, line: &[Action]) -> Vec<String> {
    let text = |&action: &Action| {
        let text = game.action_text(&position, action);
        game.play(&mut position, action);
        text
    };
    line.iter().map(text).collect()
}

fn tuple<G: Game>(game: &G, position: &G::Position, report: SearchReport) -> ReportTuple {
    let moves = report.moves.into_iter().map(|m: MoveReport| {
        let text = game.action_text(position, m.action);
        let lead = m.score.map(plain);
        (text, m.visits, m.value, m.win, m.draw, m.lower, m.upper, m.plies, m.line, m.line_visits, lead)
    });
    (
        report.seconds,
        report.simulations,
        report.mean_depth,
        report.longest,
        report.value,
        report.visits,
        report.fill,
        moves.collect(),
        report.score.map(plain),
        report.simulated,
    )
}

fn plain(lead: PointsLead) -> (f32, f32) {
    (lead.mean, lead.deviation)
}

impl<G: Game> AnySearch for HeldSearch<G> {
    fn set_position(&mut self, text: Option<&str>, moves: &[String]) -> Result<(), String> {
        let game = self.search.game();
        let start = match text {
            Some(text) => game.parse_position(text)?,
            None => game.initial(),
        };
        let mut position = start.clone();
        let mut steps = Vec::with_capacity(moves.len());
        for text in moves {
            let step = step(game, &position, text)?;
            enter(game, &mut position, step)?;
            steps.push(step);
        }
        if self.start.as_deref() != text {
            if !self.search.config().transpositions {
                self.search.clear();
            }
            self.start = text.map(str::to_owned);
        }
        self.search.set_position(start, steps);
        Ok(())
    }

    fn restrict(&mut self, moves: &[String]) -> usize {
        let (game, position) = (self.search.game(), self.search.position());
        let actions: Vec<Action> = moves.iter().filter_map(|text| game.parse_action(position, text)).collect();
        self.search.restrict(&actions);
        actions.len()
    }

    fn keep_out(&mut self, rules: Vec<RuleTuple>) -> usize {
        let rule = |(player, moves, only, plies)| {
            let player = if player == 0 { Player::First } else { Player::Second };
            RestrictionRule { player, moves, only, plies }
        };
        self.search.keep_out(rules.into_iter().map(rule).collect())
    }

    fn configure(&mut self, config: Config) {
        self.search.configure(config);
    }

    fn set_guide(&mut self, entries: &[GuideEntry], lasting: bool) -> Result<(), String> {
        let game = self.search.game();
        let mut guide = Guide::default();
        // The positions along the line before, which most lines share all but the end of.
        let mut line: Vec<G::Position> = Vec::new();
        let mut before: Option<(&Option<String>, &[String])> = None;
        for (start, moves, hints) in entries {
            let same = match before {
                Some((other, passed)) if other == start => {
                    1 + passed.iter().zip(moves).take_while(|(a, b)| a == b).count()
                }
                _ => 0,
            };
            line.truncate(same);
            if line.is_empty() {
                line.push(match start {
                    Some(text) => game.parse_position(text)?,
                    None => game.initial(),
                });
            }
            for text in &moves[line.len() - 1..] {
                let mut position = line[line.len() - 1].clone();
                let step = step(game, &position, text)?;
                enter(game, &mut position, step)?;
                line.push(position);
            }
            before = Some((start, moves));
            let position = &line[line.len() - 1];
            for ((text, weight, visits, value, banned), trees, ours) in hints {
                let (action, weight, ours) = (parse(game, position, text)?, *weight, *ours);
                guide.add(game, position, Hint { action, weight, visits: *visits, value: *value, banned: *banned });
                for &tree in trees {
                    guide.add_step(game, position, TreeStep { tree, action, weight, ours });
                }
            }
        }
        if lasting {
            self.search.set_lasting(guide);
        } else {
            self.search.set_guide(guide);
        }
        Ok(())
    }

    fn set_macros(&mut self, images: &Images, macros: Vec<MacroTuple>) -> Result<(), String> {
        let relations = self.search.game().relations();
        let macros = macros.into_iter().map(|one| one.read(relations)).collect::<Result<_, _>>()?;
        self.search.set_macros(images, macros)
    }

    fn hints(&self) -> Vec<HintTuple> {
        let (game, position) = (self.search.game(), self.search.position());
        let text =
            |hint: Hint| (game.action_text(position, hint.action), hint.weight, hint.visits, hint.value, hint.banned);
        self.search.hints().into_iter().map(text).collect()
    }

    fn estimates(&self) -> EstimatesTuple {
        let (game, position) = (self.search.game(), self.search.position());
        let (value, preferences) = self.search.estimates();
        let named = |(action, preference)| (game.action_text(position, action), preference);
        (value, preferences.map(|all| all.into_iter().map(named).collect()))
    }

    fn set_books(&mut self, books: Option<Books>) {
        self.search.set_library(books.map(self.library));
    }

    fn set_book_plies(&mut self, plies: u32) {
        self.search.set_book_plies(plies);
    }

    fn set_tables(&mut self, tables: Option<&TablePaths>, depth: u32) -> Result<(), String> {
        self.search.set_tables(tables, depth)
    }

    fn set_nets(&mut self, path: Option<&Path>, game: &str) -> Result<(), String> {
        let learned = path.map(|path| Learned::open(path, self.search.game(), game)).transpose()?;
        self.search.set_learned(learned).map_err(|what| of_file(path, what))
    }

    fn set_patterns(&mut self, path: Option<&Path>, game: &str) -> Result<(), String> {
        let patterns = path.map(|path| Patterns::open(path, self.search.game(), game)).transpose()?;
        self.search.set_patterns(patterns);
        Ok(())
    }

    fn config(&self) -> &Config {
        self.search.config()
    }

    fn vary(&mut self, variation: u64) {
        self.search.vary(variation);
    }

    fn clear(&mut self) {
        self.search.clear();
    }

    fn free_half(&mut self) {
        self.search.free_half();
    }

    fn report(&self, lines: usize) -> ReportTuple {
        self.tuple(self.search.report(lines))
    }

    fn used(&self) -> usize {
        self.search.used()
    }

    fn upkeep(&self) -> Upkeep {
        self.search.upkeep()
    }

    fn save(&mut self, path: &Path, game: &str) -> Result<(), String> {
        let start = self.start.clone().unwrap_or_default();
        self.search.save(path, &Label { game: game.to_owned(), start })
    }

    fn load(&mut self, path: &Path, game: &str) -> Result<(), String> {
        let start = self.search.load(path, game)?;
        if self.search.config().transpositions {
            return Ok(());
        }
        // A plain tree knows one start, under a key that does not tell which.
        self.start = (!start.is_empty()).then_some(start);
        let start = self.start.clone();
        self.set_position(start.as_deref(), &[])
    }

    fn run(
        &mut self,
        limits: Limits,
        control: &Control,
        interval: Duration,
        lines: usize,
        on_report: &mut dyn FnMut(ReportTuple),
    ) -> (Reason, ReportTuple) {
        let outcome = self.search.run(limits, control, interval, lines, &mut |game, position, report| {
            on_report(tuple(game, position, report));
        });
        (outcome.reason, self.tuple(outcome.report))
    }
}

pub struct MakeSearch(pub Config);

impl Make for MakeSearch {
    type Output = Box<dyn AnySearch>;

    fn make<G: Game>(self, game: G) -> Self::Output {
        Box::new(HeldSearch::new(game, self.0, |books| Box::new(KernelBooks(books))))
    }
}
