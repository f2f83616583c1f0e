//! The plies in which a restriction is in force: away from the way that other simulations take.

use std::sync::atomic::Ordering::Relaxed;

use playout_games::{Action, Game, Player};

use super::Worker;
use crate::{
    graph::node::{Node, RESTRICTED},
    restriction::key_below,
};

impl<G: Game> Worker<'_, G> {
    /// Plies from the root to the current node.
    fn ply(&self) -> u32 {
        let movers = self.path.iter().map(|step| self.shared.store.node(step.node).mover());
        movers.filter(|&mover| mover != Player::Chance).count() as u32
    }

    /// The ply of the current node's children.
    fn next_ply(&self, parent: &Node) -> u32 {
        self.ply() + u32::from(parent.mover() != Player::Chance)
    }

    /// The key and the frame of the position that `action` led to from a restricted node, the current one.
    #[cold]
    pub(super) fn restricted_key(&self, parent: &Node, action: Action) -> (u64, u8) {
        let shared = self.shared;
        let key = parent.key.load(Relaxed);
        let search = (shared.game, shared.config, shared.restriction);
        key_below(search, &self.position, (key, action), self.next_ply(parent))
    }

    /// Whether the children of the current node are restricted.
    pub(super) fn restricts_below(&self, parent: &Node) -> bool {
        parent.has(RESTRICTED) && self.shared.restriction.is_some_and(|rules| rules.reaches(self.next_ply(parent)))
    }

    /// Leaves those of the legal `actions`, as the rules see them, that may be played at the current node.
    #[cold]
    pub(super) fn keep_permitted(&mut self) {
        let ply = self.ply();
        if let Some(restriction) = self.shared.restriction {
            restriction.retain(self.shared.game, &self.position, ply, &mut self.actions);
        }
    }
}
