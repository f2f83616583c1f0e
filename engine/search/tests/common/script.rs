//! A game that is a tree written down: each position's mover, H(s), H(s, a) and result.

use playout_games::{Action, Game, Player, zobrist};

/// A position and all that follows.
pub enum Tree {
    /// The game is over, with this result for the first player.
    End(f32),
    Turn {
        player: Player,
        /// H(s) for the player to move.
        value: f32,
        /// Preference and consequence of each action.
        moves: Vec<(f32, Tree)>,
    },
}

impl Tree {
    /// A turn in which no action is preferred.
    pub fn turn(player: Player, value: f32, moves: impl IntoIterator<Item = Tree>) -> Tree {
        Tree::Turn { player, value, moves: moves.into_iter().map(|tree| (0.0, tree)).collect() }
    }
}

struct Place {
    player: Player,
    value: f32,
    result: Option<f32>,
    moves: Vec<(f32, usize)>,
}

/// The game; a position is the number of a place.
pub struct Script(Vec<Place>);

impl Script {
    pub fn new(tree: Tree) -> Script {
        let mut places = Vec::new();
        add(&mut places, tree);
        Script(places)
    }
}

fn add(places: &mut Vec<Place>, tree: Tree) -> usize {
    let number = places.len();
    places.push(Place { player: Player::First, value: 0.0, result: None, moves: Vec::new() });
    match tree {
        Tree::End(result) => places[number].result = Some(result),
        Tree::Turn { player, value, moves } => {
            let moves = moves.into_iter().map(|(preference, tree)| (preference, add(places, tree))).collect();
            places[number] = Place { player, value, result: None, moves };
        }
    }
    number
}

impl Game for Script {
    type Position = usize;

    fn initial(&self) -> usize {
        0
    }

    fn player(&self, &p: &usize) -> Player {
        self.0[p].player
    }

    fn result(&self, &p: &usize) -> Option<f32> {
        self.0[p].result
    }

    fn actions(&self, &p: &usize, out: &mut Vec<Action>) {
        out.clear();
        out.extend(0..self.0[p].moves.len() as Action);
    }

    fn play(&self, p: &mut usize, a: Action) {
        *p = self.0[*p].moves[a as usize].1;
    }

    fn frame_key(&self, &p: &usize, _: u8) -> u64 {
        zobrist::key(p as u64, 1)
    }

    fn evaluate(&self, &mut p: &mut usize) -> Option<f32> {
        Some(self.0[p].value)
    }

    fn preferences(&self, &p: &usize, actions: &[Action], out: &mut Vec<f32>) -> bool {
        out.clear();
        out.extend(actions.iter().map(|&action| self.0[p].moves[action as usize].0));
        true
    }

    fn action_text(&self, _: &usize, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<usize, String> {
        Err("no text".to_owned())
    }
}
