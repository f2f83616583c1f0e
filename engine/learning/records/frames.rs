//! Frames: pieces of a file that are written whole or not at all.

use std::io::{Read, Write};

use flate2::{Compression, Crc, read::ZlibDecoder, write::ZlibEncoder};

/// First bytes of a file of records.
pub const MAGIC: &[u8; 16] = b"playout-records\n";
/// Bytes before a frame's contents: their length, and the CRC-32 of what the frame holds.
const HEAD: usize = 8;
/// Most bytes of a frame's contents, compressed or not.
const LARGEST: usize = 1 << 30;

/// A frame of these contents.
pub fn frame(contents: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(vec![0; HEAD], Compression::default());
    encoder.write_all(contents).expect("memory takes everything");
    let mut bytes = encoder.finish().expect("memory takes everything");
    let length = (bytes.len() - HEAD) as u32;
    let sum = checksum(&bytes[HEAD..]);
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..HEAD].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// The contents of the frame at the beginning of `bytes`, and its length; None if it is cut off or damaged.
pub fn first(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (sum, rest) = rest.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    let packed = rest.get(..length)?;
    if checksum(packed) != u32::from_le_bytes(*sum) {
        return None;
    }
    let mut contents = Vec::new();
    ZlibDecoder::new(packed).take(LARGEST as u64).read_to_end(&mut contents).ok()?;
    Some((contents, HEAD + length))
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}
