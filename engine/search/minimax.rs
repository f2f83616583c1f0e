//! Minimax to a given depth, and expectiminimax where there is chance (Michie 1966): no sampling, no graph. On small
//! games it is the exact value function; elsewhere the yardstick for searches that sample.
//!
//! A finished position is worth its result, a position at the depth H(s), and 0 where the game has no H(s). Dice cost no
//! depth: a position after a roll is as deep as the roll. At a player's node alpha-beta leaves out what cannot matter;
//! the mean at a chance node takes every outcome with an open window, so it is exact.

use playout_games::{Action, Game, Player};

use crate::{evaluator::Evaluator, restriction::Restriction};

/// One move of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MinimaxMove {
    pub action: Action,
    /// For the player to move at the root.
    pub value: f32,
    /// Whether `value` rests on results alone: nothing that it depends on was cut at the depth.
    pub exact: bool,
    /// Best play, beginning with `action`, as far as the depth and, at most, the next roll.
    pub pv: Vec<Action>,
}

/// The value of a position for its player to move (at a chance node: for the first player).
struct Worth {
    value: f32,
    exact: bool,
    /// In reverse order.
    pv: Vec<Action>,
}

struct Minimax<'a, G> {
    evaluator: Evaluator<'a, G>,
    restriction: Option<&'a Restriction>,
    /// Depth of the iteration under way, in plies.
    depth: u32,
    stop: &'a dyn Fn() -> bool,
    nodes: &'a mut u64,
}

/// The moves of `position`, best first, each searched with an open window so that its value is exact for the depth.
/// `depth` counts moves of players, 1 or more. Deepens a ply at a time and returns what the last finished depth found,
/// None if not even the first was finished. A `restriction` keeps moves out; a position where none is left is as deep
/// as the search looks. `stop` is asked at each position, `nodes` counts them.
///
/// `position` is one where a player moves and the game goes on; elsewhere there are no lines.
pub fn minimax<'a, G: Game>(
    evaluator: impl Into<Evaluator<'a, G>>,
    position: &G::Position,
    depth: u32,
    restriction: Option<&Restriction>,
    stop: &dyn Fn() -> bool,
    nodes: &mut u64,
) -> Option<Vec<MinimaxMove>> {
    let evaluator = evaluator.into();
    let game = evaluator.game;
    let mut actions = Vec::new();
    if game.result(position).is_none() && game.player(position) != Player::Chance {
        game.actions(position, &mut actions);
        if let Some(restriction) = restriction {
            restriction.retain(game, position, 0, &mut actions);
        }
    }
    let mut search = Minimax { evaluator, restriction, depth: 0, stop, nodes };
    let mut lines = None;
    for depth in 1..=depth.max(1) {
        search.depth = depth;
        let Some(mut found) = search.root(position, &actions, depth) else { break };
        found.sort_by(|a: &MinimaxMove, b: &MinimaxMove| b.value.total_cmp(&a.value));
        // The next iteration meets good moves first.
        actions = found.iter().map(|line| line.action).collect();
        let done = found.iter().all(|line| line.exact);
        lines = Some(found);
        if done {
            break;
        }
    }
    lines
}

impl<G: Game> Minimax<'_, G> {
    fn root(&mut self, p: &G::Position, actions: &[Action], depth: u32) -> Option<Vec<MinimaxMove>> {
        let mut lines = Vec::with_capacity(actions.len());
        for &action in actions {
            let Worth { value, exact, mut pv } = self.after(p, action, depth - 1, -f32::INFINITY, f32::INFINITY)?;
            pv.push(action);
            pv.reverse();
            lines.push(MinimaxMove { action, value, exact, pv });
        }
        Some(lines)
    }

    /// The value of playing `action` at `p`, for the player to move at `p`.
    fn after(&mut self, p: &G::Position, action: Action, depth: u32, alpha: f32, beta: f32) -> Option<Worth> {
        let game = self.evaluator.game;
        let mut child = p.clone();
        game.play(&mut child, action);
        let sign = game.player(p).sign();
        // A result is the first player's, as is the worth of a chance node.
        let theirs = match game.result(&child) {
            Some(_) => sign < 0.0,
            None => game.player(&child).sign() != sign,
        };
        let (low, high) = if theirs { (-beta, -alpha) } else { (alpha, beta) };
        let mut worth = self.worth(&mut child, depth, low, high)?;
        if theirs {
            worth.value = -worth.value;
        }
        Some(worth)
    }

    /// The value of `p`: exact inside the window, else a bound.
    fn worth(&mut self, p: &mut G::Position, depth: u32, mut alpha: f32, beta: f32) -> Option<Worth> {
        let game = self.evaluator.game;
        *self.nodes += 1;
        if (self.stop)() || game.faulty() {
            return None;
        }
        if let Some(value) = game.result(p) {
            return Some(Worth { value, exact: true, pv: Vec::new() });
        }
        let mut actions = Vec::new();
        if game.player(p) == Player::Chance {
            game.actions(p, &mut actions);
            let (mut value, mut whole, mut exact) = (0.0, 0.0, true);
            for outcome in actions {
                let chance = game.probability(p, outcome);
                let worth = self.after(p, outcome, depth, -f32::INFINITY, f32::INFINITY)?;
                value += chance * worth.value;
                whole += chance;
                exact &= worth.exact;
            }
            return Some(Worth { value: value / whole, exact, pv: Vec::new() });
        }
        if depth == 0 {
            return Some(Worth { value: self.evaluator.value(p).unwrap_or(0.0), exact: false, pv: Vec::new() });
        }
        game.actions(p, &mut actions);
        if let Some(restriction) = self.restriction {
            restriction.retain(game, p, self.depth - depth, &mut actions);
            if actions.is_empty() {
                return Some(Worth { value: self.evaluator.value(p).unwrap_or(0.0), exact: false, pv: Vec::new() });
            }
        }
        let mut best = Worth { value: -f32::INFINITY, exact: true, pv: Vec::new() };
        let mut exact = true;
        for action in actions {
            let mut worth = self.after(p, action, depth - 1, alpha, beta)?;
            exact &= worth.exact;
            if worth.value > best.value {
                worth.pv.push(action);
                best = worth;
                alpha = alpha.max(best.value);
                if alpha >= beta {
                    // The other moves, whatever they are worth, do not matter to the bound.
                    return Some(best);
                }
            }
        }
        // Nothing is better than a certain win.
        best.exact = exact || best.exact && best.value >= 1.0;
        Some(best)
    }
}
