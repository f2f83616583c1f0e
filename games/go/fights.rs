//! Chains of few liberties in playouts: who is put in atari, who runs, who is attacked in return.
//!
//! The rules are those that Pachi has (Baudis and Gailly 2012, "PACHI: State of the Art Open Source Go Program"): what the last
//! move left with two liberties is fought over; a chain with three or four that it came beside attacks those around it that have two.

use super::{
    board::{Board, EMPTY, NONE, Point},
    candidates::{Candidates, Turn},
    rollout::is_sensible,
};
use crate::{Rng, support::draw::chance};

/// Chances of the rules, in 256ths.
const TWO_LIBERTIES: u8 = 205;
const MORE_LIBERTIES: u8 = 64;
/// Liberties with which a chain still attacks those around it.
const MOST: usize = 4;
/// Chains of which one that is attacked looks at no more.
const AROUND: usize = 4;

/// Adds the moves of a fight beside the last stone.
pub(super) fn few_liberties(board: &Board, turn: Turn, rng: &mut Rng, choice: &mut Candidates) {
    let last = turn.last;
    if chance(rng, TWO_LIBERTIES) {
        let others = board.sides(last).into_iter().filter(|&side| board.head(side) != board.head(last));
        for stone in [last].into_iter().chain(others).filter(|&stone| board.colour(stone) < EMPTY) {
            if let Some(liberties) = two_liberties(board, stone) {
                fight(board, turn, stone, liberties, choice);
            }
        }
    }
    if choice.is_empty() && chance(rng, MORE_LIBERTIES) {
        for stone in board.sides(last).into_iter().chain(board.diagonals(last)) {
            if board.colour(stone) == turn.mover
                && (3..=MOST).contains(&board.liberties_up_to::<{ MOST + 1 }>(stone).len())
            {
                attack_around(board, turn, stone, choice);
            }
        }
    }
}

/// The liberties of the chain of `stone`, if there are two.
fn two_liberties(board: &Board, stone: Point) -> Option<[Point; 2]> {
    // No point is beside more than four stones of a chain.
    if board.pseudo_liberties(stone) > 8 {
        return None;
    }
    board.liberties(stone).points().try_into().ok()
}

/// Adds moves at the two liberties of the chain of `stone`, and, if it is the mover's, at those of the chains around it.
fn fight(board: &Board, turn: Turn, stone: Point, liberties: [Point; 2], choice: &mut Candidates) {
    if is_linked(board, stone, liberties) {
        return;
    }
    let owner = board.colour(stone);
    press(board, turn, owner, liberties, choice);
    if owner == turn.mover {
        attack_around(board, turn, stone, choice);
    }
}

/// Adds the moves that take or put in atari the opposing chains beside the chain of `stone`, which is the mover's.
fn attack_around(board: &Board, turn: Turn, stone: Point, choice: &mut Candidates) {
    let (mut seen, mut count) = ([NONE; AROUND], 0);
    board.for_each_stone(stone, |at| {
        for side in board.sides(at) {
            let head = board.head(side);
            if board.colour(side) != 1 - turn.mover || count == AROUND || seen[..count].contains(&head) {
                continue;
            }
            seen[count] = head;
            count += 1;
            if let Some(liberties) = two_liberties(board, side) {
                press(board, turn, 1 - turn.mover, liberties, choice);
            } else if let last @ 1.. = board.last_liberty(side)
                && last != turn.ko
            {
                choice.add(last);
            }
        }
    });
}

/// Adds the moves at the two liberties of a chain of `owner` that save it or put it in atari. Of two, one that fills the
/// mover's own corner is left out.
fn press(board: &Board, turn: Turn, owner: u8, liberties: [Point; 2], choice: &mut Candidates) {
    let found = liberties.map(|p| {
        is_sensible(board, p, turn.mover, turn.ko) && {
            let prospect = board.prospect(p, turn.mover);
            if owner == turn.mover {
                prospect.liberties.len() > 2 || prospect.taken > 0
            } else {
                prospect.liberties.len() > 1 || prospect.taken >= prospect.stones
            }
        }
    });
    let fills = liberties.map(|p| (board.ring(p) >> (4 * turn.mover) & 15).count_ones() >= 3);
    for (this, other) in [(0, 1), (1, 0)] {
        if found[this] && !(fills[this] && found[other] && !fills[other]) {
            choice.add(liberties[this]);
        }
    }
}

/// Whether the chain of `stone` can join another that is not in atari at each of its liberties.
fn is_linked(board: &Board, stone: Point, liberties: [Point; 2]) -> bool {
    let (colour, head) = (board.colour(stone), board.head(stone));
    let joins =
        |&side: &Point| board.colour(side) == colour && board.head(side) != head && board.last_liberty(side) == NONE;
    liberties.into_iter().all(|p| board.sides(p).iter().any(joins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Game, Style,
        go::tests::{go, play},
    };

    /// Numbers of 400 playout moves after `moves` that are each of `of`.
    fn counts<const N: usize>(moves: &str, of: [&str; N], style: Style) -> [usize; N] {
        let go = go("size=7");
        let mut p = go.initial();
        play(&go, &mut p, moves);
        let of = of.map(|text| go.parse_action(&p, text).expect("a move"));
        let mut rng = Rng::with_seed(1);
        let drawn: Vec<_> = (0..400).map(|_| go.playout_action(&p, style, &mut rng, &mut Vec::new())).collect();
        of.map(|a| drawn.iter().filter(|&&b| b == a).count())
    }

    #[test]
    fn who_is_left_with_two_liberties_is_put_in_atari_or_runs() {
        // White at d4 has two liberties after Black's c4: d3 and e4.
        let moves = "d5 d4 c4";
        let [run, aside] = counts(moves, ["d3", "e4"], Style::Tactics);
        assert!(run + aside > 240, "{run} {aside}");
        // Black has them once White plays elsewhere beside: it is his to take one away.
        let [one, other] = counts("d5 d4 c4 c3", ["d3", "e4"], Style::Tactics);
        let [before, after] = counts("d5 d4 c4 c3", ["d3", "e4"], Style::Knowledge);
        assert!(one + other > before + after, "{one} {other} {before} {after}");
    }

    #[test]
    fn a_chain_that_can_join_at_both_liberties_is_left_alone() {
        // White's d4 has the liberties c4 and e4; with b4 and f4 it joins another chain at each.
        for (moves, linked) in [("d5 d4 a7 b4 a6 f4 d3", true), ("d5 d4 a7 b4 a6 g1 d3", false)] {
            let go = go("size=7");
            let mut p = go.initial();
            play(&go, &mut p, moves);
            let point = |text: &str| p.board.point(go.parse_action(&p, text).expect("a point") as u16);
            let liberties = [point("c4"), point("e4")];
            let stone = liberties[0] + 1;
            assert_eq!(
                two_liberties(&p.board, stone).map(|found| found.contains(&liberties[0])),
                Some(true),
                "{moves}"
            );
            assert_eq!(is_linked(&p.board, stone, liberties), linked, "{moves}");
        }
    }
}
