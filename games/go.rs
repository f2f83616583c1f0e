//! Go: the kernel of `go.py`.

mod blunder;
mod board;
mod candidates;
mod evaluate;
mod features;
mod fights;
mod history;
#[cfg(test)]
mod knowledge_tests;
mod ladder;
mod patterns;
mod planes;
mod playout;
mod preferences;
mod rollout;
mod score;
mod size;
mod superko;
mod tactic;
mod tactics;
#[cfg(test)]
mod tests;
mod text;

use std::{fmt::Write, sync::Arc};

use self::{
    board::{BLACK, Board, EMPTY, Effect, NONE, Point, WHITE},
    features::ShapeCells,
    history::{History, KeyTable, Keys, end_key, lead_key, mover_key, toggle},
    patterns::Shapes,
    size::Size,
    superko::Ko,
};
use crate::{
    Action, Cells, Game, Grid, Input, Judged, MoveFeatures, NetShape, Params, Played, Player, Rng, Style, Trace,
    support::{board_text::push_board, grid::insert},
    symmetry::square_inverse,
};

/// The rules of Go.
#[derive(Clone, Debug)]
pub struct Go {
    size: Size,
    komi: f64,
    ko: Ko,
    territory: bool,
    suicide: bool,
    max_plies: u32,
    keys: Arc<KeyTable>,
    shapes: Arc<Shapes>,
    shape_cells: Arc<ShapeCells>,
}

/// A position with everything that the rules remember of the game before it.
#[derive(Debug)]
pub struct Position {
    board: Board,
    /// Black 0, White 1.
    mover: u8,
    /// The point where the mover may not retake at once, or `NONE`.
    ko: Point,
    passes: u8,
    /// The last move recreated an earlier board and so ended the game.
    repeated: bool,
    /// Stones that Black and White have taken.
    captures: [u32; 2],
    plies: u32,
    /// Black's lead in points, less komi, where a playout has ended.
    lead: f32,
    /// The points of the last two stones, the last first; `NONE` for a pass or an unknown move. Knowledge looks at
    /// them; they are not in the key.
    recent: [Point; 2],
    /// Keys of the stones on the board.
    keys: Keys,
    /// On boards that are not small, of the points where a stone would recreate an earlier board.
    cycles: Keys,
    history: History,
}

impl Clone for Position {
    fn clone(&self) -> Position {
        Position { board: self.board.clone(), history: self.history.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Position) {
        self.board.clone_from(&other.board);
        self.history.clone_from(&other.history);
        (self.mover, self.ko, self.passes, self.repeated) = (other.mover, other.ko, other.passes, other.repeated);
        (self.captures, self.plies, self.recent) = (other.captures, other.plies, other.recent);
        (self.keys, self.cycles, self.lead) = (other.keys, other.cycles, other.lead);
    }
}

impl Go {
    /// # Errors
    ///
    /// One line that says which parameter cannot be used.
    pub fn new(params: &Params) -> Result<Go, String> {
        let size = params.get("size", Size::square(9))?;
        let komi: f64 = params.get("komi", 7.5)?;
        let ko = match params.get("ko", "positional".to_string())?.as_str() {
            "positional" => Ko::Positional,
            "situational" => Ko::Situational,
            "simple" => Ko::Simple,
            other => return Err(format!("go: ko={other:?} is not one of positional, situational, simple")),
        };
        let territory = match params.get("scoring", "area".to_string())?.as_str() {
            "area" => false,
            "territory" => true,
            other => return Err(format!("go: scoring={other:?} is not one of area, territory")),
        };
        let suicide = params.get("suicide", false)?;
        if ![size.columns, size.rows].iter().all(|side| (2..=25).contains(side)) {
            return Err(format!("go: size={size} is not within 2 and 25"));
        }
        if komi.is_nan() || komi.abs() > 1000.0 {
            return Err(format!("go: komi={komi} is not within -1000 and 1000"));
        }
        let max_plies = 3 * u32::from(size.area()) + 60;
        let keys = Arc::new(KeyTable::new(&Board::new(size.columns, size.rows), size.frames(), |frame, a| {
            size.image(frame, a)
        }));
        let shapes = Arc::new(Shapes::new());
        let shape_cells = Arc::new(ShapeCells::new());
        Ok(Go { size, komi, ko, territory, suicide, max_plies, keys, shapes, shape_cells })
    }

    /// Whether a position's key holds all of its history, as on boards of up to 16 points it does.
    pub fn key_holds_history(&self) -> bool {
        self.size.area() <= history::SMALL
    }

    fn pass(&self) -> Action {
        u32::from(self.size.area())
    }

    fn is_over(&self, p: &Position) -> bool {
        p.passes >= 2 || p.repeated || p.plies >= self.max_plies
    }

    /// Black's lead in points, komi deducted, all stones on the board taken as alive.
    fn margin(&self, p: &Position) -> f64 {
        let lead = p.board.territory_lead() + if self.territory { p.capture_lead() } else { p.board.stone_lead() };
        f64::from(lead) - self.komi
    }

    /// Whether the mover may play at `point`, but for superko.
    fn is_allowed(&self, p: &Position, point: Point) -> bool {
        p.board.colour(point) == EMPTY
            && (p.board.open(point)
                || point != p.ko
                    && match p.board.effect(point, p.mover) {
                        Effect::Quiet | Effect::Capture => true,
                        Effect::Suicide => self.suicide,
                        Effect::LoneSuicide => false,
                    })
    }
}

/// The result of a lead of `margin` points, from Black's point of view.
fn outcome(margin: f64) -> f32 {
    if margin == 0.0 { 0.0 } else { margin.signum() as f32 }
}

impl Position {
    fn capture_lead(&self) -> i32 {
        self.captures[0] as i32 - self.captures[1] as i32
    }
}

impl Game for Go {
    type Position = Position;

    fn initial(&self) -> Position {
        let board = Board::new(self.size.columns, self.size.rows);
        let history = History::new(&board);
        Position {
            board,
            mover: BLACK,
            ko: NONE,
            passes: 0,
            repeated: false,
            captures: [0; 2],
            plies: 0,
            lead: 0.0,
            recent: [NONE; 2],
            keys: [0; 8],
            cycles: [0; 8],
            history,
        }
    }

    fn player(&self, p: &Position) -> Player {
        if p.mover == BLACK { Player::First } else { Player::Second }
    }

    fn result(&self, p: &Position) -> Option<f32> {
        if !self.is_over(p) {
            return None;
        }
        Some(if p.repeated { 0.0 } else { outcome(self.margin(p)) })
    }

    /// A ban by superko and a draw by repetition come by a history of which only the last step is in the key; the end
    /// by length comes by a number of plies that is not.
    fn path_dependent(&self, p: &Position) -> bool {
        p.cycles != [0; 8] || p.repeated && !p.history.is_small() || p.plies >= self.max_plies
    }

    fn actions(&self, p: &Position, out: &mut Vec<Action>) {
        out.clear();
        if self.is_over(p) {
            return;
        }
        let mut action = 0;
        for row in 0..self.size.rows {
            let first = p.board.point(row * self.size.columns);
            for point in first..first + self.size.columns {
                if self.is_allowed(p, point) && !self.is_superko(p, point) {
                    out.push(action);
                }
                action += 1;
            }
        }
        out.push(self.pass());
    }

    fn play(&self, p: &mut Position, a: Action) {
        p.plies += 1;
        if a == self.pass() {
            if self.ko == Ko::Situational {
                self.remember(p);
            }
            (p.mover, p.ko, p.passes) = (1 - p.mover, NONE, p.passes + 1);
            p.recent = [NONE, p.recent[0]];
            self.find_cycles(p);
            return;
        }
        let point = p.board.point(a as u16);
        p.repeated = self.ko == Ko::Simple && self.closes_cycle(p, point);
        self.remember(p);

        let suicide = p.board.effect(point, p.mover) == Effect::Suicide;
        let loser = if suicide { p.mover } else { 1 - p.mover };
        let (keys, history) = (&mut p.keys, &mut p.history);
        toggle(keys, self.keys.stone(point, p.mover));
        p.board.for_each_removed(point, p.mover, |stone| {
            toggle(keys, self.keys.stone(stone, loser));
            history.note_removal(stone, loser);
        });
        let (mut removed, ko) = p.board.place(point, p.mover);
        if suicide {
            toggle(keys, self.keys.stone(point, p.mover));
            history.note_removal(point, p.mover);
            removed = p.board.remove(point);
        }
        p.captures[usize::from(1 - loser)] += u32::from(removed);
        (p.mover, p.ko, p.passes) = (1 - p.mover, ko, 0);
        p.recent = [point, p.recent[0]];
        self.find_cycles(p);
    }

    fn play_on(&self, p: &mut Position) -> bool {
        if p.passes >= 2 {
            return false;
        }
        p.history = History::new(&p.board);
        (p.plies, p.repeated, p.cycles) = (0, false, [0; 8]);
        true
    }

    fn still_legal(&self, p: &Position, a: Action) -> bool {
        a == self.pass() || !self.is_superko(p, p.board.point(a as u16))
    }

    fn frames(&self) -> u8 {
        self.size.frames()
    }

    fn frame_key(&self, p: &Position, frame: u8) -> u64 {
        let ko = if p.ko == NONE { 0 } else { self.keys.ko(p.ko)[usize::from(frame)] };
        let end = end_key(p.passes, p.repeated, p.plies >= self.max_plies);
        let lead = if self.territory { lead_key(p.capture_lead()) } else { 0 };
        let past = p.cycles[usize::from(frame)] ^ p.history.key(frame);
        p.keys[usize::from(frame)] ^ past ^ ko ^ end ^ lead ^ mover_key(p.mover == WHITE)
    }

    fn to_frame(&self, frame: u8, a: Action) -> Action {
        if a == self.pass() { a } else { self.size.image(frame, a) }
    }

    fn book_text(&self, p: &Position, frame: u8, out: &mut String) {
        let image = |point| self.to_frame(frame, p.board.action(point).into());
        let stones = p.board.points().filter_map(|point| match p.board.colour(point) {
            BLACK => Some((image(point), b'X')),
            WHITE => Some((image(point), b'O')),
            _ => None,
        });
        push_board(out, p.board.area().into(), stones);
        let _ = match p.ko {
            NONE => write!(out, " {} None {}", p.mover, p.passes),
            ko => write!(out, " {} {} {}", p.mover, image(ko), p.passes),
        };
    }

    fn undo_frame(&self, frame: u8, a: Action) -> Action {
        self.to_frame(square_inverse(frame), a)
    }

    fn grid(&self) -> Option<Grid> {
        Some(Grid::by_rows(self.size.columns.into(), self.size.rows.into()))
    }

    fn cells(&self, p: &Position) -> Cells {
        let mut cells = Cells::default();
        for (cell, point) in (0..).zip(p.board.points()) {
            match p.board.colour(point) {
                EMPTY => insert(&mut cells.empty, cell),
                colour => insert(&mut cells.men[usize::from(colour)], cell),
            }
        }
        cells
    }

    fn cell_of(&self, _: &Position, a: Action) -> Option<u32> {
        (a != self.pass()).then_some(a)
    }

    fn action_on(&self, p: &Position, cell: u32) -> Option<Action> {
        let point = p.board.point(cell as u16);
        (!self.is_over(p) && self.is_allowed(p, point) && !self.is_superko(p, point)).then_some(cell)
    }

    fn evaluate(&self, p: &mut Position) -> Option<f32> {
        Some(self.estimate(p))
    }

    fn preferences(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) -> bool {
        self.prefer(p, actions, out);
        true
    }

    fn net_shape(&self) -> Option<NetShape> {
        (!self.territory).then(|| self.shape_of_nets())
    }

    /// The same moves are promising under both kinds of scoring, but for passes; values near the end differ.
    fn policy_shape(&self) -> Option<NetShape> {
        Some(self.shape_of_nets())
    }

    fn inputs(&self, p: &Position, _: u8, out: &mut Vec<Input>) -> Option<Judged> {
        self.add_planes(p, out);
        Some(Judged { phase: 0, player: self.player(p) })
    }

    fn features_name(&self) -> Option<&'static str> {
        Some(features::NAME)
    }

    fn features(&self, p: &Position, actions: &[Action], out: &mut MoveFeatures) {
        self.features_of(p, actions, out);
    }

    /// As in `rollout`, but that a move which superko forbids is not chosen.
    fn playout_action(&self, p: &Position, style: Style, rng: &mut Rng, buffer: &mut Vec<Action>) -> Action {
        self.choose_action(p, style, rng, buffer)
    }

    /// The plain ko rule is kept, superko is not.
    fn playout(&self, p: &mut Position, style: Style, rng: &mut Rng, trace: Option<&mut Trace>) -> f32 {
        if let Some(result) = self.result(p) {
            return result;
        }
        let Some(trace) = trace else {
            return match style {
                Style::Uniform => self.play_out(p, rng, |_, _| ()),
                Style::Knowledge | Style::Tactics => self.play_out_by_knowledge(p, style, rng, |_, _| ()),
            };
        };
        let numbering = p.board.numbering();
        let record = |point, colour| {
            let action = if point == NONE { self.pass() } else { numbering.action(point).into() };
            trace.push(Played { action, second: colour == WHITE });
        };
        match style {
            Style::Uniform => self.play_out(p, rng, record),
            Style::Knowledge | Style::Tactics => self.play_out_by_knowledge(p, style, rng, record),
        }
    }

    fn is_scored(&self) -> bool {
        true
    }

    fn pass_action(&self) -> Option<Action> {
        Some(self.pass())
    }

    fn score(&self, p: &Position) -> f32 {
        match self.is_over(p) {
            true if p.repeated => 0.0,
            true => self.margin(p) as f32,
            false => p.lead,
        }
    }

    fn add_owners(&self, p: &mut Position, rng: &mut Rng, owners: &mut Vec<i32>) {
        (p.passes, p.plies) = (0, 0);
        self.play_out(p, rng, |_, _| ());
        owners.resize(usize::from(p.board.area()), 0);
        p.board.add_eye_owners(owners);
    }

    fn owners(&self, p: &Position, out: &mut Vec<i8>) {
        let mut colours = vec![EMPTY; self.size.area().into()];
        p.board.area_owners(&mut colours);
        let owner = |colour| match colour {
            BLACK => 1,
            WHITE => -1,
            _ => 0,
        };
        out.clear();
        out.extend(colours.into_iter().map(owner));
    }

    fn set_player(&self, p: &mut Position, player: Player) -> bool {
        let mover = if player == Player::Second { WHITE } else { BLACK };
        if mover != p.mover || p.passes >= 2 {
            if self.is_over(p) {
                self.play_on(p);
            }
            (p.mover, p.ko, p.passes) = (mover, NONE, 0);
            p.recent = [NONE; 2];
            self.find_cycles(p);
        }
        true
    }

    fn action_text(&self, _: &Position, a: Action) -> String {
        self.text(a)
    }

    fn parse_action(&self, p: &Position, text: &str) -> Option<Action> {
        let action = self.action(text.trim())?;
        let mut legal = Vec::new();
        self.actions(p, &mut legal);
        legal.contains(&action).then_some(action)
    }

    fn parse_position(&self, text: &str) -> Result<Position, String> {
        self.position(text)
    }
}
