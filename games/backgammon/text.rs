//! Backgammon in writing, as in `backgammon_text.py` and `backgammon_id.py`.

use std::fmt::Write;

use super::side::{BAR, CHECKERS, OFF, Side};

/// The digits of base64.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A checker moved by one die.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    pub source: u32,
    pub target: u32,
    pub hits: bool,
}

/// A play as one word: `bar/24*,13/11`, `24/18*/13`, `8/5(2),6/3(2)`, `pass`.
pub fn play_text(mut hops: Vec<Hop>) -> String {
    hops.sort_by_key(|hop| std::cmp::Reverse((hop.source, hop.target)));
    let is_hit = |point| hops.iter().any(|hop| hop.hits && hop.target == point);
    let mut paths: Vec<Vec<u32>> = Vec::new();
    for hop in &hops {
        match paths.iter_mut().find(|path| path.last() == Some(&hop.source)) {
            Some(path) => path.push(hop.target),
            None => paths.push(vec![hop.source, hop.target]),
        }
    }
    for path in &mut paths {
        let (start, end) = (path[0], path[path.len() - 1]);
        path.retain(|&point| point == start || point == end || is_hit(point));
    }
    paths.sort_by(|a, b| b.cmp(a));
    let mut text = String::new();
    for same in paths.chunk_by(|a, b| a == b) {
        if !text.is_empty() {
            text.push(',');
        }
        for (index, &point) in same[0].iter().enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            let star = if index > 0 && is_hit(point) { "*" } else { "" };
            let _ = match point {
                BAR => write!(text, "bar"),
                OFF => write!(text, "/off"),
                _ => write!(text, "{slash}{point}{star}"),
            };
        }
        if same.len() > 1 {
            let _ = write!(text, "({})", same.len());
        }
    }
    if text.is_empty() { "pass".to_owned() } else { text }
}

/// The numbers of checkers on points 0 to 25 of the side on roll and of the other side.
///
/// # Errors
///
/// One line: `text` is no Position ID, or one of a position to which no game comes.
pub fn parse_position_id(text: &str) -> Result<[[u8; 26]; 2], String> {
    let bad =
        || format!("not a Position ID: {text:?} (14 characters of base64 for at most {CHECKERS} checkers a side)");
    let mut bits = base64(text).ok_or_else(bad)?;
    let mut sides = [[0; 26]; 2];
    for side in sides.iter_mut().rev() {
        let mut off = CHECKERS;
        for count in &mut side[1..] {
            let ones = bits.trailing_ones();
            off = off.checked_sub(ones).ok_or_else(bad)?;
            *count = ones as u8;
            bits >>= ones + 1;
        }
        side[0] = off as u8;
    }
    if bits != 0 {
        return Err(bad());
    }
    check(&sides)?;
    Ok(sides)
}

/// The Position ID of the side on roll and the other side: the inverse of `parse_position_id`.
pub fn position_id(own: Side, other: Side) -> String {
    let (mut bits, mut place) = (0_u128, 0);
    for side in [other, own] {
        for point in 1..=BAR {
            let count = side.count(point);
            bits |= ((1 << count) - 1) << place;
            place += count + 1;
        }
    }
    // The first byte is highest, and four bits fill up the last letter.
    let letters = bits.swap_bytes() >> 48 << 4;
    (0..14).rev().map(|i| char::from(LETTERS[(letters >> (6 * i) & 63) as usize])).collect()
}

/// The ten bytes that 14 characters of base64 stand for, the first byte lowest.
fn base64(text: &str) -> Option<u128> {
    if text.len() != 14 {
        return None;
    }
    let mut bits = 0u128;
    for letter in text.bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u128::from(six);
    }
    // 84 bits: 80 for the bytes, the first byte highest, then 4 that are 0.
    (bits & 15 == 0).then(|| (bits << 44).swap_bytes())
}

/// Positions that no game comes to: a point of both sides, both sides borne off, or both on the bar against closed boards.
fn check(sides: &[[u8; 26]; 2]) -> Result<(), String> {
    let [own, other] = sides;
    if let Some(point) = (1..25).find(|&point| own[point] > 0 && other[25 - point] > 0) {
        return Err(format!("impossible position: both sides hold the {point} point of the side on roll"));
    }
    if u32::from(own[0]) == CHECKERS && u32::from(other[0]) == CHECKERS {
        return Err("impossible position: both sides have borne off all their checkers".to_owned());
    }
    if sides.iter().all(|side| side[25] > 0 && side[1..7].iter().all(|&count| count > 1)) {
        return Err("impossible position: both sides are on the bar against closed boards".to_owned());
    }
    Ok(())
}
