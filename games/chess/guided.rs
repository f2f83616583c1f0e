//! Playouts by knowledge: take what can be won, leave nothing where it is lost.

use shakmaty::{Chess, Move, MoveList, Position as _};

use super::{
    FIFTY_MOVES, Played, Player, Rng, Trace, encode,
    exchange::{exchange, gain, holds},
    player,
};

/// Moves drawn before one that loses material is played.
const DRAWS: u32 = 8;

/// Plays to the end; the result from the first player's point of view. Repetitions are not looked at.
pub fn run(mut chess: Chess, rng: &mut Rng, mut trace: Option<&mut Trace>) -> f32 {
    loop {
        let moves = chess.legal_moves();
        if moves.is_empty() {
            return if chess.is_check() { -player(chess.turn()).sign() } else { 0.0 };
        }
        if chess.halfmoves() >= FIFTY_MOVES || chess.is_insufficient_material() {
            return 0.0;
        }
        let m = choose(&chess, &moves, rng);
        if let Some(trace) = &mut trace {
            trace.push(Played { action: encode(m), second: player(chess.turn()) == Player::Second });
        }
        chess.play_unchecked(m);
    }
}

/// The capture or promotion that wins most; where none wins, a random move of those that lose nothing on their target.
pub fn choose(chess: &Chess, moves: &MoveList, rng: &mut Rng) -> Move {
    let (board, us) = (chess.board(), chess.turn());
    let mut most = (0, None);
    for &m in moves {
        if gain(m) > most.0 {
            let wins = exchange(board, us, m);
            if wins > most.0 {
                most = (wins, Some(m));
            }
        }
    }
    let mut draw = || moves[rng.usize(..moves.len())];
    most.1.unwrap_or_else(|| (1..DRAWS).map(|_| draw()).find(|&m| holds(board, us, m)).unwrap_or_else(&mut draw))
}

#[cfg(test)]
mod tests {
    use super::super::{Chess as Rules, Game, Params};
    use super::*;
    use crate::Style;

    fn rules() -> Rules {
        Rules::new(&Params::default()).unwrap()
    }

    #[test]
    fn a_trace_is_a_legal_game_with_that_result() {
        let (game, mut rng) = (rules(), Rng::with_seed(4));
        for (style, games) in [(Style::Uniform, 10), (Style::Knowledge, 10)] {
            let mut decided = 0;
            for _ in 0..games {
                let (mut trace, mut p) = (Trace::new(), game.initial());
                let result = game.playout(&mut game.initial(), style, &mut rng, Some(&mut trace));
                for played in trace {
                    let mut legal = Vec::new();
                    game.actions(&p, &mut legal);
                    // A playout goes on after the third occurrence of a position.
                    assert!(p.repetitions >= 2 || legal.contains(&played.action));
                    assert_eq!(played.second, game.player(&p) == Player::Second);
                    game.play(&mut p, played.action);
                }
                let mated = p.chess.legal_moves().is_empty() && p.chess.is_check();
                assert_eq!(mated, result != 0.0);
                assert!(!mated || result == -player(p.chess.turn()).sign());
                decided += u32::from(mated);
            }
            assert!(decided > 0, "{style:?}");
        }
    }

    #[test]
    fn material_is_won_and_kept() {
        let (game, mut rng) = (rules(), Rng::with_seed(1));
        for (fen, expected) in
            [("4k3/8/8/3q4/4P3/2N5/8/4K3 w - - 0 1", "e4d5"), ("k7/8/8/8/8/1q6/P7/K7 w - - 0 1", "a2b3")]
        {
            let p = game.parse_position(fen).unwrap();
            let action = game.playout_action(&p, Style::Knowledge, &mut rng, &mut Vec::new());
            assert_eq!(game.action_text(&p, action), expected);
        }
    }

    #[test]
    fn knowledge_beats_chance() {
        let (game, mut rng, mut buffer) = (rules(), Rng::with_seed(2), Vec::new());
        let mut score = 0.0;
        for number in 0..40 {
            let knows = if number % 2 == 0 { Player::First } else { Player::Second };
            let mut p = game.initial();
            score += loop {
                if let Some(result) = game.result(&p) {
                    break result * knows.sign();
                }
                let style = if game.player(&p) == knows { Style::Knowledge } else { Style::Uniform };
                let action = game.playout_action(&p, style, &mut rng, &mut buffer);
                game.play(&mut p, action);
            };
        }
        assert!(score > 10.0, "{score} of 40");
    }
}
