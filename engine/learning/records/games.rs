//! Games as bytes: little-endian numbers, each kind of them together.

use playout_games::Action;

/// A game that was played for learning.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The seed of its random numbers.
    pub seed: u64,
    /// The text of the position in which it started; None is the game's own start.
    pub start: Option<String>,
    /// The result for the first player, in [-1, 1].
    pub result: f32,
    pub plies: Vec<Ply>,
}

/// An action of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    pub action: Action,
    pub searched: Searched,
}

/// Findings of the search before an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Searched {
    /// There was none: dice, or an opening.
    Not,
    /// A cheap search: the value of the position, in [-1, 1], for the player to move.
    Value(f32),
    /// A search to learn from: the value, and visits of actions, of which there is at least one.
    Visits(f32, Vec<(Action, u32)>),
    /// None, but the choice is to be learned from: a game that others played, which may have ended before the rules end
    /// it. Votes for actions, of which there is at least one.
    Given(Vec<(Action, u32)>),
}

impl Searched {
    fn kind(&self) -> u8 {
        match self {
            Searched::Not => 0,
            Searched::Value(_) => 1,
            Searched::Visits(..) => 2,
            Searched::Given(_) => 3,
        }
    }

    pub fn value(&self) -> Option<f32> {
        match *self {
            Searched::Not | Searched::Given(_) => None,
            Searched::Value(value) | Searched::Visits(value, _) => Some(value),
        }
    }

    /// The share of an action in the choice; None where there is none to learn from.
    pub fn shares(&self) -> Option<impl Fn(Action) -> f32> {
        let visits = self.visits();
        let all: u32 = visits.iter().map(|&(_, visits)| visits).sum();
        (all > 0).then_some(move |action| {
            let found = visits.iter().find(|&&(one, _)| one == action);
            found.map_or(0.0, |&(_, visits)| visits as f32 / all as f32)
        })
    }

    pub fn visits(&self) -> &[(Action, u32)] {
        match self {
            Searched::Visits(_, visits) | Searched::Given(visits) => visits,
            _ => &[],
        }
    }
}

/// Appends a game; `number` gives the file's numbers of actions.
pub fn write(game: &GameRecord, number: impl Fn(Action) -> u32, out: &mut Vec<u8>) {
    let visits = || game.plies.iter().flat_map(|ply| ply.searched.visits());
    out.extend(game.seed.to_le_bytes());
    out.extend(game.result.to_le_bytes());
    match &game.start {
        Some(text) => write_text(text, out),
        None => out.extend(u32::MAX.to_le_bytes()),
    }
    out.extend((game.plies.len() as u32).to_le_bytes());
    out.extend((visits().count() as u32).to_le_bytes());
    out.extend(game.plies.iter().flat_map(|ply| number(ply.action).to_le_bytes()));
    out.extend(game.plies.iter().flat_map(|ply| ply.searched.value().unwrap_or(0.0).to_le_bytes()));
    out.extend(game.plies.iter().map(|ply| ply.searched.kind()));
    out.extend(game.plies.iter().flat_map(|ply| (ply.searched.visits().len() as u32).to_le_bytes()));
    out.extend(visits().flat_map(|&(action, _)| number(action).to_le_bytes()));
    out.extend(visits().flat_map(|&(_, visits)| visits.to_le_bytes()));
}

pub fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Reads games out of the contents of a frame.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("it ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        Ok(self.take(N)?.try_into().expect("that many were taken"))
    }

    pub fn count(&mut self) -> Result<usize, String> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn numbers(&mut self, count: usize) -> Result<impl Iterator<Item = u32> + Clone + use<'a>, String> {
        let bytes = self.take(count.checked_mul(4).ok_or("it ends too early")?)?;
        Ok(bytes.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number)))
    }

    fn reals(&mut self, count: usize, what: &str) -> Result<Vec<f32>, String> {
        let reals: Vec<f32> = self.numbers(count)?.map(f32::from_bits).collect();
        match reals.iter().find(|real| !(-1.0..=1.0).contains(*real)) {
            Some(real) => Err(format!("{what} is {real}, which is not in [-1, 1]")),
            None => Ok(reals),
        }
    }

    pub fn text(&mut self) -> Result<String, String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| "a text is not UTF-8".to_owned())
    }

    /// A game; `action` gives the actions of the file's numbers.
    pub fn game(&mut self, action: impl Fn(u32) -> Result<Action, String>) -> Result<GameRecord, String> {
        let seed = u64::from_le_bytes(self.array()?);
        let result = self.reals(1, "the result")?[0];
        let start = if self.0.starts_with(&u32::MAX.to_le_bytes()) {
            self.take(4)?;
            None
        } else {
            Some(self.text()?)
        };
        let (count, all) = (self.count()?, self.count()?);
        let actions = self.numbers(count)?;
        let values = self.reals(count, "the value of a position")?;
        let kinds = self.take(count)?;
        let lengths = self.numbers(count)?;
        let mut visited = self.numbers(all)?.zip(self.numbers(all)?);
        let mut plies = Vec::with_capacity(count);
        for (((taken, value), &kind), length) in actions.zip(values).zip(kinds).zip(lengths) {
            let length = length as usize;
            let visits: Vec<(Action, u32)> = visited
                .by_ref()
                .take(length)
                .map(|(one, visits)| Ok((action(one)?, visits)))
                .collect::<Result<_, String>>()?;
            let searched = match (kind, visits.len()) {
                (0, 0) => Searched::Not,
                (1, 0) => Searched::Value(value),
                (2, found @ 1..) if found == length => Searched::Visits(value, visits),
                (3, found @ 1..) if found == length => Searched::Given(visits),
                _ => return Err(format!("ply {} is of the kind {kind} with {length} visited moves", plies.len() + 1)),
            };
            plies.push(Ply { action: action(taken)?, searched });
        }
        if visited.next().is_some() {
            return Err("it has visits of no ply".to_owned());
        }
        Ok(GameRecord { seed, start, result, plies })
    }
}
