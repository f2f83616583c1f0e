//! A small game that can be searched whole, for the crate's own tests and for those beside it.

use std::{thread, time::Duration};

use playout_games::{Action, Game, Player, zobrist};

/// Players take one to `most` of a heap in turn; who takes the last one wins.
#[derive(Clone)]
pub struct Heap {
    pub size: u32,
    pub most: u32,
    /// For how long an empty heap is looked at before its node is ready: time for other threads to meet it.
    pub pause: Duration,
}

impl Game for Heap {
    type Position = (u32, Player);

    fn initial(&self) -> Self::Position {
        (self.size, Player::First)
    }

    fn player(&self, p: &Self::Position) -> Player {
        p.1
    }

    fn result(&self, p: &Self::Position) -> Option<f32> {
        (p.0 == 0).then(|| -p.1.sign())
    }

    fn path_dependent(&self, p: &Self::Position) -> bool {
        if p.0 == 0 && !self.pause.is_zero() {
            thread::sleep(self.pause);
        }
        false
    }

    fn actions(&self, p: &Self::Position, out: &mut Vec<Action>) {
        out.clear();
        out.extend(1..=p.0.min(self.most));
    }

    fn play(&self, p: &mut Self::Position, a: Action) {
        *p = (p.0 - a, p.1.other());
    }

    fn frame_key(&self, p: &Self::Position, _: u8) -> u64 {
        zobrist::key(u64::from(p.0), p.1 as u64)
    }

    fn action_text(&self, _: &Self::Position, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<Self::Position, String> {
        Err("no text".to_owned())
    }
}
