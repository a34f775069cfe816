//! A tokenizer in four stages: added tokens are cut out of the text, what is left is normalized, split into words and
//! given to the model. The stages are Hugging Face's; cutting out added tokens is ours, because which tokens may be found
//! depends on who wrote the text (`encode`'s `user_text`), and so are the stages that HF does in more than linear time.

mod added;
mod charsmap;
mod gguf;
mod json;
mod normalize;
mod pre_types;
mod pretokenize;
mod spm;
mod table;

use tokenizers::{Model, ModelWrapper, NormalizedString, OffsetReferential, OffsetType, PreTokenizedString, Token};

use crate::error::{one_line, Code, Error, Result};
use added::{AddedTokens, Found};
pub use gguf::{from_gguf, GgufVocab};
pub use json::from_json;
use normalize::NormalizeStep;
use pretokenize::PreTokenizeStep;
pub use table::{TokenKind, TokenTable};

/// Longest text that one call encodes.
pub const MAX_TEXT_BYTES: usize = 16 << 20;

/// A byte range of a text, `begin <= end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Span {
    pub begin: usize,
    pub end: usize,
}

pub struct Tokenizer {
    pub table: TokenTable,
    /// Ids that `add_special` puts around a text, as a tokenizer.json says. GGUF says it with flags: empty then.
    pub prefix: Vec<u32>,
    pub suffix: Vec<u32>,
    /// Decoding takes one leading space off, because encoding puts one in front.
    pub strips_leading_space: bool,
    added: AddedTokens,
    normalize: Vec<NormalizeStep>,
    pre_tokenize: Vec<PreTokenizeStep>,
    model: ModelWrapper,
}

/// Which control tokens a text may name.
pub enum Special<'a> {
    /// None: text that spells a control token stays text.
    Ignore,
    /// All, except where a spelling touches one of these spans (sorted, disjoint).
    ParseOutside(&'a [Span]),
}

impl Tokenizer {
    /// The ids of `text`, without what `add_special` adds.
    pub fn encode(&self, text: &str, special: Special) -> Result<Vec<u32>> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("the text has {} bytes, more than the limit of {MAX_TEXT_BYTES}", text.len()),
            ));
        }
        if text.is_empty() {
            return Ok(Vec::new());
        }
        self.run_stages(text, special)
            .map_err(|e| Error::new(Code::Internal, format!("tokenization failed: {}", one_line(e))))
    }

    fn run_stages(&self, text: &str, special: Special) -> tokenizers::Result<Vec<u32>> {
        let mut words = PreTokenizedString::from(text);
        let found = self.added.find_raw(text, special);
        words.split(|_, whole| Ok(cut(whole, &found)))?;
        words.split(|_, mut piece| {
            for step in &self.normalize {
                step.apply(&mut piece)?;
            }
            let found = self.added.find_normalized(piece.get());
            Ok(cut(piece, &found))
        })?;
        for step in &self.pre_tokenize {
            step.apply(&mut words)?;
        }
        words.tokenize(|word| self.model.tokenize(word.get()))?;
        let splits = words.get_splits(OffsetReferential::Original, OffsetType::None);
        Ok(splits.iter().flat_map(|(_, _, tokens)| tokens.iter().flatten().map(|t| t.id)).collect())
    }

    /// Spellings of the tokens that only `Special::ParseOutside` finds.
    pub fn control_spellings(&self) -> impl Iterator<Item = &str> {
        self.added.control_spellings()
    }
}

/// Cuts `text` at the added tokens found in it; what lies between keeps no tokens and goes on to the next stage.
fn cut(text: NormalizedString, found: &[Found]) -> Vec<(NormalizedString, Option<Vec<Token>>)> {
    use tokenizers::tokenizer::normalizer::Range;
    if found.is_empty() {
        return vec![(text, None)];
    }
    let mut out = Vec::with_capacity(found.len() * 2 + 1);
    let mut from = 0;
    let mut push = |begin: usize, end: usize, id: Option<u32>| {
        if begin < end {
            if let Some(slice) = text.slice(Range::Normalized(begin..end)) {
                out.push((slice, id.map(|id| vec![Token::new(id, String::new(), (0, end - begin))])));
            }
        }
    };
    for f in found {
        push(from, f.begin, None);
        push(f.begin, f.end, Some(f.id));
        from = f.end;
    }
    push(from, text.get().len(), None);
    out
}
