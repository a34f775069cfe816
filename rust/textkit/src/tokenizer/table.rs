//! What every token id stands for: its text as the file writes it, the bytes that it decodes to, and its kind.

use std::collections::HashMap;

use ahash::AHashMap;

/// The numbers of GGUF's `tokenizer.ggml.token_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum TokenKind {
    Absent = 0,
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
}

impl TokenKind {
    pub fn from_number(n: i32) -> Option<TokenKind> {
        Some(match n {
            0 | 1 => TokenKind::Normal,
            2 => TokenKind::Unknown,
            3 => TokenKind::Control,
            4 => TokenKind::UserDefined,
            5 => TokenKind::Unused,
            6 => TokenKind::Byte,
            _ => return None,
        })
    }

    /// Text may only become such a token when control tokens are parsed.
    pub fn is_special(self) -> bool {
        matches!(self, TokenKind::Unknown | TokenKind::Control)
    }
}

/// How a token's text becomes bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// GPT-2's alphabet of 256 printable characters, one for each byte.
    ByteLevel,
    /// U+2581 is a space, `<0xNN>` a byte.
    SentencePiece,
    /// `##` continues a word; any other token begins one, after a space.
    WordPiece,
    /// As it is.
    Plain,
}

#[derive(Default)]
pub struct TokenTable {
    texts: Vec<String>,
    bytes: Vec<Vec<u8>>,
    kinds: Vec<TokenKind>,
    ids: AHashMap<String, u32>,
}

impl TokenTable {
    /// Of two tokens with one text, `find` gives the first.
    pub fn new(texts: Vec<String>, kinds: Vec<TokenKind>, spelling: Spelling) -> TokenTable {
        let alphabet = byte_alphabet();
        let bytes = texts.iter().zip(&kinds).map(|(t, k)| token_bytes(t, *k, spelling, &alphabet)).collect();
        let mut ids = AHashMap::with_capacity(texts.len());
        for (id, text) in texts.iter().enumerate() {
            if kinds[id] != TokenKind::Absent {
                ids.entry(text.clone()).or_insert(id as u32);
            }
        }
        TokenTable { texts, bytes, kinds, ids }
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub fn kind(&self, id: u32) -> TokenKind {
        self.kinds.get(id as usize).copied().unwrap_or(TokenKind::Absent)
    }

    pub fn text(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("", String::as_str)
    }

    pub fn bytes(&self, id: u32) -> &[u8] {
        self.bytes.get(id as usize).map_or(&[], Vec::as_slice)
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }
}

fn token_bytes(text: &str, kind: TokenKind, spelling: Spelling, alphabet: &HashMap<char, u8>) -> Vec<u8> {
    // The text of an added token is what it says, whatever the alphabet of the others.
    let added = matches!(kind, TokenKind::Control | TokenKind::UserDefined | TokenKind::Unknown);
    match spelling {
        Spelling::ByteLevel if !added => {
            let bytes: Option<Vec<u8>> = text.chars().map(|c| alphabet.get(&c).copied()).collect();
            bytes.unwrap_or_else(|| text.as_bytes().to_vec())
        }
        Spelling::SentencePiece => match (kind, byte_token(text)) {
            (TokenKind::Byte, Some(byte)) => vec![byte],
            (TokenKind::Control | TokenKind::Unknown, _) => text.as_bytes().to_vec(),
            _ => text.replace('\u{2581}', " ").into_bytes(),
        },
        Spelling::WordPiece if !added => match text.strip_prefix("##") {
            Some(rest) => rest.as_bytes().to_vec(),
            None => format!(" {text}").into_bytes(),
        },
        Spelling::WordPiece => format!(" {text}").into_bytes(),
        _ => text.as_bytes().to_vec(),
    }
}

/// The byte that `<0xNN>` names: exactly two hexadecimal digits, no sign.
pub fn byte_token(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() != 2 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u8::from_str_radix(digits, 16).ok()
}

/// GPT-2's alphabet: printable Latin-1 stands for itself, the other bytes for U+0100 onwards in order.
fn byte_alphabet() -> HashMap<char, u8> {
    let printable = |b: u8| matches!(b, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut next = 0x100;
    (0..=255u8)
        .map(|b| {
            let c = if printable(b) {
                char::from(b)
            } else {
                next += 1;
                char::from_u32(next - 1).unwrap_or('\u{FFFD}')
            };
            (c, b)
        })
        .collect()
}
