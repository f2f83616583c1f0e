//! Minimax finds what plain recursion over every line finds.

use std::cell::Cell;

use playout_games::{
    Action, Game, Params, Player, Rng, backgammon::Backgammon, connect_four::ConnectFour, tic_tac_toe::TicTacToe,
    zobrist,
};
use playout_search::minimax::minimax;

/// A random tree: the node's number is its position, and hashes decide what it is.
struct Tree {
    seed: u64,
    chance: bool,
}

#[derive(Clone)]
struct Place {
    number: u64,
    height: u32,
    player: Player,
}

impl Tree {
    fn hash(&self, p: &Place, what: u64) -> u64 {
        zobrist::key(self.seed ^ what << 32, p.number)
    }
}

impl Game for Tree {
    type Position = Place;

    fn initial(&self) -> Place {
        Place { number: 1, height: 0, player: Player::First }
    }

    fn player(&self, p: &Place) -> Player {
        p.player
    }

    fn result(&self, p: &Place) -> Option<f32> {
        let over = p.height >= 6 || p.height > 1 && self.hash(p, 1).is_multiple_of(5);
        over.then(|| [-1.0, -0.5, 0.0, 1.0][self.hash(p, 2) as usize % 4])
    }

    fn actions(&self, p: &Place, out: &mut Vec<Action>) {
        out.clear();
        if self.result(p).is_none() {
            out.extend(0..2 + (self.hash(p, 3) % 3) as Action);
        }
    }

    fn probability(&self, p: &Place, a: Action) -> f32 {
        let count = 2 + (self.hash(p, 3) % 3) as Action;
        (1 + a) as f32 / (count * (count + 1) / 2) as f32
    }

    fn play(&self, p: &mut Place, a: Action) {
        p.number = p.number * 8 + u64::from(a);
        p.height += 1;
        p.player = match self.hash(p, 4) % 5 {
            0 | 1 => Player::First,
            4 if self.chance => Player::Chance,
            _ => Player::Second,
        };
    }

    fn evaluate(&self, p: &mut Place) -> Option<f32> {
        Some((self.hash(p, 5) % 17) as f32 / 8.0 - 1.0)
    }

    fn frame_key(&self, p: &Place, _: u8) -> u64 {
        p.number
    }

    fn action_text(&self, _: &Place, a: Action) -> String {
        a.to_string()
    }

    fn parse_position(&self, _: &str) -> Result<Place, String> {
        Err("no texts".to_owned())
    }
}

/// The first player's value at `p`, `depth` moves deep.
fn brute<G: Game>(game: &G, p: &G::Position, depth: u32) -> f32 {
    if let Some(result) = game.result(p) {
        return result;
    }
    let player = game.player(p);
    if depth == 0 && player != Player::Chance {
        return player.sign() * game.evaluate(&mut p.clone()).unwrap_or(0.0);
    }
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    let depth = depth - u32::from(player != Player::Chance);
    let values = actions.iter().map(|&a| {
        let mut child = p.clone();
        game.play(&mut child, a);
        brute(game, &child, depth)
    });
    match player {
        Player::First => values.fold(f32::NEG_INFINITY, f32::max),
        Player::Second => values.fold(f32::INFINITY, f32::min),
        Player::Chance => values.zip(&actions).map(|(value, &a)| value * game.probability(p, a)).sum(),
    }
}

fn agrees<G: Game>(game: &G, p: &G::Position, depth: u32) {
    let lines = minimax(game, p, depth, None, &|| false, &mut 0).expect("nobody stops it");
    let mut actions = Vec::new();
    game.actions(p, &mut actions);
    assert_eq!(lines.len(), actions.len());
    assert!(lines.windows(2).all(|pair| pair[0].value >= pair[1].value));
    for line in &lines {
        let mut child = p.clone();
        game.play(&mut child, line.action);
        let wanted = game.player(p).sign() * brute(game, &child, depth - 1);
        assert!((line.value - wanted).abs() < 1e-5, "{} is not {wanted} at depth {depth}", line.value);
        assert_eq!(line.pv[0], line.action);
        if line.exact {
            let deep = game.player(p).sign() * brute(game, &child, depth + 1);
            assert!((line.value - deep).abs() < 1e-5, "called exact, but {deep} deeper down");
        }
        let mut end = p.clone();
        for &action in &line.pv {
            game.actions(&end, &mut actions);
            assert!(actions.contains(&action));
            game.play(&mut end, action);
        }
    }
}

#[test]
fn random_trees_with_and_without_chance() {
    for seed in 0..200 {
        for depth in 1..=6 {
            let game = Tree { seed, chance: seed % 2 == 0 };
            agrees(&game, &game.initial(), depth);
        }
    }
}

#[test]
fn tic_tac_toe_and_connect_four() {
    let mut rng = Rng::with_seed(1);
    let connect_four = ConnectFour::new(&Params::default()).expect("the board is legal");
    for _ in 0..20 {
        let mut p = TicTacToe.initial();
        let mut q = connect_four.initial();
        for _ in 0..rng.u32(2..6) {
            let mut actions = Vec::new();
            TicTacToe.actions(&p, &mut actions);
            if !actions.is_empty() {
                TicTacToe.play(&mut p, actions[rng.usize(..actions.len())]);
            }
            connect_four.actions(&q, &mut actions);
            connect_four.play(&mut q, actions[rng.usize(..actions.len())]);
        }
        if TicTacToe.result(&p).is_none() {
            agrees(&TicTacToe, &p, 7);
        }
        agrees(&connect_four, &q, 4);
    }
}

#[test]
fn backgammon_two_moves_deep() {
    let game = Backgammon::new(&Params::default()).expect("the rules are legal");
    let mut rng = Rng::with_seed(6);
    for moves in [0, 9] {
        let mut p = game.initial();
        let mut played = 0;
        while game.player(&p) == Player::Chance || played < moves {
            let mut actions = Vec::new();
            game.actions(&p, &mut actions);
            played += u32::from(game.player(&p) != Player::Chance);
            game.play(&mut p, actions[rng.usize(..actions.len())]);
        }
        agrees(&game, &p, 2);
    }
}

#[test]
fn a_stop_leaves_the_last_finished_depth() {
    let game = ConnectFour::new(&Params::default()).expect("the board is legal");
    let whole = |depth| minimax(&game, &game.initial(), depth, None, &|| false, &mut 0);
    let calls = Cell::new(0);
    let stop = || {
        calls.set(calls.get() + 1);
        calls.get() > 200
    };
    let mut nodes = 0;
    let lines = minimax(&game, &game.initial(), 50, None, &stop, &mut nodes);
    assert_eq!(nodes, 201);
    assert!((1..6).any(|depth| whole(depth) == lines));
    assert_eq!(minimax(&game, &game.initial(), 50, None, &|| true, &mut 0), None);
}

#[test]
fn where_no_player_moves_there_are_no_lines() {
    let game = Tree { seed: 3, chance: true };
    let p = Place { number: 5, height: 1, player: Player::Chance };
    assert_eq!(minimax(&game, &p, 2, None, &|| false, &mut 0), Some(Vec::new()));
}
