//! Criticality: by how much who holds a point at the end of a playout is who wins more often than by chance (Coulom 2009).

use playout_games::Action;

use crate::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Playouts without any criticality with which each point begins.
const DOUBT: f32 = 64.0;

/// Counts of one search's playouts. Threads share them; a playout may be lost where two end at once.
pub struct Criticality {
    won: [AtomicU32; 2],
    points: Box<[Held]>,
}

/// Numbers of playouts in which a point was held by the first and the second player, and by the winner.
#[derive(Default)]
struct Held {
    by: [AtomicU32; 2],
    by_winner: AtomicU32,
}

fn count(counter: &AtomicU32) {
    counter.store(counter.load(Relaxed).saturating_add(1), Relaxed);
}

impl Criticality {
    /// For a game with this many points.
    pub fn new(points: usize) -> Criticality {
        Criticality { won: Default::default(), points: (0..points).map(|_| Held::default()).collect() }
    }

    /// Notes the end of a playout: its result for the first player, and the owner of each point as `Game::owners` has them.
    /// A draw has no winner and says nothing.
    pub fn add(&self, result: f32, owners: &[i8]) {
        let winner = if result > 0.0 { 1 } else { -1 };
        if result == 0.0 {
            return;
        }
        count(&self.won[usize::from(winner < 0)]);
        for (held, &owner) in self.points.iter().zip(owners).filter(|&(_, &owner)| owner != 0) {
            count(&held.by[usize::from(owner < 0)]);
            if owner == winner {
                count(&held.by_winner);
            }
        }
    }

    /// The criticality of the point of `action`, in [0, 1] and nearer to 0 the fewer playouts there are; 0 for a pass.
    pub fn of(&self, action: Action) -> f32 {
        let Some(held) = self.points.get(action as usize) else { return 0.0 };
        let number = |counter: &AtomicU32| counter.load(Relaxed) as f32;
        let won = [number(&self.won[0]), number(&self.won[1])];
        let all = won[0] + won[1];
        if all <= 0.0 {
            return 0.0;
        }
        let by_chance = (number(&held.by[0]) * won[0] + number(&held.by[1]) * won[1]) / all;
        ((number(&held.by_winner) - by_chance) / (all + DOUBT)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_the_winner_holds_is_critical_and_one_that_is_held_anyway_is_not() {
        let counts = Criticality::new(4);
        for game in 0..1000 {
            let winner = if game % 2 == 0 { 1 } else { -1 };
            let any = if game / 2 % 2 == 0 { 1 } else { -1 };
            counts.add(f32::from(winner), &[winner, 1, any, 0]);
        }
        counts.add(0.0, &[1, -1, -1, -1]);
        let found = [0, 1, 2, 3, 4].map(|point| counts.of(point));
        assert!((found[0] - 0.5 * 1000.0 / 1064.0).abs() < 1e-3, "{found:?}");
        assert!(found[1..].iter().all(|&other| other.abs() < 1e-3), "{found:?}");
    }

    #[test]
    fn nothing_is_critical_before_the_first_playout() {
        assert_eq!(Criticality::new(1).of(0), 0.0);
    }
}
