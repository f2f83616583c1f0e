//! Tests of the look-ahead.

use std::cell::Cell;

use shakmaty::{CastlingMode, EnPassantMode, Setup};

use super::{
    super::{Position, fen},
    *,
};
use crate::{Action, Game as _, LookAhead, Sight, Wish};

fn position(fen: &str) -> Position {
    Position::new(fen::read(fen, CastlingMode::Standard).unwrap())
}

/// The sight at `p` after this number of looks at the clock.
fn seen(p: &Position, margin: f32, looks: u32) -> Sight {
    let (mut so_far, wish) = (0.0, Wish { margin, ..Wish::default() });
    let mut spent = || {
        so_far += 1.0;
        so_far / looks as f32
    };
    Lookahead::new(1 << 20).see(p, &wish, &mut spent, &mut |_| true)
}

fn text(p: &Position, action: Action) -> String {
    p.decode(action).to_uci(CastlingMode::Standard).to_string()
}

/// Sacrifices and a fork: the move, the position, and whether it mates.
const SACRIFICES: [(&str, &str, bool); 4] = [
    ("g3g6", "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", true),
    ("h3h2", "r3k2r/pbp2pp1/3b1n2/1p6/3P3p/1B2N1Pq/PP1PQP1P/R1B2RK1 b kq - 0 1", true),
    ("g2a8", "6k1/5p2/p5np/4B3/3P4/1PP1q3/P3r1QP/6RK w - - 0 1", true),
    ("d5c7", "r3k3/5ppp/8/3N4/8/8/5PPP/4K3 w - - 0 1", false),
];

#[test]
fn sacrifices_are_seen() {
    for (best, fen, mates) in SACRIFICES {
        let p = position(fen);
        let sight = seen(&p, 0.0, 200);
        assert_eq!(text(&p, sight.moves[0].action), best, "{fen} {sight:?}");
        assert_eq!(sight.moves[0].value == 1.0, mates, "{fen} {sight:?}");
    }
}

#[test]
fn colours_do_not_matter() {
    for (_, fen, _) in SACRIFICES {
        let p = position(fen);
        let mirrored: Setup = p.chess.to_setup(EnPassantMode::Legal).into_mirrored();
        let mirrored = Position::new(mirrored.position(CastlingMode::Standard).unwrap());
        let [one, two] = [&p, &mirrored].map(|p| seen(p, 0.0, 40));
        let turned = |action: Action| text(&p, action);
        let flipped = text(&mirrored, two.moves[0].action);
        let flip = |c: char| if c.is_ascii_digit() { (b'1' + b'8' - c as u8) as char } else { c };
        assert_eq!(turned(one.moves[0].action), flipped.chars().map(flip).collect::<String>(), "{fen}");
    }
}

#[test]
fn the_line_is_legal_and_begins_with_the_best_move() {
    for (_, fen, _) in SACRIFICES {
        let p = position(fen);
        let sight = seen(&p, 0.0, 50);
        assert_eq!(sight.line[0], sight.moves[0].action);
        let mut chess = p.chess.clone();
        for action in &sight.line {
            let legal = chess.legal_moves();
            let m = legal.iter().find(|&&m| encode(m) == *action).expect("a legal move");
            chess.play_unchecked(*m);
        }
    }
}

#[test]
fn moves_within_the_margin_are_near() {
    let p = Position::new(Chess::default());
    let one = seen(&p, 0.0, 100).moves.len();
    let some = seen(&p, 0.05, 100);
    let all = seen(&p, 2.0, 100).moves.len();
    assert_eq!((one, all), (1, 20));
    assert!((2..20).contains(&some.moves.len()), "{some:?}");
    let bound = some.moves[0].value - 0.05;
    assert!(some.moves[1..].iter().all(|one| (one.value - bound).abs() < 0.01));
}

#[test]
fn the_lost_side_repeats_its_checks() {
    let p = position("6k1/6p1/8/7Q/8/1r6/rq6/7K w - - 0 1");
    let sight = seen(&p, 0.0, 100);
    assert_eq!((text(&p, sight.moves[0].action).as_str(), sight.moves[0].value), ("h5e8", 0.0), "{sight:?}");
}

#[test]
fn only_the_king_against_a_rook_is_mated() {
    let p = position("8/8/8/8/8/2k5/7r/K7 b - - 0 1");
    let sight = seen(&p, 0.0, 300);
    assert_eq!(sight.moves[0].value, 1.0, "{sight:?}");
}

#[test]
fn a_search_that_is_stopped_at_once_has_nothing_or_little() {
    let p = Position::new(Chess::default());
    let sight = seen(&p, 0.0, 1);
    assert!(sight.nodes <= 2 * GLANCE && sight.depth < 10);
}

#[test]
fn the_move_that_mates_comes_before_the_draw_by_fifty_moves() {
    let p = position("7k/5Q2/6K1/8/8/8/8/8 w - - 99 90");
    let sight = seen(&p, 0.0, 50);
    assert_eq!((sight.plies, sight.moves[0].value), (Some(1), 1.0), "{sight:?}");
}

#[test]
fn a_mate_that_was_seen_with_more_time_left_is_none_before_the_draw() {
    let mut look = Lookahead::new(1 << 22);
    let mut plies = |clock: u32| {
        let p = position(&format!("8/7k/8/8/8/8/R7/KR6 w - - {clock} 60"));
        let wish = Wish { positions: 60_000, ..Wish::default() };
        look.see(&p, &wish, &mut || 0.0, &mut |_| true).plies
    };
    assert_eq!([0, 98, 97, 98].map(&mut plies), [Some(3), None, Some(3), None]);
}

#[test]
fn the_shortest_mate_goes_round_a_third_repetition() {
    let game = super::super::Chess::new(&crate::Params::default()).unwrap();
    let mut p = position("7k/8/4K3/8/8/8/1P6/1R6 w - - 0 1");
    for played in "e6f7 h8h7 f7f6 h7h8 f6f7 h8h7 f7f6 h7h8".split(' ') {
        let action = game.parse_action(&p, played).unwrap();
        game.play(&mut p, action);
    }
    let wish = Wish { positions: 200_000, ..Wish::default() };
    let sight = Lookahead::new(1 << 22).see(&p, &wish, &mut || 0.0, &mut |_| true);
    assert_ne!(text(&p, sight.moves[0].action), "f6f7", "{sight:?}");
    assert!(sight.plies.is_some_and(|plies| plies > 3), "{sight:?}");
}

/// Queens that could not all be real men, and no pawns.
#[test]
fn no_static_score_is_that_of_a_mate() {
    let p = position("6bk/6nn/8/8/8/8/QQQQQQQQ/QBNKNBRR w - - 0 1");
    let sight = Lookahead::new(1 << 20).see(
        &p,
        &Wish { lines: 3, positions: 3_000, ..Wish::default() },
        &mut || 0.0,
        &mut |_| true,
    );
    let plies: Vec<Option<u32>> =
        std::iter::once(sight.plies).chain(sight.others.iter().map(|one| one.plies)).collect();
    assert!(plies.iter().all(|plies| plies.is_none_or(|plies| plies < 20)), "{plies:?}");
    let [many, few] = ["6bk/6nn/8/8/8/8/QQQQQQQQ/QBNKNBRR b - - 0 1", "7k/8/8/8/8/8/8/1K5Q b - - 0 1"].map(position);
    let mut judge = Judge::new(None, 1);
    assert!(judge.score(&many.chess, 0) > -MATES && judge.score(&few.chess, 0) < MATES);
}

/// Wherever a search of more and more positions ends, the depth that it has not finished claims nothing.
#[test]
fn a_depth_that_is_not_finished_claims_nothing() {
    let ended = |fen: &str, lines: usize| {
        let (p, most) = (position(fen), (512..20_000).step_by(512));
        let see = move |positions| {
            let wish = Wish { positions, lines, ..Wish::default() };
            Lookahead::new(1 << 20).see(&p, &wish, &mut || 0.0, &mut |_| true)
        };
        most.map(see)
    };
    // The first move of each depth is mated in some, another one is not.
    let in_danger = "2b2nr1/r7/pkpQp1p1/1p2B2p/n3PP1P/P1P2K1P/3N3N/5B1R b - - 0 1";
    assert!(ended(in_danger, 1).all(|sight| sight.plies.is_none()));
    // No line has a greater value than the one above it.
    for sight in ended("1n1qkb2/r1pp4/bp4p1/p6p/7P/NP1Q1PP1/P1P1P3/1RB1KBNR b - - 0 1", 3) {
        let lines = sight.moves.iter().chain(sight.others.iter().map(|one| &one.seen));
        assert!(lines.clone().is_sorted_by(|a, b| a.value >= b.value), "{sight:?}");
        assert_eq!(lines.count(), 3);
    }
}

#[test]
fn captures_that_are_left_out_bound_the_score() {
    // White is far behind, and takes a rook.
    let p = position("k2q1q2/8/8/8/8/8/r7/1K6 w - - 0 1");
    let (table, terms) = (Table::new(1 << 16), Terms::default());
    let mut mind = Mind { order: Order::new(), errors: Errors::new(), judge: Judge::new(None, PLIES) };
    let worth = mind.judge.score(&p.chess, 0);
    let mut stop = |_| false;
    let mut search = Search::new(Shared { table: &table, terms: &terms, tables: None }, &mut mind, &mut stop);
    let far = search.settle(&p.chess, p.key, 0, Window::null(worth + 1_500), 0);
    assert!(far <= worth + 1_500 && far > worth + 500, "{far} {worth}");
    assert!(search.settle(&p.chess, p.key, 0, Window::null(worth + 100), 0) > worth + 100);
}

/// White takes the last pawn, and nobody can mate.
#[test]
fn contempt_is_what_a_draw_is_worth() {
    let p = position("7k/8/8/8/3K4/2p5/8/1N6 w - - 0 1");
    let mut look = Lookahead::new(1 << 20);
    let mut value = |contempt| {
        let wish = Wish { positions: 3_000, contempt, ..Wish::default() };
        look.see(&p, &wish, &mut || 0.0, &mut |_| true).moves[0].value
    };
    assert_eq!(value(0), 0.0);
    let (proud, humble) = (value(40), value(-40));
    assert!(proud < -0.05 && humble > 0.05, "{proud} {humble}");
    assert_eq!(value(0), 0.0, "what the searches with contempt remember is forgotten");
}

#[test]
fn a_search_ends_with_the_positions_that_it_may_see() {
    let p = position("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4");
    let mut depths = Vec::new();
    for positions in [300, 3_000, 30_000] {
        let wish = Wish { positions, ..Wish::default() };
        let sight = Lookahead::new(1 << 20).see(&p, &wish, &mut || 0.0, &mut |_| true);
        assert!(sight.nodes >= positions && sight.nodes < positions + GLANCE, "{} of {positions}", sight.nodes);
        depths.push(sight.depth);
    }
    assert!(depths.is_sorted_by(|a, b| a < b), "{depths:?}");
}

#[test]
fn threads_see_the_same_mate_and_each_depth_is_heard() {
    let (mate, fen, _) = SACRIFICES[0];
    let p = position(fen);
    let mut depths = Vec::new();
    let wish = Wish { threads: 3, ..Wish::default() };
    let sight = Lookahead::new(1 << 20).see(&p, &wish, &mut || 0.0, &mut |sight| {
        depths.push(sight.depth);
        true
    });
    assert_eq!((text(&p, sight.moves[0].action).as_str(), sight.moves[0].value), (mate, 1.0));
    assert_eq!(depths, (1..=sight.depth).collect::<Vec<_>>());
}

#[test]
fn reports_count_the_positions_of_all_threads() {
    let p = Position::new(Chess::default());
    // The first thread looks at the clock once for each `GLANCE` of its own positions.
    let (glances, others) = (Cell::new(0), Cell::new(0));
    let wish = Wish { threads: 2, ..Wish::default() };
    let mut spent = || {
        glances.set(glances.get() + 1);
        if others.get() > 10 * GLANCE || glances.get() > 100_000 { 1.0 } else { 0.0 }
    };
    let sight = Lookahead::new(1 << 24).see(&p, &wish, &mut spent, &mut |sight| {
        others.set(sight.nodes.saturating_sub((glances.get() + 1) * GLANCE));
        true
    });
    assert!(others.get() > 10 * GLANCE, "{sight:?}");
    assert!(sight.nodes > (glances.get() - 1) * GLANCE + others.get(), "{sight:?}");
}

#[test]
fn moves_come_by_their_ranks_after_the_best_one_before() {
    let p = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
    let (moves, order) = (p.chess.legal_moves(), Order::new());
    let taken = |first: &str| {
        let action = |text: &str| moves.iter().map(|&m| encode(m)).find(|&action| self::text(&p, action) == text);
        let mut queue = Queue::new(&moves, action(first).map_or(0, |action| action as u16));
        let rank = |m| order.rank(p.chess.board(), p.chess.turn(), m, 0, [order::NO_MOVE; 2]);
        let taken: Vec<(String, i32)> =
            std::iter::from_fn(|| queue.next(rank).map(|(m, rank)| (text(&p, encode(m)), rank))).collect();
        assert_eq!(taken.len(), moves.len());
        let unique: std::collections::HashSet<&String> = taken.iter().map(|(text, _)| text).collect();
        assert_eq!(unique.len(), moves.len());
        assert!(taken.windows(2).all(|two| two[0].1 >= two[1].1), "{taken:?}");
        taken
    };
    let by_rank = taken("");
    assert_eq!((&*by_rank[0].0, &*by_rank[1].0, by_rank[2].1), ("e4d5", "c3d5", 0));
    let with_first = taken("e1f2");
    assert_eq!((&*with_first[0].0, with_first[0].1, &*with_first[1].0), ("e1f2", FIRST, "e4d5"));
}

#[test]
fn a_move_that_was_enough_comes_before_those_that_were_not() {
    let p = position("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1");
    let moves = p.chess.legal_moves();
    let named = |name: &str| *moves.iter().find(|&&m| text(&p, encode(m)) == name).unwrap();
    let (quiet, other) = (named("e1f2"), named("e1e2"));
    let (by_pawn, by_knight) = (named("e4d5"), named("c3d5"));
    let mut order = Order::new();
    let rank = |order: &Order, m, before| order.rank(p.chess.board(), p.chess.turn(), m, 0, before);
    let (here, elsewhere) = ([3, 5], [4, 6]);
    let captures = rank(&order, by_knight, here);
    let mut tried = Tried::default();
    [by_knight, other].into_iter().for_each(|m| tried.push(m));
    (0..3).for_each(|_| order.refuted(p.chess.turn(), quiet, &tried, 500, 1, here));
    assert!(rank(&order, quiet, here) > rank(&order, quiet, elsewhere), "it counts more after the same moves");
    assert!(rank(&order, quiet, elsewhere) > 0 && rank(&order, other, elsewhere) < 0);
    assert!(rank(&order, by_knight, here) < captures);
    let before = rank(&order, by_pawn, here);
    order.refuted(p.chess.turn(), by_pawn, &tried, 500, 1, here);
    assert!(rank(&order, by_pawn, here) > before);
    let quiets = rank(&order, other, here);
    order.refuted(p.chess.turn(), by_pawn, &tried, 500, 1, here);
    assert_eq!(rank(&order, other, here), quiets, "a capture says nothing of quiet moves");
}

#[test]
fn errors_of_static_scores_are_learned_after_the_same_moves() {
    let mut errors = Errors::new();
    for _ in 0..200 {
        let left = 30 - errors.after([1, 2]);
        errors.learn([1, 2], left, 6);
    }
    let learned = errors.after([1, 2]);
    assert!((25..=30).contains(&learned), "{learned}");
    assert_eq!([errors.after([2, 1]), errors.after([1, 3])], [0; 2]);
    (0..400).for_each(|_| errors.learn([1, 2], -MATE, 60));
    assert!((-80..-60).contains(&errors.after([1, 2])), "no error is trusted beyond a bound: {}", errors.after([1, 2]));
}

fn outcome(score: i32, worth: i32, action: u16, depth: i32, bound: Bound) -> Outcome {
    Outcome { score, worth, action, depth, bound }
}

#[test]
fn the_table_counts_mates_from_the_position() {
    let table = Table::new(1 << 10);
    table.put(7, 3, outcome(MATE - 10, 12, 5, 4, Bound::Exact));
    let entry = table.get(7).unwrap();
    assert_eq!((entry.score(3), entry.score(1), entry.action, entry.worth), (MATE - 10, MATE - 8, 5, 12));
    assert!(table.get(8).is_none());
}

#[test]
fn the_table_is_smaller_where_there_is_no_address_space() {
    let table = Table::new(1 << 60);
    assert!((64..1 << 60).contains(&table.bytes()));
}

#[test]
fn the_table_keeps_what_is_deep_and_new() {
    let table = Table::new(64); // one group of four
    for key in 1..=4 {
        table.put(key, 0, outcome(key as i32, 0, 1, key as i32, Bound::Exact));
    }
    table.put(5, 0, outcome(0, 0, 1, 2, Bound::Exact));
    let held = |key: u64| table.get(key).is_some();
    assert_eq!([1, 2, 3, 4, 5].map(held), [false, true, true, true, true]);
    // A shallow bound does not replace a deep result of the same position, and leaves it its move.
    table.put(4, 0, outcome(9, 0, 0, 0, Bound::AtMost));
    assert_eq!(table.get(4).unwrap().score(0), 4);
    table.put(4, 0, outcome(9, 0, 0, 2, Bound::AtLeast));
    assert_eq!((table.get(4).unwrap().score(0), table.get(4).unwrap().action), (9, 1));
    for _ in 0..2 {
        table.grow_old();
    }
    for key in 6..=9 {
        table.put(key, 0, outcome(0, 0, 1, 1, Bound::Exact));
    }
    assert_eq!([2, 3, 4, 5, 6].map(held), [false, false, false, false, true]);
}

#[test]
fn nothing_is_repeated_after_a_pass() {
    let p = position("4k3/8/8/8/8/8/8/R3K3 w - - 30 40");
    let (chess, key) = early::passed(&p.chess, p.key).unwrap();
    let expected = position("4k3/8/8/8/8/8/8/R3K3 b - - 0 40");
    assert_eq!((chess.halfmoves(), key), (0, expected.key));
}

#[test]
fn several_lines_are_exact_and_in_order_at_each_depth() {
    // Two moves mate, a third wins a rook.
    let p = position("6k1/5ppp/8/8/8/8/r4PPP/1Q1R2K1 w - - 0 1");
    let mut depths = 0;
    let sight = Lookahead::new(1 << 20).see(
        &p,
        &Wish { lines: 4, positions: 30_000, ..Wish::default() },
        &mut || 0.0,
        &mut |sight| {
            depths += 1;
            assert_eq!(sight.others.len(), 3, "{sight:?}");
            true
        },
    );
    assert!(depths > 4 && sight.depth == depths);
    assert_eq!((sight.plies, sight.others[0].plies), (Some(1), Some(1)), "{sight:?}");
    let best = [sight.moves[0].action, sight.others[0].seen.action].map(|action| text(&p, action));
    assert!(best.contains(&"b1b8".to_owned()) && best.contains(&"d1d8".to_owned()), "{best:?}");
    assert_eq!(text(&p, sight.others[1].seen.action), "b1a2");
    let values: Vec<f32> =
        sight.moves.iter().chain(sight.others.iter().map(|one| &one.seen)).map(|seen| seen.value).collect();
    assert!(values.is_sorted_by(|a, b| a >= b) && values[1] == 1.0 && values[3] < 1.0, "{values:?}");
    assert!(sight.others[1].plies > Some(1));
    assert!(sight.others.iter().all(|one| one.line[0] == one.seen.action));
}

#[test]
fn only_some_moves_are_looked_at() {
    let p = position("6k1/5ppp/8/8/8/8/r4PPP/1Q1R2K1 w - - 0 1");
    let only: Vec<Action> =
        p.chess.legal_moves().into_iter().map(encode).filter(|&a| text(&p, a).starts_with("g1")).collect();
    for threads in [1, 2] {
        let wish = Wish { only: only.clone(), lines: 9, threads, positions: 5_000, ..Wish::default() };
        let sight = Lookahead::new(1 << 20).see(&p, &wish, &mut || 0.0, &mut |_| true);
        let seen: Vec<Action> =
            sight.moves.iter().chain(sight.others.iter().map(|one| &one.seen)).map(|one| one.action).collect();
        assert_eq!((seen.len(), sight.plies), (only.len(), None));
        assert!(seen.iter().all(|action| only.contains(action)));
    }
}

#[test]
fn a_shorter_mate_by_a_move_that_is_left_out_is_not_played() {
    let p = position("6k1/5ppp/8/8/8/8/r4PPP/1Q1R2K1 w - - 0 1");
    let only: Vec<Action> = p.chess.legal_moves().into_iter().map(encode).filter(|&a| text(&p, a) == "b1a2").collect();
    let wish = Wish { only, positions: 30_000, ..Wish::default() };
    let sight = Lookahead::new(1 << 20).see(&p, &wish, &mut || 0.0, &mut |_| true);
    assert_eq!((text(&p, sight.moves[0].action), sight.moves[0].value), ("b1a2".to_owned(), 1.0), "{sight:?}");
    assert!(sight.plies > Some(1), "{sight:?}");
}

#[test]
fn the_proof_that_no_mate_is_shorter_ends_with_the_effort() {
    let p = position("8/8/8/3k4/8/8/1Q6/KR6 w - - 0 1");
    // Positions before the proof, and in all; the time is over, or not, when the mate has been found.
    let nodes = |positions: u64, late: f32| {
        let (before, spent) = (Cell::new(0), Cell::new(0.0));
        let mut heard = |sight: &Sight| {
            before.set(sight.nodes);
            spent.set(if sight.plies.is_some() { late } else { 0.0 });
            true
        };
        let wish = Wish { positions, ..Wish::default() };
        let sight = Lookahead::new(1 << 20).see(&p, &wish, &mut || spent.get(), &mut heard);
        assert!(sight.plies.is_some(), "{sight:?}");
        (before.get(), sight.nodes)
    };
    let (before, all) = nodes(u64::MAX, 0.0);
    assert!(before + 2000 < all, "{before} of {all}");
    assert_eq!(nodes(before + 1000, 0.0), (before, before + 1000));
    let (before, all) = nodes(u64::MAX, 1.0);
    assert!(all <= before + GLANCE, "{before} of {all}");
}
