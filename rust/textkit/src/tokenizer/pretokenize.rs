//! The stage that splits text into words. Regular expressions run on automata that are linear in the text.
//!
//! Nearly every published pattern ends in `|\s+(?!\S)|\s+`: a run of white space, less its last character when a word
//! follows. Look-ahead needs a backtracking engine, whose stack grows with the run; so that ending is taken off, runs are
//! found by a second pattern and shortened afterwards. Other patterns with look-around go to `fancy-regex`, with a limit.

use regex_automata::meta;
use regex_automata::util::syntax;
use regex_automata::Input;
use tokenizers::normalizer::SplitDelimiterBehavior;
use tokenizers::pattern::{Invert, Pattern};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{Offsets, PreTokenizedString, PreTokenizer, PreTokenizerWrapper};

use crate::error::{one_line, Error, Result};

const SPACE_ENDING: &str = r"|\s+(?!\S)|\s+";
/// What compiling one pattern may take; published ones need about 1 MiB.
const COMPILED_LIMIT_BYTES: usize = 64 << 20;
const BACKTRACK_LIMIT: usize = 10_000_000;

pub enum PreTokenizeStep {
    Split { pattern: SplitPattern, behavior: SplitDelimiterBehavior, invert: bool },
    Hf(PreTokenizerWrapper),
}

impl PreTokenizeStep {
    /// Splits at every match of `regex` and keeps the matches as words.
    pub fn isolate(regex: &str) -> Result<PreTokenizeStep> {
        let behavior = SplitDelimiterBehavior::Isolated;
        Ok(PreTokenizeStep::Split { pattern: SplitPattern::regex(regex)?, behavior, invert: false })
    }

    /// Splits at spaces, which words then do not have. (White space of other kinds is text to SentencePiece.)
    pub fn at_spaces() -> PreTokenizeStep {
        let pattern = SplitPattern::Literal(" ".to_string());
        PreTokenizeStep::Split { pattern, behavior: SplitDelimiterBehavior::Removed, invert: false }
    }

    /// Writes words in GPT-2's byte alphabet, without splitting them.
    pub fn byte_alphabet(add_prefix_space: bool) -> PreTokenizeStep {
        PreTokenizeStep::Hf(PreTokenizerWrapper::ByteLevel(ByteLevel::new(add_prefix_space, true, false)))
    }

    pub fn apply(&self, words: &mut PreTokenizedString) -> tokenizers::Result<()> {
        match self {
            PreTokenizeStep::Hf(pre_tokenizer) => pre_tokenizer.pre_tokenize(words),
            PreTokenizeStep::Split { pattern, behavior, invert: false } => {
                words.split(|_, word| word.split(pattern, *behavior))
            }
            PreTokenizeStep::Split { pattern, behavior, invert: true } => {
                words.split(|_, word| word.split(Invert(pattern), *behavior))
            }
        }
    }
}

pub enum SplitPattern {
    Literal(String),
    Linear(Box<meta::Regex>),
    /// Pattern 0 is everything before `SPACE_ENDING`, pattern 1 is `\s+`.
    LinearThenSpace(Box<meta::Regex>),
    Backtracking(Box<fancy_regex::Regex>),
}

impl SplitPattern {
    pub fn regex(source: &str) -> Result<SplitPattern> {
        if let Some(head) = source.strip_suffix(SPACE_ENDING) {
            if let Ok(regex) = linear(&[head, r"\s+"]) {
                return Ok(SplitPattern::LinearThenSpace(Box::new(regex)));
            }
        }
        if let Ok(regex) = linear(&[source]) {
            return Ok(SplitPattern::Linear(Box::new(regex)));
        }
        // The reference engine's `$` matches before every line feed.
        fancy_regex::RegexBuilder::new(&format!("(?m:{source})"))
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(COMPILED_LIMIT_BYTES)
            .build()
            .map(|regex| SplitPattern::Backtracking(Box::new(regex)))
            .map_err(|e| Error::data_loss(format!("the pre-tokenizer's pattern {source:?} is wrong: {}", one_line(e))))
    }
}

fn linear(patterns: &[&str]) -> std::result::Result<meta::Regex, meta::BuildError> {
    meta::Regex::builder()
        .configure(meta::Regex::config().nfa_size_limit(Some(COMPILED_LIMIT_BYTES)))
        .syntax(syntax::Config::new().multi_line(true))
        .build_many(patterns)
}

impl Pattern for &SplitPattern {
    fn find_matches(&self, text: &str) -> tokenizers::Result<Vec<(Offsets, bool)>> {
        match self {
            SplitPattern::Literal(literal) => {
                let mut pieces = Pieces::default();
                for (start, found) in text.match_indices(literal.as_str()).filter(|(_, found)| !found.is_empty()) {
                    pieces.add(start, start + found.len());
                }
                Ok(pieces.finish(text.len()))
            }
            SplitPattern::Backtracking(regex) => {
                let mut pieces = Pieces::default();
                for found in regex.find_iter(text) {
                    let found = found?;
                    pieces.add(found.start(), found.end());
                }
                Ok(pieces.finish(text.len()))
            }
            SplitPattern::Linear(regex) => {
                let mut pieces = Pieces::default();
                for found in regex.find_iter(text) {
                    pieces.add(found.start(), found.end());
                }
                Ok(pieces.finish(text.len()))
            }
            SplitPattern::LinearThenSpace(regex) => Ok(split_space_apart(regex, text)),
        }
    }
}

fn split_space_apart(regex: &meta::Regex, text: &str) -> Vec<(Offsets, bool)> {
    let mut pieces = Pieces::default();
    let mut from = 0;
    while let Some(found) = regex.find(Input::new(text).range(from..)) {
        let (start, mut end) = (found.start(), found.end());
        if found.pattern().as_usize() == 1 && end < text.len() {
            let last = text[start..end].chars().next_back().map_or(0, char::len_utf8);
            if end - last > start {
                end -= last;
            }
        }
        pieces.add(start, end);
        // An empty match: go on behind the next character.
        from = if end > start { end } else { end + text[end..].chars().next().map_or(1, char::len_utf8) };
        if from > text.len() {
            break;
        }
    }
    pieces.finish(text.len())
}

/// Matches and the gaps between them, covering the text.
#[derive(Default)]
struct Pieces {
    pieces: Vec<(Offsets, bool)>,
    end: usize,
}

impl Pieces {
    fn add(&mut self, start: usize, end: usize) {
        if self.end < start {
            self.pieces.push(((self.end, start), false));
        }
        self.pieces.push(((start, end), true));
        self.end = end;
    }

    fn finish(mut self, len: usize) -> Vec<(Offsets, bool)> {
        if self.end < len || self.pieces.is_empty() {
            self.pieces.push(((self.end, len), false));
        }
        self.pieces
    }
}
