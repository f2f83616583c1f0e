//! The guide's hints for the position at hand.

use playout_games::{Action, Game};

use super::{Shared, Worker};
use crate::{graph::keys::representative, guide::Hint};

impl<G: Game> Worker<'_, G> {
    /// The guide's hints for the current position, heaviest first; their actions name edges of its node.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let Shared { game, config, guide, .. } = self.shared;
        let Some((hints, frame)) = guide.hints(*game, &self.position) else {
            return Vec::new();
        };
        let mut hints: Vec<Hint> = hints
            .iter()
            .map(|&hint| {
                let action = game.undo_frame(frame, hint.action);
                Hint { action: representative(*game, config, &self.position, self.frame, action), ..hint }
            })
            .collect();
        hints.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        hints
    }

    /// Visits and value, for the current position's mover, that the guide gives the edge of `action`.
    pub(super) fn seed_of(&self, action: Action) -> Option<(u32, f32)> {
        let hint = self.hints().into_iter().find(|hint| hint.action == action && hint.visits > 0)?;
        Some((hint.visits, hint.value))
    }
}
