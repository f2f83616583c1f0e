//! Backgammon: the kernel of `backgammon.py`.

pub mod bearoff;
mod eval;
mod inputs;
mod patterns;
mod playout;
pub(crate) mod plays;
mod position;
mod shots;
pub(crate) mod side;
#[cfg(test)]
mod tests;
mod text;
mod walks;
mod weights;

use std::{fmt::Write, sync::Arc};

use crate::{
    Action, Cells, Game, Grid, Input, Judged, NetShape, Params, Player, Rng, Step, Style, TablePaths, Trace, zobrist,
};
use bearoff::Bearoff;
use playout::{THROWS, random_play};
use plays::{PASS, families, hop, hops};
use position::Phase;
use side::{BAR, OFF, Side};

pub use position::Position;

pub(crate) const START: Side = {
    let mut counts = [0; 26];
    (counts[6], counts[8], counts[13], counts[24]) = (5, 3, 5, 2);
    Side::new(&counts)
};
/// Factor from expected points to preferences: a play that costs a tenth of a point is about a quarter as
/// promising. A maximum-likelihood fit to the plays that gnubg-nn chooses.
const SHARPNESS: f32 = 13.0;

/// The rules of backgammon for money without the cube. Results are points / 3, or, without gammons, 1.
#[derive(Clone, Debug)]
pub struct Backgammon {
    gammons: bool,
    /// The solved positions with all checkers at home.
    bearoff: Option<Arc<Bearoff>>,
}

impl Backgammon {
    /// # Errors
    ///
    /// If `gammons` is neither `true` nor `false`.
    pub fn new(params: &Params) -> Result<Backgammon, String> {
        Ok(Backgammon { gammons: params.get("gammons", true)?, bearoff: None })
    }

    /// The winner's result, given the loser's checkers.
    fn stake(&self, loser: Side) -> f32 {
        const BEHIND: u32 = 0x3f8_0000;
        if !self.gammons {
            1.0
        } else if loser.count(OFF) > 0 {
            1.0 / 3.0
        } else if loser.occupied() & BEHIND == 0 {
            2.0 / 3.0
        } else {
            1.0
        }
    }

    /// The expected result of `own` where `other` is on roll.
    fn afterwards(&self, own: Side, other: Side) -> f32 {
        if own.finished() {
            return self.stake(other);
        }
        -self.expected(other, own)
    }

    /// The expected result of `own`, who is on roll. Nobody has finished.
    fn expected(&self, own: Side, other: Side) -> f32 {
        let known = self.bearoff.as_ref().and_then(|tables| tables.points(own, other, self.gammons));
        known.unwrap_or_else(|| eval::expected(own, other, self.gammons)) / self.most()
    }

    /// Points that a result of 1 stands for.
    fn most(&self) -> f32 {
        if self.gammons { 3.0 } else { 1.0 }
    }

    /// The play with the greatest expected result, the pass if there is none, and that result.
    fn best_play(&self, own: Side, other: Side, dice: [u8; 2]) -> (Action, f32) {
        let mut best = (PASS, f32::NEG_INFINITY);
        families(own, other, dice, |family| {
            for play in family.plays() {
                let value = self.after_play(own, other, dice, play);
                if value > best.1 {
                    best = (play, value);
                }
            }
        });
        if best.0 == PASS { (PASS, self.afterwards(own, other)) } else { best }
    }

    /// The expected result, after `play`, of the side that plays.
    fn after_play(&self, mut own: Side, mut other: Side, dice: [u8; 2], play: Action) -> f32 {
        for (source, target) in hops(dice, play) {
            hop(&mut own, &mut other, source, target);
        }
        self.afterwards(own, other)
    }
}

impl Game for Backgammon {
    type Position = Position;

    fn initial(&self) -> Position {
        Position::new([START, START], 0, Phase::Opening)
    }

    fn player(&self, p: &Position) -> Player {
        match p.phase {
            Phase::Opening | Phase::Roll => Player::Chance,
            Phase::Play(_) if p.player == 0 => Player::First,
            Phase::Play(_) => Player::Second,
        }
    }

    fn result(&self, p: &Position) -> Option<f32> {
        if p.sides[0].finished() {
            Some(self.stake(p.sides[1]))
        } else if p.sides[1].finished() {
            Some(-self.stake(p.sides[0]))
        } else {
            None
        }
    }

    fn actions(&self, p: &Position, out: &mut Vec<Action>) {
        out.clear();
        match p.phase {
            _ if p.is_over() => {}
            Phase::Opening => {
                out.extend(
                    (1..=6).flat_map(|one| (1..=6).filter(move |&two| two != one).map(move |two| 10 * one + two)),
                );
            }
            Phase::Roll => out.extend((1..=6).flat_map(|high| (1..=high).map(move |low| 10 * high + low))),
            Phase::Play(dice) => {
                let (own, other) = p.own_and_other();
                families(own, other, dice, |family| out.extend(family.plays()));
                if out.is_empty() {
                    out.push(PASS);
                }
            }
        }
    }

    fn probability(&self, p: &Position, a: Action) -> f32 {
        match p.phase {
            Phase::Opening => 1.0 / 30.0,
            _ if a.is_multiple_of(11) => 1.0 / 36.0,
            _ => 2.0 / 36.0,
        }
    }

    fn sample(&self, p: &Position, rng: &mut Rng) -> Action {
        if p.phase != Phase::Opening {
            return THROWS[rng.usize(..36)].into();
        }
        let (one, two) = (rng.u32(1..=6), rng.u32(1..=5));
        10 * one + two + u32::from(two >= one)
    }

    fn play(&self, p: &mut Position, a: Action) {
        let (one, two) = ((a / 10) as u8, (a % 10) as u8);
        match p.phase {
            Phase::Play(dice) => return p.play(dice, a),
            Phase::Opening => p.player = u8::from(one < two),
            Phase::Roll => {}
        }
        p.phase = Phase::Play([one.max(two), one.min(two)]);
    }

    /// The points as the first player counts them, from 1 on.
    fn grid(&self) -> Option<Grid> {
        Some(Grid::by_rows(24, 1))
    }

    fn cells(&self, p: &Position) -> Cells {
        patterns::cells(p.sides)
    }

    fn men_of(&self, p: &Position, we: Player, kinds: u32) -> u64 {
        patterns::men_of(p.sides, usize::from(we == Player::Second), kinds)
    }

    fn action_by(&self, p: &Position, steps: &[Step], promotion: u8) -> Option<Action> {
        let Phase::Play(dice) = p.phase else { return None };
        let (own, other) = p.own_and_other();
        (promotion == 0).then(|| patterns::play(own, other, dice, p.player == 1, steps)).flatten()
    }

    fn relations(&self) -> &'static [&'static str] {
        &patterns::RELATIONS
    }

    fn related(&self, p: &Position, _: u8, _: &[u32], last: u64) -> u64 {
        if p.own_and_other().1.count(BAR) > 0 { last } else { 0 }
    }

    fn book_text(&self, p: &Position, _: u8, out: &mut String) {
        let (own, other) = p.own_and_other();
        if let Phase::Play([high, low]) = p.phase {
            let _ = write!(out, "{} 0 {high}{low}", text::position_id(own, other));
        }
    }

    fn frame_key(&self, p: &Position, _: u8) -> u64 {
        let phase = match p.phase {
            Phase::Opening => 2,
            Phase::Roll => u64::from(p.player),
            Phase::Play([high, low]) => u64::from(p.player) + 2 * u64::from(10 * high + low),
        };
        p.key ^ zobrist::key(0, phase)
    }

    /// The expected result after the best play or, before a roll, of the position as it stands.
    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        let (own, other) = p.own_and_other();
        Some(match p.phase {
            Phase::Play(dice) => self.best_play(own, other, dice).1,
            Phase::Roll => self.expected(own, other),
            Phase::Opening => 0.0,
        })
    }

    /// Where the two-sided table has the position or, with dice, all that plays lead to.
    fn known(&self, p: &Position) -> Option<f32> {
        let tables = self.bearoff.as_ref()?;
        let (own, other) = p.own_and_other();
        let wins = tables.wins(own, other)?;
        // Nobody loses a gammon who has so few checkers left.
        let value = match p.phase {
            Phase::Play(dice) => self.best_play(own, other, dice).1,
            Phase::Roll | Phase::Opening => (2.0 * wins - 1.0) / self.most(),
        };
        Some(if p.player == 0 { value } else { -value })
    }

    /// A bear-off database, one file.
    fn set_tables(&mut self, tables: Option<&TablePaths>) -> Result<(), String> {
        self.bearoff = match tables.map(|tables| tables.paths.as_slice()) {
            None => None,
            Some([path]) => Some(Arc::new(Bearoff::open(path)?)),
            Some(paths) => return Err(format!("{} files instead of one bear-off database", paths.len())),
        };
        Ok(())
    }

    /// The expected points after each play, `SHARPNESS` times.
    fn preferences(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        let Phase::Play(dice) = p.phase else { return false };
        let (own, other) = p.own_and_other();
        out.clear();
        out.extend(actions.iter().map(|&a| SHARPNESS * self.most() * self.after_play(own, other, dice, a)));
        true
    }

    /// Six outcomes: the player on roll wins a single game, a gammon, a backgammon, or loses them.
    fn net_shape(&self) -> Option<NetShape> {
        let most = self.most();
        let results = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0].map(|points: f32| points.clamp(-most, most) / most);
        Some(NetShape {
            name: "backgammon-2".to_owned(),
            inputs: inputs::INPUTS,
            views: 1,
            phases: &inputs::PHASES,
            results: results.into(),
            slots: 0,
            sharpness: Some(SHARPNESS * most),
            slots_each: 1,
            over_own: false,
            board: None,
            served_by: None,
            any_size: None,
            correction: 0,
        })
    }

    /// Nets judge positions before a roll.
    fn inputs(&self, p: &Position, _: u8, out: &mut Vec<Input>) -> Option<Judged> {
        if p.phase != Phase::Roll {
            return None;
        }
        let (own, other) = p.own_and_other();
        let player = if p.player == 0 { Player::First } else { Player::Second };
        Some(Judged { phase: inputs::inputs(own, other, out), player })
    }

    /// Plays are uniformly random among those that lead to different positions, or the best by the evaluation.
    fn playout_action(&self, p: &Position, style: Style, rng: &mut Rng, _: &mut Vec<Action>) -> Action {
        let Phase::Play(dice) = p.phase else { return self.sample(p, rng) };
        let (own, other) = p.own_and_other();
        match style {
            Style::Uniform => random_play(own, other, dice, rng),
            Style::Knowledge | Style::Tactics => self.best_play(own, other, dice).0,
        }
    }

    /// There is no cap on the length.
    fn playout(&self, p: &mut Position, style: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        match style {
            Style::Uniform => self.run(p, rng, trace, random_play),
            Style::Knowledge | Style::Tactics => {
                self.run(p, rng, trace, |own, other, dice, _| self.best_play(own, other, dice).0)
            }
        }
    }

    /// Before the opening roll: that player starts.
    fn set_player(&self, p: &mut Position, player: Player) -> bool {
        p.player = u8::from(player == Player::Second);
        if p.phase == Phase::Opening {
            p.phase = Phase::Roll;
        }
        true
    }

    fn action_text(&self, p: &Position, a: Action) -> String {
        let Phase::Play(dice) = p.phase else { return a.to_string() };
        let (mut own, mut other) = p.own_and_other();
        let moved = hops(dice, a).map(|(source, target)| text::Hop {
            source,
            target,
            hits: hop(&mut own, &mut other, source, target),
        });
        text::play_text(moved.collect())
    }

    fn parse_position(&self, text: &str) -> Result<Position, String> {
        let bad = || format!("not a backgammon position: {text:?} (as in \"4HPwATDgc/ABMA 0 31\")");
        let mut words = text.split_whitespace();
        let (Some(id), Some(player), Some(roll), None) = (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(bad());
        };
        let [own, other] = text::parse_position_id(id)?.map(|counts| Side::new(&counts));
        let (sides, player) = match player {
            "0" => ([own, other], 0),
            "1" => ([other, own], 1),
            _ => return Err(bad()),
        };
        let phase = match *roll.as_bytes() {
            [b'-'] => Phase::Roll,
            [one @ b'1'..=b'6', two @ b'1'..=b'6'] => Phase::Play([one.max(two) - b'0', one.min(two) - b'0']),
            _ if roll == "opening" && player == 0 => Phase::Opening,
            _ => return Err(bad()),
        };
        let p = Position::new(sides, player, phase);
        if p.is_over() && phase != Phase::Roll {
            return Err(format!("dice after the end of the game: {text:?}"));
        }
        Ok(p)
    }

    fn acyclic(&self) -> bool {
        false
    }
}
