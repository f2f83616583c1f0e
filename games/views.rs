//! Positions as nets read them.

use crate::{
    game::Game,
    player::Player,
    support::inputs::{Input, Judged, NetShape},
    zobrist,
};

impl NetShape {
    /// That of `game`.
    ///
    /// # Errors
    ///
    /// One line if the game has none.
    pub fn of<G: Game>(game: &G) -> Result<NetShape, String> {
        game.net_shape().ok_or_else(none)
    }

    /// That of nets of which the policy alone counts (`Game::policy_shape`).
    ///
    /// # Errors
    ///
    /// One line if the game has none.
    pub fn of_policy<G: Game>(game: &G) -> Result<NetShape, String> {
        game.policy_shape().ok_or_else(none)
    }
}

fn none() -> String {
    "this game has no inputs for nets".to_owned()
}

/// The greatest value whose atanh is added to logits.
pub const SURE: f32 = 0.999;

/// The game's own logit of a win, atanh(H(s)) for the judged player at `p`, where the nets' logits are added to it.
pub fn own_logit<G: Game>(game: &G, p: &G::Position, shape: &NetShape, judged: Player) -> Option<f32> {
    let value = shape.over_own.then(|| game.evaluate(&mut p.clone())).flatten()?;
    Some(judged.sign() * game.player(p).sign() * value.clamp(-SURE, SURE).atanh())
}

/// The inputs of a position from each point of view that a net reads.
#[derive(Debug, Default)]
pub struct Views {
    inputs: [Vec<Input>; 2],
    len: usize,
}

impl Views {
    /// Reads the inputs of `p` from this many points of view (`NetShape::views`); None where nets do not judge it.
    pub fn read<G: Game>(&mut self, game: &G, p: &G::Position, views: u8) -> Option<Judged> {
        let [own, other] = &mut self.inputs;
        let judged = game.inputs(p, 0, own)?;
        self.len = if views == 2 && game.inputs(p, 1, other).is_some() { 2 } else { 1 };
        Some(judged)
    }

    /// The inputs of each point of view, those of the judged player first.
    pub fn iter(&self) -> impl Iterator<Item = &[Input]> {
        self.inputs[..self.len].iter().map(Vec::as_slice)
    }

    /// A hash of all inputs.
    pub fn key(&self) -> u64 {
        let words = self.iter().flatten().map(|input| u64::from(input.index) << 32 | u64::from(input.value.to_bits()));
        words.fold(self.own().len() as u64, zobrist::key)
    }

    /// The inputs of the judged player.
    pub fn own(&self) -> &[Input] {
        &self.inputs[0]
    }
}
