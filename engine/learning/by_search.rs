//! Games that a search plays against itself, with what it found at each position.

use std::time::Duration;

use playout_games::{Action, Game, Player, Rng, draw, zobrist};
use playout_search::{Config, Control, Limits, MoveReport, PolicyKind, Search, SearchReport};

use crate::records::{GameRecord, Ply, Searched};

/// Settings of self-play.
#[derive(Clone, Debug, PartialEq)]
pub struct Manner {
    pub config: Config,
    /// Simulations of the searches that are learned from, and of the others.
    pub simulations: u64,
    pub cheap_simulations: u64,
    /// Part of the searches that are learned from (Wu 2019: playout cap randomisation).
    pub full_share: f32,
    /// Share of Dirichlet noise in the root's priors of searches that are learned from, under PUCT.
    pub noise: f32,
    /// Sum of the concentrations of that noise over the root's moves.
    pub concentration: f32,
    /// Moves are drawn in proportion to visits ^ (1 / temperature); at the start of a game it is this one,
    pub temperature: f32,
    /// and after each as many plies it is half as high.
    pub half_life: f32,
    /// A game begins with up to this many random plies.
    pub random_plies: u32,
    /// Positions of which a game begins with one, drawn at random; none are the game's own start.
    pub openings: Vec<Opening>,
}

/// A position in which games begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// Where it comes from.
    pub place: String,
    pub text: String,
}

impl Opening {
    /// Reads the position.
    ///
    /// # Errors
    ///
    /// One line that names its place and what is wrong with it.
    pub fn position<G: Game>(&self, game: &G) -> Result<G::Position, String> {
        let wrong = |what: &str| format!("{}: {what}", self.place);
        let p = game.parse_position(&self.text).map_err(|what| wrong(&what))?;
        match game.result(&p) {
            Some(_) => Err(wrong("the game is over")),
            None => Ok(p),
        }
    }
}

/// Temperature below which the best move is played.
const COLD: f32 = 0.1;
/// Between reports that nobody reads.
const LONG: Duration = Duration::from_hours(24);

/// Plays a game with random numbers of its own.
///
/// # Errors
///
/// One line if the game's code failed.
pub fn play<G: Game>(search: &mut Search<G>, manner: &Manner, seed: u64) -> Result<GameRecord, String> {
    let mut rng = Rng::with_seed(seed);
    let opening = (!manner.openings.is_empty()).then(|| &manner.openings[rng.usize(..manner.openings.len())]);
    let start = match opening {
        Some(opening) => opening.position(search.game())?,
        None => search.game().initial(),
    };
    let (mut p, mut plies, mut line) = (start.clone(), Vec::new(), Vec::new());
    let random_plies = rng.u32(..=manner.random_plies) as usize;
    search.configure(manner.config.clone());
    search.set_position(start.clone(), []);
    search.clear();
    let mut actions = Vec::new();
    loop {
        if search.game().faulty() {
            return Err("the game's code failed".to_owned());
        }
        if let Some(result) = search.game().result(&p) {
            return Ok(GameRecord { seed, start: opening.map(|opening| opening.text.clone()), result, plies });
        }
        search.game().actions(&p, &mut actions);
        let (action, searched) = if search.game().player(&p) == Player::Chance {
            (search.game().sample(&p, &mut rng), Searched::Not)
        } else if plies.len() < random_plies {
            (actions[rng.usize(..actions.len())], Searched::Not)
        } else {
            let full = rng.f32() < manner.full_share;
            search.set_position(start.clone(), line.iter().copied());
            let report = look(search, manner, full, actions.len(), zobrist::key(seed, plies.len() as u64));
            let Some(best) = report.moves.first() else { return Err("the search found no move".to_owned()) };
            let temperature = manner.temperature * (-(plies.len() as f32) / manner.half_life).exp2();
            let action = if temperature < COLD || best.lower >= 1.0 {
                best.action
            } else {
                drawn(&report.moves, temperature, &mut rng)
            };
            let searched = if full {
                let noisy = manner.noise > 0.0 && manner.config.tree_policy == PolicyKind::Puct;
                let visits = target(&report.moves, noisy.then_some(&manner.config));
                Searched::Visits(report.value.clamp(-1.0, 1.0), visits)
            } else {
                Searched::Value(report.value.clamp(-1.0, 1.0))
            };
            (action, searched)
        };
        search.game().play(&mut p, action);
        line.push(playout_search::LineStep::Action(action));
        plies.push(Ply { action, searched });
    }
}

/// Searches. A search that is learned from starts anew, so that its noise acts.
fn look<G: Game>(search: &mut Search<G>, manner: &Manner, full: bool, moves: usize, seed: u64) -> SearchReport {
    let noisy = full && manner.config.tree_policy == PolicyKind::Puct;
    search.configure(Config {
        root_noise: if noisy { manner.noise } else { 0.0 },
        root_noise_alpha: manner.concentration / moves as f32,
        ..manner.config.clone()
    });
    if full {
        search.clear();
    }
    search.vary(seed);
    let nodes = Some(if full { manner.simulations } else { manner.cheap_simulations });
    let limits = Limits { nodes, ..Limits::default() };
    search.run(limits, &Control::default(), LONG, 0, &mut |_, _, _| {}).report
}

/// A move that is no proven loss, if there is one, in proportion to visits ^ (1 / temperature).
fn drawn(moves: &[MoveReport], temperature: f32, rng: &mut Rng) -> Action {
    let most = moves.iter().map(|one| one.visits).max().unwrap_or(1).max(1) as f32;
    let weights = moves.iter().map(|one| match one.upper <= -1.0 {
        true => 0.0,
        false => (one.visits as f32 / most).powf(1.0 / temperature),
    });
    moves[draw::weighted(weights, rng).unwrap_or(0)].action
}

/// The visits to learn from. Of a position whose best moves are proven, these alone. Else, after a search with noise, those
/// that the search would have given without it: each move but the most visited one loses visits while PUCT would not have
/// asked for them, and all of them if there was one only (Wu 2019: policy target pruning).
fn target(moves: &[MoveReport], noisy: Option<&Config>) -> Vec<(Action, u32)> {
    let best = &moves[0];
    let proven = |one: &&MoveReport| one.lower >= one.upper;
    if proven(&best) && best.value > -1.0 && (best.value >= 1.0 || moves.iter().all(|one| one.upper <= best.lower)) {
        let as_good = moves.iter().filter(proven).filter(|one| one.value >= best.value);
        return as_good.map(|one| (one.action, one.visits.max(1))).collect();
    }
    let open = |one: &&MoveReport| one.upper > -1.0 || best.upper <= -1.0;
    let most = moves.iter().filter(open).max_by_key(|one| one.visits).unwrap_or(best);
    let all: u32 = moves.iter().map(|one| one.visits).sum();
    let score = |one: &MoveReport, visits: u32, scale: f32| one.value + scale * one.prior / (1.0 + visits as f32);
    let pruned = moves.iter().filter(open).map(|one| {
        let Some(config) = noisy.filter(|_| !std::ptr::eq(one, most)) else { return (one.action, one.visits) };
        let scale = config.exploration * (all as f32).sqrt();
        let bar = score(most, most.visits, scale);
        let mut visits = one.visits;
        while visits > 0 && score(one, visits - 1, scale) < bar {
            visits -= 1;
        }
        (one.action, if visits == 1 { 0 } else { visits })
    });
    let kept: Vec<(Action, u32)> = pruned.filter(|&(_, visits)| visits > 0).collect();
    if kept.is_empty() { vec![(best.action, 1)] } else { kept }
}

/// Plays two games from one opening, a game with each colour for the first searcher, and returns its results in them. The
/// opening has this many random plies.
///
/// # Errors
///
/// As `play`.
pub fn play_pair<G: Game>(
    sides: [&mut Search<G>; 2],
    simulations: [u64; 2],
    opening_plies: u32,
    seed: u64,
) -> Result<[f32; 2], String> {
    let mut rng = Rng::with_seed(seed);
    let [first, second] = sides;
    let opening = opening(first.game(), opening_plies, &mut rng);
    let mut results = [0.0; 2];
    for (number, result) in results.iter_mut().enumerate() {
        let sides = [&mut *first, &mut *second];
        *result = match number {
            0 => play_game(sides, simulations, &opening, zobrist::key(seed, 1))?,
            _ => {
                let [a, b] = sides;
                -play_game([b, a], [simulations[1], simulations[0]], &opening, zobrist::key(seed, 2))?
            }
        };
    }
    Ok(results)
}

/// Random actions from the start, after which the game goes on.
fn opening<G: Game>(game: &G, plies: u32, rng: &mut Rng) -> Vec<Action> {
    let mut actions = Vec::new();
    'again: for tried in 0.. {
        let (mut p, mut line) = (game.initial(), Vec::new());
        for _ in 0..plies {
            game.actions(&p, &mut actions);
            if actions.is_empty() || game.faulty() {
                break;
            }
            line.push(match game.player(&p) {
                Player::Chance => game.sample(&p, rng),
                _ => actions[rng.usize(..actions.len())],
            });
            game.play(&mut p, line[line.len() - 1]);
            if game.result(&p).is_some() && tried < 100 {
                continue 'again;
            }
        }
        return if game.result(&p).is_some() { Vec::new() } else { line };
    }
    Vec::new()
}

/// The result for the first player, who is the first searcher.
fn play_game<G: Game>(
    sides: [&mut Search<G>; 2],
    simulations: [u64; 2],
    opening: &[Action],
    seed: u64,
) -> Result<f32, String> {
    let mut rng = Rng::with_seed(seed);
    let start = sides[0].game().initial();
    let (mut p, mut line) = (start.clone(), Vec::new());
    for &action in opening {
        sides[0].game().play(&mut p, action);
        line.push(playout_search::LineStep::Action(action));
    }
    let [first, second] = sides;
    for search in [&mut *first, &mut *second] {
        search.set_position(start.clone(), []);
        search.clear();
    }
    loop {
        if first.game().faulty() {
            return Err("the game's code failed".to_owned());
        }
        if let Some(result) = first.game().result(&p) {
            return Ok(result);
        }
        let player = first.game().player(&p);
        let action = if player == Player::Chance {
            first.game().sample(&p, &mut rng)
        } else {
            let (search, nodes) = match player {
                Player::First => (&mut *first, simulations[0]),
                _ => (&mut *second, simulations[1]),
            };
            search.set_position(start.clone(), line.iter().copied());
            search.vary(rng.u64(..));
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let report = search.run(limits, &Control::default(), LONG, 0, &mut |_, _, _| {}).report;
            report.moves.first().ok_or("the search found no move")?.action
        };
        first.game().play(&mut p, action);
        line.push(playout_search::LineStep::Action(action));
    }
}

#[cfg(test)]
mod tests {
    use playout_games::tic_tac_toe::TicTacToe;

    use super::*;

    fn manner(config: Config) -> Manner {
        Manner {
            config,
            simulations: 60,
            cheap_simulations: 10,
            full_share: 0.5,
            noise: 0.25,
            concentration: 10.0,
            temperature: 1.0,
            half_life: 4.0,
            random_plies: 2,
            openings: Vec::new(),
        }
    }

    fn report(action: Action, visits: u32, value: f32, bounds: (f32, f32)) -> MoveReport {
        MoveReport {
            action,
            visits,
            prior: 0.25,
            value,
            win: 0.0,
            draw: 0.0,
            lower: bounds.0,
            upper: bounds.1,
            plies: None,
            line: Vec::new(),
            line_visits: Vec::new(),
            score: None,
        }
    }

    #[test]
    fn a_game_is_that_of_its_seed() {
        let config = Config { hash_mib: 8, ..Config::default() };
        let mut search = Search::new(TicTacToe, config.clone());
        let first = play(&mut search, &manner(config.clone()), 7).unwrap();
        play(&mut search, &manner(config.clone()), 8).unwrap();
        assert_eq!(play(&mut search, &manner(config.clone()), 7), Ok(first.clone()));
        let mut other = Search::new(TicTacToe, config.clone());
        assert_eq!(play(&mut other, &manner(config), 7), Ok(first.clone()));
        assert!(first.plies.iter().any(|ply| !ply.searched.visits().is_empty()));
    }

    #[test]
    fn games_begin_in_the_openings() {
        let config = Config { hash_mib: 8, ..Config::default() };
        let opening = |place: &str, text: &str| Opening { place: place.to_owned(), text: text.to_owned() };
        let openings = vec![opening("one", "x2/1o1/3 x"), opening("two", "x1o/3/3 x")];
        let with = Manner { openings: openings.clone(), ..manner(config.clone()) };
        let mut search = Search::new(TicTacToe, config);
        let starts: Vec<_> = (0..20).map(|seed| play(&mut search, &with, seed).unwrap().start.unwrap()).collect();
        assert!(openings.iter().all(|one| starts.contains(&one.text)), "{starts:?}");
        let refused = |text: &str| {
            let with = Manner { openings: vec![opening("FILE, line 7", text)], ..with.clone() };
            play(&mut Search::new(TicTacToe, with.config.clone()), &with, 1).unwrap_err()
        };
        assert!(refused("no board").starts_with("FILE, line 7: "));
        assert_eq!(refused("xxx/oo1/3 o"), "FILE, line 7: the game is over");
    }

    #[test]
    fn pairs_give_both_colours() {
        let config = Config { hash_mib: 8, ..Config::default() };
        let mut sides = [Search::new(TicTacToe, config.clone()), Search::new(TicTacToe, config)];
        let [strong, weak] = &mut sides;
        let mut sum = 0.0;
        for seed in 0..20 {
            sum += play_pair([strong, weak], [500, 1], 1, seed).unwrap().iter().sum::<f32>();
        }
        assert!(sum > 10.0, "{sum}");
    }

    #[test]
    fn visits_that_noise_explains_are_not_learned() {
        let open = (-1.0, 1.0);
        let moves =
            [report(1, 60, 0.3, open), report(2, 30, -0.4, open), report(3, 10, 0.3, open), report(4, 1, 0.0, open)];
        assert_eq!(target(&moves, None), [(1, 60), (2, 30), (3, 10), (4, 1)]);
        let config = Config { tree_policy: PolicyKind::Puct, exploration: 1.0, ..Config::default() };
        // The bar: 0.3 + 0.25 * sqrt(101) / 61 = 0.341. The second move reaches it at two visits, and keeps three.
        assert_eq!(target(&moves, Some(&config)), [(1, 60), (2, 3), (3, 10)]);
    }

    #[test]
    fn of_proven_moves_the_best_are_learned() {
        let (won, lost, open) = ((1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0));
        let moves = [report(1, 5, 1.0, won), report(2, 3, 1.0, won), report(3, 90, 0.5, open)];
        assert_eq!(target(&moves, None), [(1, 5), (2, 3)]);
        let moves = [report(1, 5, 0.1, open), report(2, 50, -1.0, lost)];
        assert_eq!(target(&moves, None), [(1, 5)]);
        let moves = [report(1, 5, -1.0, lost), report(2, 50, -1.0, lost)];
        assert_eq!(target(&moves, None), [(1, 5), (2, 50)]);
    }
}
