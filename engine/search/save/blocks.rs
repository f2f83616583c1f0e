//! Blocks with checksums: what is read from them is what was written, or an error.
//!
//! A block is its length (4 bytes, at most `BLOCK`), that many bytes, and the checksum (8 bytes) of everything up to
//! there. A block without bytes is the last, and the file ends with it. Numbers are little-endian.

use std::io::{self, Read, Write};

/// Bytes of a full block.
const BLOCK: usize = 1 << 16;

/// A 64-bit checksum of words. Each step is one-to-one in the state as in the word, so that no change within one word
/// goes unnoticed. It tells damage, not malice.
#[derive(Clone, Copy)]
struct Checksum(u64);

impl Checksum {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }

    fn block(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.word(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.word(u64::from_le_bytes(last));
    }
}

/// Writes blocks; `finish` ends them.
pub struct BlockWriter<W: Write> {
    to: W,
    sum: Checksum,
    block: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    /// `seed` is what the reader must know to read on: the format's version.
    pub fn new(to: W, seed: u32) -> BlockWriter<W> {
        BlockWriter { to, sum: Checksum(u64::from(seed)), block: Vec::with_capacity(BLOCK) }
    }

    pub fn bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = bytes.len().min(BLOCK - self.block.len());
            self.block.extend_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            if self.block.len() == BLOCK {
                self.flush()?;
            }
        }
        Ok(())
    }

    pub fn u32(&mut self, value: u32) -> io::Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    pub fn u64(&mut self, value: u64) -> io::Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    pub fn f32(&mut self, value: f32) -> io::Result<()> {
        self.u32(value.to_bits())
    }

    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.u32(text.len() as u32)?;
        self.bytes(text.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sum.block(&self.block);
        self.to.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.to.write_all(&self.block)?;
        self.to.write_all(&self.sum.0.to_le_bytes())?;
        self.block.clear();
        Ok(())
    }

    /// Writes what is left, and the end.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        self.flush()?;
        Ok(self.to)
    }
}

/// An error in a file, with its place.
#[derive(Debug)]
pub struct Fault {
    /// Bytes from the beginning.
    pub place: u64,
    pub what: String,
}

/// Reads blocks.
pub struct BlockReader<R: Read> {
    from: R,
    sum: Checksum,
    block: Vec<u8>,
    /// Bytes of the block that were read.
    at: usize,
    /// Byte of the file at which the block's bytes begin.
    place: u64,
    ended: bool,
}

impl<R: Read> BlockReader<R> {
    /// `from` stands at byte `place` of its file.
    pub fn new(from: R, place: u64, seed: u32) -> BlockReader<R> {
        BlockReader { from, sum: Checksum(u64::from(seed)), block: Vec::new(), at: 0, place, ended: false }
    }

    /// An error at what was read last.
    pub fn fault(&self, what: impl Into<String>) -> Fault {
        Fault { place: self.place + self.at as u64, what: what.into() }
    }

    fn exactly(&mut self, bytes: &mut [u8]) -> Result<(), Fault> {
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.fault("the file ends in the middle"),
            _ => self.fault(error.to_string()),
        })
    }

    fn next_block(&mut self) -> Result<(), Fault> {
        if self.ended {
            return Err(self.fault("there should be more"));
        }
        if !self.block.is_empty() {
            self.place += self.block.len() as u64 + 8;
        }
        self.at = 0;
        let mut length = [0; 4];
        self.exactly(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > BLOCK {
            return Err(self.fault("damaged: no block is so long"));
        }
        self.place += 4;
        let mut block = std::mem::take(&mut self.block);
        block.resize(length, 0);
        self.exactly(&mut block)?;
        let mut sum = [0; 8];
        self.exactly(&mut sum)?;
        self.sum.block(&block);
        if u64::from_le_bytes(sum) != self.sum.0 {
            return Err(self.fault(format!("damaged: the checksum of the next {length} bytes is another")));
        }
        self.ended = block.is_empty();
        self.block = block;
        Ok(())
    }

    pub fn bytes(&mut self, mut out: &mut [u8]) -> Result<(), Fault> {
        while !out.is_empty() {
            if self.at == self.block.len() {
                self.next_block()?;
                continue;
            }
            let count = out.len().min(self.block.len() - self.at);
            out[..count].copy_from_slice(&self.block[self.at..self.at + count]);
            self.at += count;
            out = &mut out[count..];
        }
        Ok(())
    }

    pub fn u32(&mut self) -> Result<u32, Fault> {
        let mut bytes = [0; 4];
        self.bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub fn u64(&mut self) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        self.bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn f32(&mut self) -> Result<f32, Fault> {
        let value = f32::from_bits(self.u32()?);
        if value.is_finite() { Ok(value) } else { Err(self.fault("no number")) }
    }

    /// A value of a game.
    pub fn value(&mut self) -> Result<f32, Fault> {
        let value = self.f32()?;
        if (-1.0..=1.0).contains(&value) { Ok(value) } else { Err(self.fault(format!("{value} is not in [-1, 1]"))) }
    }

    pub fn text(&mut self) -> Result<String, Fault> {
        let length = self.u32()? as usize;
        if length > BLOCK {
            return Err(self.fault("no text is so long"));
        }
        let mut bytes = vec![0; length];
        self.bytes(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| self.fault("no text"))
    }

    /// Reads on to the end: nothing may be left.
    pub fn end(&mut self) -> Result<(), Fault> {
        if self.at < self.block.len() {
            return Err(self.fault("there should be nothing more"));
        }
        self.next_block()?;
        self.check_end()
    }

    /// Reads all blocks, for their checksums only.
    pub fn verify(&mut self) -> Result<(), Fault> {
        while !self.ended {
            self.next_block()?;
        }
        self.check_end()
    }

    fn check_end(&mut self) -> Result<(), Fault> {
        if !self.ended {
            return Err(self.fault("there should be nothing more"));
        }
        match self.from.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.fault("there should be nothing more")),
            Err(error) => Err(self.fault(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use playout_games::Rng;

    use super::*;

    fn written(content: &[u8]) -> Vec<u8> {
        let mut writer = BlockWriter::new(Vec::new(), 1);
        writer.bytes(content).expect("memory takes all");
        writer.finish().expect("memory takes all")
    }

    #[test]
    fn what_was_written_is_read_whatever_its_length() {
        let mut rng = Rng::with_seed(1);
        for length in [0, 1, 7, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            let content: Vec<u8> = (0..length).map(|_| rng.u8(..)).collect();
            let file = written(&content);
            let mut reader = BlockReader::new(&file[..], 0, 1);
            let mut back = vec![0; length];
            reader.bytes(&mut back).and_then(|()| reader.end()).expect("it is whole");
            assert_eq!(back, content);
            assert!(
                BlockReader::new(&file[..], 0, 1).verify().is_ok()
                    && BlockReader::new(&file[..], 0, 2).verify().is_err()
            );
        }
    }

    #[test]
    fn no_change_goes_unnoticed() {
        let mut rng = Rng::with_seed(2);
        let content: Vec<u8> = (0..BLOCK + 200).map(|_| rng.u8(..)).collect();
        let file = written(&content);
        let damaged = |file: &[u8]| BlockReader::new(file, 0, 1).verify().is_err();
        for _ in 0..500 {
            let mut other = file.clone();
            other[rng.usize(..file.len())] ^= 1 << rng.u32(..8);
            assert!(damaged(&other));
            assert!(damaged(&file[..rng.usize(..file.len())]));
        }
        let longer = [&file[..], &[0]].concat();
        assert!(damaged(&longer));
        assert!(!damaged(&file));
    }
}
