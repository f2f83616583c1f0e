//! Drawing the move to play at random, by visits.

use playout_games::{Rng, draw::weighted};

use super::MoveReport;

/// Moves one of the moves, drawn in proportion to visits ^ (1 / temperature), to the front. A proven win stays there, a
/// proven loss does not come there while there is an alternative.
pub fn draw(moves: &mut [MoveReport], temperature: f32, rng: &mut Rng) {
    if moves.first().is_none_or(|best| best.lower >= 1.0 || best.upper <= -1.0) {
        return;
    }
    let most = moves.iter().map(|m| m.visits).max().unwrap_or(1).max(1) as f32;
    let weight = |m: &MoveReport| {
        if m.upper <= -1.0 { 0.0 } else { (m.visits as f32 / most).powf(1.0 / temperature) }
    };
    if let Some(drawn) = weighted(moves.iter().map(weight), rng) {
        moves[..=drawn].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperature_draws_by_visits_and_never_a_lost_move() {
        let report = |visits, upper| MoveReport {
            action: visits,
            visits,
            prior: 0.0,
            value: 0.0,
            win: 0.5,
            draw: 0.0,
            lower: -1.0,
            upper,
            plies: None,
            line: Vec::new(),
            line_visits: Vec::new(),
            score: None,
        };
        let mut rng = Rng::with_seed(5);
        let mut share = |temperature| {
            let mut first = 0;
            for _ in 0..4000 {
                let mut moves = vec![report(60, 1.0), report(30, 1.0), report(10, -1.0)];
                draw(&mut moves, temperature, &mut rng);
                assert_ne!(moves[0].action, 10);
                first += u32::from(moves[0].action == 60);
            }
            first as f32 / 4000.0
        };
        assert!((share(1.0) - 2.0 / 3.0).abs() < 0.03);
        assert!((share(0.5) - 0.8).abs() < 0.03);
        assert!(share(0.01) > 0.999);
    }
}
