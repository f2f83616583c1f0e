use std::collections::BTreeSet;

use super::tests::{actions, game, play};
use super::{Hex, Position, openings};
use crate::{Action, Game, Played, Rng, Style, Trace};

const STYLES: [Style; 2] = [Style::Uniform, Style::Knowledge];

/// A position after some random moves, the swap among them, in which the game goes on.
fn middle(game: &Hex, plies: u32, rng: &mut Rng) -> Position {
    loop {
        let mut p = game.initial();
        for _ in 0..plies {
            let actions = actions(game, &p);
            if !actions.is_empty() {
                game.play(&mut p, actions[rng.usize(..actions.len())]);
            }
        }
        if game.result(&p).is_none() {
            return p;
        }
    }
}

/// The position with the colours exchanged and rows turned into columns.
fn exchanged(game: &Hex, p: &Position) -> Position {
    let mut image = Position { second: !p.second, ..game.initial() };
    for (player, stones) in p.stones.iter().enumerate() {
        stones.for_each(|cell| game.place(&mut image, 1 - player, transposed(game, cell)));
    }
    image.last = if p.last == super::NO_CELL { p.last } else { transposed(game, p.last.into()) as u16 };
    image
}

fn transposed(game: &Hex, cell: u32) -> u32 {
    cell % game.size * game.size + cell / game.size
}

fn preferences(game: &Hex, p: &Position, actions: &[Action]) -> Vec<f32> {
    let mut out = vec![7.0];
    assert!(game.preferences(p, actions, &mut out));
    assert!(out.len() == actions.len() && out.iter().all(|x| x.is_finite()));
    out
}

fn favourite(game: &Hex, p: &Position) -> String {
    let actions = actions(game, p);
    let preferences = preferences(game, p, &actions);
    let best = (0..actions.len()).max_by(|&a, &b| preferences[a].total_cmp(&preferences[b])).unwrap();
    game.action_text(p, actions[best])
}

#[test]
fn a_trace_fills_the_board_with_a_share_for_each_and_tells_the_winner() {
    let mut rng = Rng::with_seed(1);
    for size in [1, 2, 3, 7, 8, 11, 26] {
        let game = game(size, false);
        for plies in [0, size / 2, size * size / 3] {
            for style in STYLES {
                let p = middle(&game, plies, &mut rng);
                let mut trace: Trace = vec![Played { action: 999, second: true }];
                let result = game.playout(&mut p.clone(), style, &mut rng, Some(&mut trace));
                assert_eq!(trace.remove(0).action, 999);
                let mut stones = p.stones;
                for played in &trace {
                    assert!(stones.iter().all(|stones| !stones.has(played.action)), "played twice");
                    stones[usize::from(played.second)].insert(played.action);
                }
                assert_eq!(stones[0].len() + stones[1].len(), size * size);
                let blacks = trace.iter().filter(|played| !played.second).count();
                assert_eq!(blacks, if p.second { trace.len() / 2 } else { trace.len().div_ceil(2) });
                assert_eq!(game.board.joins_top_to_bottom(&stones[0]), result == 1.0);
            }
        }
    }
}

/// In the order of the trace, whoever can mend a bridge that the latest stone has broken does so.
#[test]
fn playouts_with_knowledge_mend_every_broken_bridge() {
    let (game, mut rng) = (game(8, false), Rng::with_seed(2));
    let mut mended = 0;
    for _ in 0..200 {
        let mut p = middle(&game, 6, &mut rng);
        let mut trace = Trace::new();
        game.playout(&mut p.clone(), Style::Knowledge, &mut rng, Some(&mut trace));
        for played in trace {
            let choices = bridge_replies(&game, &p);
            assert_eq!(played.second, p.second);
            assert!(choices.is_empty() || choices.contains(&played.action));
            mended += usize::from(!choices.is_empty());
            p.result = None;
            game.play(&mut p, played.action);
        }
    }
    assert!(mended > 1000);
}

/// By the definition: empty cells beside the latest stone and beside two stones or borders of the mover, which are all
/// but joined by it and by the latest stone alone.
fn bridge_replies(game: &Hex, p: &Position) -> Vec<Action> {
    let at = |(row, column): (i32, i32)| {
        let size = game.size as i32;
        match ((0..size).contains(&row), (0..size).contains(&column)) {
            (true, true) => {
                let cell = (row * size + column) as u32;
                if p.stones[0].has(cell) { Some(0) } else { p.stones[1].has(cell).then_some(1) }
            }
            (false, _) => Some(0),
            (true, false) => Some(1),
        }
    };
    let mover = usize::from(p.second);
    let last = (i32::from(p.last) / game.size as i32, i32::from(p.last) % game.size as i32);
    let ring = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)].map(|(r, c)| (last.0 + r, last.1 + c));
    (0..6)
        .filter(|i| at(ring[*i]).is_none() && [1, 5].iter().all(|by| at(ring[(i + by) % 6]) == Some(mover)))
        .map(|i| (ring[i].0 * game.size as i32 + ring[i].1) as u32)
        .collect()
}

#[test]
fn single_actions_are_legal_and_mend_bridges_at_the_edge_too() {
    let (game, mut rng, mut buffer) = (game(5, true), Rng::with_seed(3), Vec::new());
    for style in STYLES {
        for _ in 0..100 {
            let mut p = game.initial();
            while game.result(&p).is_none() {
                let a = game.playout_action(&p, style, &mut rng, &mut buffer);
                assert!(actions(&game, &p).contains(&a));
                game.play(&mut p, a);
            }
        }
    }
    for (moves, reply) in [("c2 a5 e5 c1", "d1"), ("c2 a5 e5 d1", "c1")] {
        let p = play(&game, moves);
        assert_eq!(bridge_replies(&game, &p), [game.parse_action(&p, reply).unwrap()]);
        let a = game.playout_action(&p, Style::Knowledge, &mut rng, &mut buffer);
        assert_eq!(game.action_text(&p, a), reply);
    }
}

#[test]
fn the_swap_stands_in_a_trace_as_itself() {
    let (game, mut rng) = (game(3, true), Rng::with_seed(4));
    for style in STYLES {
        let mut swaps = 0;
        for _ in 0..300 {
            let mut trace = Trace::new();
            let mut p = game.initial();
            let result = game.playout(&mut p.clone(), style, &mut rng, Some(&mut trace));
            let open = if trace[1].action == game.swap_action() { 2 } else { 1 };
            swaps += open - 1;
            for played in &trace[..open] {
                assert!(actions(&game, &p).contains(&played.action) && played.second == p.second);
                game.play(&mut p, played.action);
            }
            assert!(trace[open..].iter().all(|played| played.action < game.swap_action()));
            assert_eq!(trace.len() - open, 8);
            let mut black = p.stones[0];
            trace[open..].iter().filter(|played| !played.second).for_each(|played| black.insert(played.action));
            assert_eq!(game.board.joins_top_to_bottom(&black), result == 1.0);
        }
        assert!((5..295).contains(&swaps), "{style:?}: {swaps} swaps");
    }
}

#[test]
fn a_seed_gives_one_playout() {
    let game = game(11, true);
    for style in STYLES {
        let run = |trace: Option<&mut Trace>| {
            let mut rng = Rng::with_seed(5);
            let result = game.playout(&mut game.initial(), style, &mut rng, trace);
            (result, rng.u64(..))
        };
        let (mut one, mut two) = (Trace::new(), Trace::new());
        assert_eq!(run(Some(&mut one)), run(Some(&mut two)));
        assert_eq!(one, two);
        assert_eq!(run(None), run(Some(&mut two)));
    }
}

#[test]
fn judgement_turns_with_the_board_and_changes_sides_with_the_colours() {
    let mut rng = Rng::with_seed(6);
    let close = |a: f32, b: f32| (a - b).abs() < 0.05;
    for size in [1, 2, 3, 4, 6, 9, 11, 13, 26] {
        let game = game(size, false);
        for plies in [0, size / 2, size * size / 3] {
            let p = middle(&game, plies, &mut rng);
            let mut turned = Position { second: p.second, ..game.initial() };
            for (player, stones) in p.stones.iter().enumerate() {
                stones.for_each(|cell| game.place(&mut turned, player, game.to_frame(1, cell)));
            }
            turned.last = if p.last == super::NO_CELL { p.last } else { game.to_frame(1, p.last.into()) as u16 };
            let cells = actions(&game, &p);
            let (own, value) = (preferences(&game, &p, &cells), game.evaluate(&mut p.clone()).unwrap());
            assert!((-1.0..=1.0).contains(&value));
            let half_turn: Vec<Action> = cells.iter().map(|&a| game.to_frame(1, a)).collect();
            let across: Vec<Action> = cells.iter().map(|&a| transposed(&game, a)).collect();
            for (image, cells) in [(turned, half_turn), (exchanged(&game, &p), across)] {
                let other = game.evaluate(&mut image.clone()).unwrap();
                assert!(close(value, other), "size {size}, {plies} plies: {value} {other}");
                let theirs = preferences(&game, &image, &cells);
                let worst = own.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(worst < 0.3, "size {size}, {plies} plies: {worst}");
            }
        }
    }
}

#[test]
fn wins_come_first_then_blocks_and_the_centre_opens() {
    let five = game(5, false);
    assert_eq!(favourite(&five, &five.initial()), "c3");
    let winning = five.parse_position("2b2/2b2/5/2b2/1wbww b").unwrap();
    assert!(["c3"].contains(&favourite(&five, &winning).as_str()));
    // Each would win on c3: the mover takes it either way.
    for mover in ["b", "w"] {
        let p = five.parse_position(&format!("2b2/2b2/ww1ww/2b2/2b2 {mover}")).unwrap();
        assert_eq!(favourite(&five, &p), "c3");
        let block = five.parse_position(&format!("2b2/2b2/w3w/2b2/2b2 {mover}")).unwrap();
        assert_eq!(favourite(&five, &block), "c3");
    }
    assert!(five.evaluate(&mut winning.clone()).unwrap() > 0.8);
}

#[test]
fn good_openings_are_swapped_and_bad_ones_are_not() {
    let game = game(11, true);
    for (opening, swap) in [("f6", true), ("e5", true), ("k1", true), ("a1", false), ("k11", false), ("b2", false)] {
        let p = play(&game, opening);
        assert_eq!(favourite(&game, &p) == "swap-pieces", swap, "{opening}");
        assert!(game.evaluate(&mut p.clone()).unwrap() >= 0.0);
    }
}

/// Whether the opening is swapped, or not, should make no difference.
#[test]
fn openings_that_may_be_swapped_are_even_ones() {
    let by_preference = |size: u32| {
        let game = game(size, true);
        let p = game.initial();
        let (actions, mut texts) = (actions(&game, &p), Vec::new());
        for (&action, preference) in actions.iter().zip(preferences(&game, &p, &actions)) {
            texts.push((game.action_text(&p, action), preference));
        }
        texts
    };
    for size in [9, 11, 19, 26] {
        let found = by_preference(size);
        let first =
            |wanted: f32| found.iter().filter(move |(_, found)| *found == wanted).map(|(text, _)| text.as_str());
        let even: BTreeSet<&str> = first(2.0).collect();
        assert_eq!(even.len(), 6);
        assert!(even.contains("b4") && even.contains("c2") && even.contains(format!("a{}", size - 1).as_str()));
        assert!(first(0.0).any(|text| text == "a1") && first(-2.0).any(|text| text == "e5"));
    }
    // Where all results are known, those that lose are better than those that White takes.
    let small = by_preference(5);
    assert!(small.iter().all(|&(_, preference)| [0.0, -2.0].contains(&preference)));
    assert_eq!(small.iter().filter(|&&(_, preference)| preference == 0.0).count(), 12);
    // Where no swap may follow, a first move is a move as any other.
    let plain = game(11, false);
    let best = plain.parse_action(&plain.initial(), &favourite(&plain, &plain.initial())).unwrap();
    assert!(openings::is_good(11, best));
}

/// It was right in 231 of these 300 random positions; half would be chance.
#[test]
fn the_sign_of_h_is_mostly_right_on_small_boards() {
    let (game, mut rng) = (game(4, false), Rng::with_seed(7));
    let (mut right, mut solved) = (0, std::collections::HashMap::new());
    for number in 0..300 {
        let p = middle(&game, 2 + number % 7, &mut rng);
        let wins = super::tests::wins(&game, &p, &mut solved);
        right += u32::from(wins == (game.evaluate(&mut p.clone()).unwrap() > 0.0));
    }
    assert!(right > 210, "{right} of 300");
}
