//! SentencePiece's `precompiled_charsmap`: rewrites the longest prefix that its trie holds, over and over.
//!
//! Layout: u32 size of the trie in bytes; the trie, a double array of u32 as darts-clone writes it; replacement strings that
//! end in NUL, which the trie's values are offsets of. Hugging Face's own normalizer works on grapheme clusters instead of
//! prefixes, which gives other results than SentencePiece.

use tokenizers::NormalizedString;

use crate::error::{Error, Result};

#[derive(Debug)]
pub struct CharsMap {
    trie: Vec<u32>,
    replacements: Vec<u8>,
}

/// One unit of the double array.
#[derive(Clone, Copy)]
struct Unit(u32);

impl Unit {
    fn has_leaf(self) -> bool {
        self.0 >> 8 & 1 == 1
    }
    fn value(self) -> usize {
        (self.0 & 0x7FFF_FFFF) as usize
    }
    fn label(self) -> u32 {
        self.0 & 0x8000_00FF
    }
    fn offset(self) -> usize {
        ((self.0 >> 10) << ((self.0 & 0x200) >> 6)) as usize
    }
}

impl CharsMap {
    pub fn parse(blob: &[u8]) -> Result<CharsMap> {
        let damaged = || Error::data_loss("precompiled_charsmap is damaged");
        let (size, rest) = blob.split_first_chunk::<4>().ok_or_else(damaged)?;
        let trie_bytes = u32::from_le_bytes(*size) as usize;
        if trie_bytes % 4 != 0 || trie_bytes > rest.len() {
            return Err(damaged());
        }
        let (trie, replacements) = rest.split_at(trie_bytes);
        let trie = trie.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        Ok(CharsMap { trie, replacements: replacements.to_vec() })
    }

    fn unit(&self, position: usize) -> Option<Unit> {
        self.trie.get(position).copied().map(Unit)
    }

    /// Length of the longest prefix of `text` that is rewritten, and what it becomes.
    fn longest_prefix(&self, text: &str) -> Option<(usize, &str)> {
        let mut best = None;
        let mut position = self.unit(0)?.offset();
        for (i, byte) in text.bytes().enumerate() {
            position ^= usize::from(byte);
            let Some(unit) = self.unit(position) else { break };
            if byte == 0 || unit.label() != u32::from(byte) {
                break;
            }
            position ^= unit.offset();
            if unit.has_leaf() {
                best = self.unit(position).map(|leaf| (i + 1, leaf.value()));
            }
        }
        let (len, offset) = best?;
        let tail = self.replacements.get(offset..)?;
        let end = tail.iter().position(|b| *b == 0)?;
        let text_ok = text.is_char_boundary(len);
        std::str::from_utf8(&tail[..end]).ok().filter(|_| text_ok).map(|r| (len, r))
    }

    pub fn apply(&self, string: &mut NormalizedString) {
        let mut changes = Changes::default();
        let text = string.get();
        let mut rest = text;
        let mut modified = false;
        while let Some(first) = rest.chars().next() {
            let used = match self.longest_prefix(rest) {
                Some((len, replacement)) => {
                    changes.replace(rest[..len].chars().count(), replacement);
                    modified = true;
                    len
                }
                None => {
                    changes.chars.push((first, 0));
                    first.len_utf8()
                }
            };
            rest = &rest[used..];
        }
        if modified {
            string.transform(changes.chars, changes.removed_at_start);
        }
    }
}

/// New characters with how the count changes at each, as `NormalizedString::transform` wants it.
#[derive(Default)]
struct Changes {
    chars: Vec<(char, isize)>,
    removed_at_start: usize,
}

impl Changes {
    fn replace(&mut self, old_count: usize, new: &str) {
        let mut left = old_count;
        for c in new.chars() {
            // A character that replaces none is an insertion.
            self.chars.push((c, if left == 0 { 1 } else { 0 }));
            left = left.saturating_sub(1);
        }
        match self.chars.last_mut() {
            Some((_, change)) if left > 0 => *change -= left as isize,
            None => self.removed_at_start += left,
            _ => {}
        }
    }
}
