//! A game under way.

use playout_games::{Game, NetShape, Rng, zobrist};

use super::{
    Manner,
    choice::{gumbel, halving, improved_policy, improved_value, root_choice},
    tree::{Opinion, Tree},
};
use crate::{
    outcomes::Outcomes,
    records::{GameRecord, Ply, Searched},
};

/// Shares of a policy are kept as parts of this many.
const PARTS: f32 = 10_000.0;
/// Beyond this value a position counts as decided, and this part of its searches that would be learned from, and of its values,
/// are.
const DECIDED: f32 = 0.9;
const DECIDED_SHARE: f32 = 0.25;

/// The search for the next action.
struct Look {
    /// Whether its policy is learned, and its value.
    full: bool,
    counts: bool,
    noise: Vec<f32>,
    /// Visits of the action to visit next, simulation by simulation.
    visits: Vec<u32>,
    done: usize,
}

/// A game under way, and the tree of its search.
pub struct Table<G: Game> {
    seed: u64,
    rng: Rng,
    p: G::Position,
    plies: Vec<Ply>,
    random_plies: usize,
    /// Value of the last search, without its sign.
    last: f32,
    tree: Tree<G>,
    look: Option<Look>,
    buffer: Vec<f32>,
}

impl<G: Game> Table<G> {
    /// Begins a game of this seed.
    pub fn new(game: &G, manner: &Manner, seed: u64) -> Table<G> {
        let mut rng = Rng::with_seed(seed);
        Table {
            seed,
            p: game.initial(),
            plies: Vec::new(),
            random_plies: rng.u32(..=manner.random_plies) as usize,
            last: 0.0,
            tree: Tree::new(),
            look: None,
            buffer: Vec::new(),
            rng,
        }
    }

    /// Plays on until a position is to be judged, and writes its inputs; hands over each game that is over, after which another
    /// begins.
    ///
    /// # Errors
    ///
    /// One line if nets do not judge the position.
    pub fn ask(
        &mut self,
        game: &G,
        shape: &NetShape,
        manner: &Manner,
        inputs: &mut [f32],
        over: &mut impl FnMut(GameRecord),
    ) -> Result<(), String> {
        while !self.descends(game, manner) {
            if self.look.is_some() {
                self.decide(game, manner);
            }
            if let Some(result) = game.result(&self.p) {
                let plies = std::mem::take(&mut self.plies);
                over(GameRecord { seed: self.seed, start: None, result, plies });
                let next = Table::new(game, manner, zobrist::key(self.seed, 1));
                let Table { tree, buffer, .. } = std::mem::replace(self, next);
                (self.tree, self.buffer) = (tree, buffer);
            }
            if self.plies.len() < self.random_plies {
                let mut actions = Vec::new();
                game.actions(&self.p, &mut actions);
                let action = actions[self.rng.usize(..actions.len())];
                game.play(&mut self.p, action);
                self.plies.push(Ply { action, searched: Searched::Not });
                continue;
            }
            self.tree.start(game, &self.p);
            break;
        }
        self.tree.ask(game, shape, inputs)
    }

    /// Goes on with a search; true at a leaf that is to be judged, and false where there is no search or it has ended.
    fn descends(&mut self, game: &G, manner: &Manner) -> bool {
        let Table { look: Some(look), tree, buffer, .. } = self else { return false };
        while let Some(&visits) = look.visits.get(look.done) {
            look.done += 1;
            let arm = root_choice(tree.root(), &look.noise, tree.root_value(), visits, manner, buffer);
            if tree.descend(game, arm, manner) {
                return true;
            }
        }
        false
    }

    /// Takes the judge's opinion of the position that was asked for.
    pub fn tell(&mut self, game: &G, shape: &NetShape, outcomes: &Outcomes, manner: &Manner, opinion: &Opinion) {
        self.tree.tell(game, shape, outcomes, opinion);
        if self.look.is_none() {
            let part = if self.last > DECIDED { DECIDED_SHARE } else { 1.0 };
            let full = self.rng.f32() < part * manner.full_share;
            let counts = full || self.rng.f32() < part;
            let arms = self.tree.root().len() as u32;
            let simulations = if full { manner.simulations } else { manner.cheap_simulations };
            self.look = Some(Look {
                full,
                counts,
                noise: (0..arms).map(|_| gumbel(&mut self.rng)).collect(),
                visits: halving(arms.min(manner.considered).min(simulations), simulations),
                done: 0,
            });
        }
    }

    /// Plays the action that a search came to.
    fn decide(&mut self, game: &G, manner: &Manner) {
        let Table { look, tree, buffer, .. } = self;
        let Some(look) = look.take() else { return };
        let (arms, judged) = (tree.root(), tree.root_value());
        let most = arms.iter().map(|arm| arm.visits).max().unwrap_or(0);
        let action = tree.root_actions()[root_choice(arms, &look.noise, judged, most, manner, buffer)];
        let value = improved_value(arms, judged, manner).clamp(-1.0, 1.0);
        let searched = if look.full {
            improved_policy(arms, judged, manner, buffer);
            let parts =
                tree.root_actions().iter().zip(&*buffer).map(|(&action, share)| (action, (share * PARTS) as u32));
            Searched::Visits(value, parts.filter(|&(_, parts)| parts > 0).collect())
        } else if look.counts {
            Searched::Value(value)
        } else {
            Searched::Not
        };
        self.last = value.abs();
        game.play(&mut self.p, action);
        self.plies.push(Ply { action, searched });
    }
}
