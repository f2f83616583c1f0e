//! The file of a bear-off database; `docs/books.md` describes it byte by byte.

use super::{
    Bearoff, Counted, WIN_BYTES,
    index::{POINTS, count},
};
use crate::backgammon::side::CHECKERS;

const MAGIC: &[u8; 16] = b"playout-bearoff\n";
const VERSION: u32 = 1;
/// Magic, version, points, checkers one-sided and two-sided, numbers of shares of both kinds, checksum.
const HEAD: usize = 44;

/// The CRC-32 of zip files.
fn crc32(parts: [&[u8]; 2]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let mut word = i as u32;
            let mut bit = 0;
            while bit < 8 {
                word = if word & 1 == 0 { word >> 1 } else { word >> 1 ^ 0xEDB8_8320 };
                bit += 1;
            }
            table[i] = word;
            i += 1;
        }
        table
    };
    !parts.into_iter().flatten().fold(!0, |crc, &byte| crc >> 8 ^ TABLE[(crc as u8 ^ byte) as usize])
}

pub fn write(tables: &Bearoff) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let mut body = Vec::new();
    let lengths = [&tables.all_off, &tables.first_off].map(|counted| {
        body.extend(counted.places.iter().flat_map(|place| place.to_le_bytes()));
        body.extend(counted.shares.iter().flat_map(|share| share.to_le_bytes()));
        counted.shares.len() as u32
    });
    body.extend(tables.wins.as_flattened());
    for word in [VERSION, POINTS as u32, CHECKERS, tables.most, lengths[0], lengths[1]] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(crc32([&bytes, &body]).to_le_bytes());
    bytes.append(&mut body);
    bytes
}

/// The tables in the bytes of a file.
///
/// # Errors
///
/// One line that says what is wrong with the file.
pub fn read(bytes: &[u8]) -> Result<Bearoff, String> {
    if !bytes.starts_with(MAGIC) {
        return Err("not a bear-off database".into());
    }
    let (head, body) = bytes.split_at_checked(HEAD).ok_or("cut short in its first 44 bytes")?;
    let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
    if word(16) != VERSION {
        return Err(format!("of version {}, not {VERSION}", word(16)));
    }
    let most = word(28);
    if (word(20), word(24)) != (POINTS as u32, CHECKERS) || most >= CHECKERS {
        return Err(format!("of {} points, {} and {most} checkers", word(20), word(24)));
    }
    let places = [count(POINTS, CHECKERS), count(POINTS - 1, CHECKERS)].map(|positions| 4 * (positions + 1));
    let lengths = [32, 36].map(|at| 2 * word(at) as usize);
    let wins = WIN_BYTES * count(POINTS, most).pow(2);
    let size = HEAD + places[0] + lengths[0] + places[1] + lengths[1] + wins;
    if bytes.len() != size {
        return Err(format!("{} bytes instead of {size}", bytes.len()));
    }
    if crc32([&head[..HEAD - 4], body]) != word(HEAD - 4) {
        return Err("damaged: the checksum is another".into());
    }
    let mut rest = body;
    let mut take = |length: usize| {
        let (taken, left) = rest.split_at(length);
        rest = left;
        taken
    };
    let mut counted = |which: usize| Counted::new(take(places[which]), take(lengths[which]));
    let (all_off, first_off) = (counted(0)?, counted(1)?);
    let wins = take(wins).as_chunks().0.to_vec();
    Ok(Bearoff { most, all_off, first_off, wins })
}
