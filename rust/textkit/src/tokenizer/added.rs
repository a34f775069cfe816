//! Finding added tokens (control and user-defined ones) in text: leftmost, longest first, in linear time.

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::{Span, Special};
use crate::error::{one_line, Error, Result};

/// One added token and how it is matched; the flags are those of HF's `AddedToken`.
#[derive(Debug, Clone, Default)]
pub struct AddedToken {
    pub id: u32,
    pub text: String,
    /// Only found when control tokens are parsed.
    pub special: bool,
    /// Found in normalized text instead of raw text. Special tokens are always found in raw text.
    pub normalized: bool,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub id: u32,
    pub begin: usize,
    pub end: usize,
}

/// An automaton and the tokens whose patterns it has, in order.
#[derive(Default)]
struct Matcher {
    automaton: Option<AhoCorasick>,
    tokens: Vec<AddedToken>,
}

#[derive(Default)]
pub struct AddedTokens {
    /// Everything found in raw text.
    raw_all: Matcher,
    /// What of it may be found in any text.
    raw_plain: Matcher,
    normalized: Matcher,
}

impl AddedTokens {
    /// `normalized_text` gives the form in which tokens with `normalized` appear.
    pub fn new(tokens: Vec<AddedToken>, normalized_text: impl Fn(&str) -> String) -> Result<AddedTokens> {
        let tokens: Vec<AddedToken> = tokens.into_iter().filter(|t| !t.text.is_empty()).collect();
        let (mut normalized, raw): (Vec<_>, Vec<_>) = tokens.into_iter().partition(|t| t.normalized && !t.special);
        for token in &mut normalized {
            token.text = normalized_text(&token.text);
        }
        normalized.retain(|t| !t.text.is_empty());
        let plain = raw.iter().filter(|t| !t.special).cloned().collect();
        Ok(AddedTokens {
            raw_all: Matcher::new(raw)?,
            raw_plain: Matcher::new(plain)?,
            normalized: Matcher::new(normalized)?,
        })
    }

    pub fn control_spellings(&self) -> impl Iterator<Item = &str> {
        self.raw_all.tokens.iter().filter(|t| t.special).map(|t| t.text.as_str())
    }

    pub fn find_raw(&self, text: &str, special: Special) -> Vec<Found> {
        match special {
            Special::Ignore => self.raw_plain.find_all(text),
            Special::ParseOutside([]) => self.raw_all.find_all(text),
            Special::ParseOutside(user_text) => self.find_guarded(text, user_text),
        }
    }

    pub fn find_normalized(&self, text: &str) -> Vec<Found> {
        self.normalized.find_all(text)
    }

    /// Special tokens count only where all of their text lies between two spans of user text; others count everywhere.
    fn find_guarded(&self, text: &str, user_text: &[Span]) -> Vec<Found> {
        let mut gaps = Gaps::new(user_text, text.len());
        let mut cutter = Cutter::new(text);
        let (mut trusted, mut plain) = (None, None);
        loop {
            // A hit stays good until the cut passes its start.
            let stale = |hit: &Option<Hit>| hit.is_none_or(|h| h.begin < cutter.from);
            if stale(&trusted) {
                trusted = gaps.next_hit(&self.raw_all, text, cutter.from);
            }
            if stale(&plain) {
                plain = self.raw_plain.next_hit(text, cutter.from, text.len());
            }
            let take_trusted = match (&trusted, &plain) {
                (None, None) => return cutter.found,
                (Some(t), Some(p)) => (t.begin, p.end) <= (p.begin, t.end),
                (Some(_), None) => true,
                (None, Some(_)) => false,
            };
            let (hit, matcher) = if take_trusted { (trusted, &self.raw_all) } else { (plain, &self.raw_plain) };
            if let Some(hit) = hit {
                cutter.take(&matcher.tokens[hit.token], hit);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Hit {
    token: usize,
    begin: usize,
    end: usize,
}

impl Matcher {
    fn new(tokens: Vec<AddedToken>) -> Result<Matcher> {
        if tokens.is_empty() {
            return Ok(Matcher::default());
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(tokens.iter().map(|t| &t.text))
            .map_err(|e| Error::data_loss(format!("the added tokens can not be matched: {}", one_line(e))))?;
        Ok(Matcher { automaton: Some(automaton), tokens })
    }

    fn next_hit(&self, text: &str, from: usize, to: usize) -> Option<Hit> {
        let found = self.automaton.as_ref()?.find(Input::new(text).range(from..to))?;
        Some(Hit { token: found.pattern().as_usize(), begin: found.start(), end: found.end() })
    }

    fn find_all(&self, text: &str) -> Vec<Found> {
        let mut cutter = Cutter::new(text);
        while let Some(hit) = self.next_hit(text, cutter.from, text.len()) {
            cutter.take(&self.tokens[hit.token], hit);
        }
        cutter.found
    }
}

/// The parts of a text between spans of user text, walked once from left to right.
struct Gaps<'a> {
    user_text: &'a [Span],
    next: usize,
    begin: usize,
    len: usize,
}

impl<'a> Gaps<'a> {
    fn new(user_text: &'a [Span], len: usize) -> Gaps<'a> {
        Gaps { user_text, next: 0, begin: 0, len }
    }

    fn next_hit(&mut self, matcher: &Matcher, text: &str, from: usize) -> Option<Hit> {
        loop {
            let end = self.user_text.get(self.next).map_or(self.len, |s| s.begin.min(self.len));
            let begin = self.begin.max(from);
            if begin < end {
                if let Some(hit) = matcher.next_hit(text, begin, end) {
                    return Some(hit);
                }
            }
            let span = self.user_text.get(self.next)?;
            self.begin = self.begin.max(span.end);
            self.next += 1;
        }
    }
}

/// Collects what was found, and how far the text is used up.
struct Cutter<'a> {
    text: &'a str,
    from: usize,
    begin_of_rest: usize,
    found: Vec<Found>,
}

impl<'a> Cutter<'a> {
    fn new(text: &'a str) -> Cutter<'a> {
        Cutter { text, from: 0, begin_of_rest: 0, found: Vec::new() }
    }

    fn take(&mut self, token: &AddedToken, hit: Hit) {
        let (mut begin, mut end) = (hit.begin, hit.end);
        self.from = end;
        if token.single_word && (ends_with_word(&self.text[..begin]) || starts_with_word(&self.text[end..])) {
            return;
        }
        if token.lstrip {
            begin = self.text[self.begin_of_rest..begin].trim_end().len() + self.begin_of_rest;
        }
        if token.rstrip {
            let rest = &self.text[end..];
            end += rest.len() - rest.trim_start().len();
        }
        self.found.push(Found { id: token.id, begin, end });
        self.from = end;
        self.begin_of_rest = end;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn ends_with_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_word)
}

fn starts_with_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_word)
}
