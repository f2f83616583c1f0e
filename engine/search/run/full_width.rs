//! A search without samples: minimax to a given depth, reported like any other search.

use std::{cell::Cell, time::Instant};

use playout_games::{Action, Game};

use crate::{
    control::{Control, Limits, Reason},
    minimax::{MinimaxMove, minimax},
    report::{MoveReport, SearchReport, SearchResult},
    search::Search,
};

/// Positions between two looks at the clock.
const GLANCE: u32 = 64;

impl<G: Game> Search<G> {
    /// Looks `depth` plies ahead, deepening by one at a time, until a bound is reached. Blocks.
    pub(crate) fn run_full_width(&self, depth: u32, limits: Limits, control: &Control) -> SearchResult {
        let began = Instant::now();
        let (ended, asked) = (Cell::new(None), Cell::new(0_u32));
        let stop = || {
            asked.set(asked.get().wrapping_add(1));
            if ended.get().is_none() {
                ended.set(if self.game().faulty() {
                    Some(Reason::Fault)
                } else if control.stopped() {
                    Some(Reason::Stop)
                } else if limits.nodes.is_some_and(|nodes| u64::from(asked.get()) > nodes) {
                    Some(Reason::Nodes)
                } else if asked.get() % GLANCE == 0 && control.late() {
                    Some(Reason::Deadline)
                } else {
                    None
                });
            }
            ended.get().is_some()
        };
        let mut nodes = 0;
        let depth = limits.depth.map_or(depth, |bound| bound.clamp(1, depth));
        let lines = minimax(self.evaluator(), self.position(), depth, self.restriction.as_ref(), &stop, &mut nodes)
            .unwrap_or_default();
        let moves: Vec<MoveReport> = lines.iter().filter_map(|line| self.full_width_move(line)).collect();
        let report = SearchReport {
            seconds: began.elapsed().as_secs_f64(),
            simulations: nodes,
            mean_depth: depth as f32,
            longest: moves.iter().map(|m| m.line.len() as u32).max().unwrap_or(0),
            value: moves.first().map_or(0.0, |best| best.value),
            visits: u32::try_from(nodes).unwrap_or(u32::MAX),
            moves,
            ..SearchReport::default()
        };
        SearchResult { reason: ended.get().unwrap_or(Reason::Depth), report }
    }

    /// None if the move is not allowed at the root.
    fn full_width_move(&self, found: &MinimaxMove) -> Option<MoveReport> {
        let game = self.game();
        if !self.allows(found.action) {
            return None;
        }
        let mut position = self.position().clone();
        let mut line = Vec::with_capacity(found.pv.len());
        for &action in &found.pv {
            line.push(game.action_text(&position, action));
            game.play(&mut position, action);
        }
        let (lower, upper) = if found.exact { (found.value, found.value) } else { (-1.0, 1.0) };
        Some(MoveReport {
            action: found.action,
            prior: 0.0,
            visits: 1,
            value: found.value,
            win: (1.0 + found.value) / 2.0,
            draw: 0.0,
            lower,
            upper,
            plies: found.exact.then_some(found.pv.len() as u32),
            line_visits: vec![(1, 1); line.len()],
            score: None,
            line,
        })
    }

    /// Whether the user's `action` may be played at the root.
    fn allows(&self, action: Action) -> bool {
        self.output_action(self.canonical_action(action)).is_some()
    }
}
