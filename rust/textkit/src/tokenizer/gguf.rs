//! Tokenizers from GGUF metadata (`tokenizer.ggml.*`). The defaults of absent keys are those of the GGUF converters.

use ahash::AHashMap;
use tokenizers::models::bpe::BPE;
use tokenizers::models::unigram::Unigram;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::{BertNormalizer, Prepend, Replace};
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::{ModelWrapper, NormalizerWrapper, PreTokenizerWrapper};

use super::added::{AddedToken, AddedTokens};
use super::charsmap::CharsMap;
use super::normalize::{normalized, NormalizeStep};
use super::pre_types::byte_level_bpe;
use super::pretokenize::PreTokenizeStep;
use super::spm::merges_from_scores;
use super::table::{Spelling, TokenKind, TokenTable};
use super::Tokenizer;
use crate::error::{one_line, Error, Result};

const SPACE: &str = "\u{2581}";
/// Longer words are unknown to WordPiece; the value of every published BERT vocabulary.
const WORDPIECE_MAX_CHARS: usize = 100;

/// The keys that say how text becomes tokens. Empty or None: the file does not have the key.
#[derive(Default)]
pub struct GgufVocab {
    pub model: String,
    pub pre: String,
    /// general.architecture
    pub architecture: String,
    pub tokens: Vec<String>,
    pub scores: Vec<f32>,
    pub token_types: Vec<i32>,
    pub merges: Vec<String>,
    pub precompiled_charsmap: Vec<u8>,
    pub unknown_id: Option<i64>,
    pub add_space_prefix: Option<bool>,
    pub remove_extra_whitespaces: Option<bool>,
    pub escape_whitespaces: Option<bool>,
}

pub fn from_gguf(vocab: GgufVocab) -> Result<Tokenizer> {
    let kinds = token_kinds(&vocab)?;
    match vocab.model.as_str() {
        "gpt2" => byte_level(vocab, kinds),
        "gemma4" => space_bpe(vocab, kinds),
        "llama" => sentencepiece(vocab, kinds),
        "t5" => unigram(vocab, kinds),
        "bert" => wordpiece(vocab, kinds),
        other => Err(Error::unimplemented(format!("unknown tokenizer model {other:?} (tokenizer.ggml.model)"))),
    }
}

fn token_kinds(vocab: &GgufVocab) -> Result<Vec<TokenKind>> {
    let count = vocab.tokens.len();
    if count == 0 {
        return Err(Error::data_loss("the vocabulary has no tokens (tokenizer.ggml.tokens)"));
    }
    let same_length = |name: &str, len: usize| {
        if len == 0 || len == count {
            return Ok(());
        }
        Err(Error::data_loss(format!("tokenizer.ggml.{name} has {len} entries for {count} tokens")))
    };
    same_length("scores", vocab.scores.len())?;
    same_length("token_type", vocab.token_types.len())?;
    if vocab.scores.iter().any(|s| s.is_nan()) {
        return Err(Error::data_loss("tokenizer.ggml.scores holds a NaN"));
    }
    if let Some(id) = vocab.unknown_id.filter(|id| usize::try_from(*id).map_or(true, |id| id >= count)) {
        return Err(Error::data_loss(format!("tokenizer.ggml.unknown_token_id {id} is not one of {count} tokens")));
    }
    if vocab.token_types.is_empty() {
        return Ok(vec![TokenKind::Normal; count]);
    }
    let kind = |n: &i32| {
        TokenKind::from_number(*n).ok_or_else(|| Error::data_loss(format!("tokenizer.ggml.token_type holds {n}")))
    };
    vocab.token_types.iter().map(kind).collect()
}

/// What is the same for every kind of model.
struct Parts {
    texts: Vec<String>,
    kinds: Vec<TokenKind>,
    spelling: Spelling,
    normalize: Vec<NormalizeStep>,
    pre_tokenize: Vec<PreTokenizeStep>,
    model: ModelWrapper,
    strips_leading_space: bool,
    /// Control tokens swallow the white space behind them.
    control_rstrip: bool,
}

impl Parts {
    fn build(self) -> Result<Tokenizer> {
        let added = (self.texts.iter().zip(&self.kinds).enumerate())
            .filter(|(_, (_, kind))| kind.is_special() || **kind == TokenKind::UserDefined)
            .map(|(id, (text, kind))| AddedToken {
                id: id as u32,
                text: text.clone(),
                special: kind.is_special(),
                rstrip: self.control_rstrip && !is_plain_phi3_token(text),
                ..AddedToken::default()
            })
            .collect();
        let added = AddedTokens::new(added, |text| normalized(&self.normalize, text))?;
        Ok(Tokenizer {
            table: TokenTable::new(self.texts, self.kinds, self.spelling),
            prefix: Vec::new(),
            suffix: Vec::new(),
            strips_leading_space: self.strips_leading_space,
            added,
            normalize: self.normalize,
            pre_tokenize: self.pre_tokenize,
            model: self.model,
        })
    }
}

/// Phi-3's tokenizer.json sets `rstrip` on its added tokens except these.
fn is_plain_phi3_token(text: &str) -> bool {
    matches!(text, "<unk>" | "<s>" | "<|endoftext|>")
}

/// Texts that ordinary text may become, with ids: control tokens are never among them.
fn ordinary(texts: &[String], kinds: &[TokenKind]) -> AHashMap<String, u32> {
    let mut ids = AHashMap::with_capacity(texts.len());
    for (id, text) in texts.iter().enumerate() {
        if kinds[id] != TokenKind::Control {
            ids.entry(text.clone()).or_insert(id as u32);
        }
    }
    ids
}

/// Merges as pairs. One that names a token which is not in the file is damage; one that leads to a control token is left out.
fn merge_pairs(merges: &[String], ids: &AHashMap<String, u32>, texts: &[String]) -> Result<Vec<(String, String)>> {
    let controls: ahash::AHashSet<&str> = texts.iter().map(String::as_str).filter(|t| !ids.contains_key(*t)).collect();
    let mut pairs = Vec::with_capacity(merges.len());
    for merge in merges {
        // Tokens of some vocabularies begin with a space: the separator is the first one behind the first character.
        let separator = merge.char_indices().skip(1).find(|(_, c)| *c == ' ').map(|(at, _)| at);
        let damaged = || Error::data_loss(format!("the merge {merge:?} is not two tokens (tokenizer.ggml.merges)"));
        let at = separator.ok_or_else(damaged)?;
        let (left, right) = (&merge[..at], &merge[at + 1..]);
        let whole = format!("{left}{right}");
        if [left, right, whole.as_str()].iter().all(|t| ids.contains_key(*t)) {
            pairs.push((left.to_string(), right.to_string()));
        } else if ![left, right, whole.as_str()].iter().any(|t| controls.contains(t)) {
            return Err(damaged());
        }
    }
    Ok(pairs)
}

fn bad_model(e: impl std::fmt::Display) -> Error {
    Error::data_loss(format!("the vocabulary can not be used: {}", one_line(e)))
}

fn byte_level(vocab: GgufVocab, kinds: Vec<TokenKind>) -> Result<Tokenizer> {
    let split = byte_level_bpe(&vocab.pre)?;
    let ids = ordinary(&vocab.tokens, &kinds);
    let merges = merge_pairs(&vocab.merges, &ids, &vocab.tokens)?;
    let model = BPE::builder().vocab_and_merges(ids, merges).ignore_merges(split.whole_words).build();
    Parts {
        texts: vocab.tokens,
        kinds,
        spelling: Spelling::ByteLevel,
        normalize: split.normalize,
        pre_tokenize: split.pre_tokenize,
        model: ModelWrapper::BPE(model.map_err(bad_model)?),
        strips_leading_space: false,
        control_rstrip: false,
    }
    .build()
}

/// Spaces become U+2581, with one put in front when the vocabulary asks for it.
fn escape_spaces(add_space_prefix: bool) -> Result<Vec<NormalizeStep>> {
    let replace = Replace::new(" ", SPACE).map_err(bad_model)?;
    let prepend = || NormalizerWrapper::Prepend(Prepend::new(SPACE.to_string()));
    let steps = add_space_prefix.then(prepend).into_iter().chain([NormalizerWrapper::Replace(replace)]);
    Ok(steps.map(NormalizeStep::Hf).collect())
}

fn byte_fallback_bpe(
    vocab: &GgufVocab,
    ids: AHashMap<String, u32>,
    merges: Vec<(String, String)>,
) -> Result<ModelWrapper> {
    let unknown = vocab.unknown_id.and_then(|id| vocab.tokens.get(id as usize));
    let mut ids = ids;
    let mut builder = BPE::builder().byte_fallback(true).fuse_unk(true);
    if let (Some(text), Some(id)) = (unknown, vocab.unknown_id) {
        ids.entry(text.clone()).or_insert(id as u32);
        builder = builder.unk_token(text.clone());
    }
    Ok(ModelWrapper::BPE(builder.vocab_and_merges(ids, merges).build().map_err(bad_model)?))
}

fn sentencepiece(vocab: GgufVocab, kinds: Vec<TokenKind>) -> Result<Tokenizer> {
    if vocab.scores.is_empty() {
        return Err(Error::data_loss("a SentencePiece vocabulary without tokenizer.ggml.scores"));
    }
    let ids = ordinary(&vocab.tokens, &kinds);
    let pieces: Vec<(&str, u32, f32)> = (vocab.tokens.iter().enumerate())
        .filter(|(id, text)| {
            matches!(kinds[*id], TokenKind::Normal | TokenKind::UserDefined) && ids[*text] == *id as u32
        })
        .map(|(id, text)| (text.as_str(), id as u32, vocab.scores[id]))
        .collect();
    let model = byte_fallback_bpe(&vocab, ids.clone(), merges_from_scores(&pieces))?;
    let space_prefix = vocab.add_space_prefix.unwrap_or(true);
    Parts {
        spelling: Spelling::SentencePiece,
        normalize: escape_spaces(space_prefix)?,
        pre_tokenize: Vec::new(),
        model,
        strips_leading_space: space_prefix,
        control_rstrip: vocab.architecture == "phi3",
        kinds,
        texts: vocab.tokens,
    }
    .build()
}

fn space_bpe(vocab: GgufVocab, kinds: Vec<TokenKind>) -> Result<Tokenizer> {
    let ids = ordinary(&vocab.tokens, &kinds);
    let merges = merge_pairs(&vocab.merges, &ids, &vocab.tokens)?;
    let space_prefix = vocab.add_space_prefix.unwrap_or(false);
    Parts {
        spelling: Spelling::SentencePiece,
        normalize: escape_spaces(space_prefix)?,
        pre_tokenize: Vec::new(),
        model: byte_fallback_bpe(&vocab, ids, merges)?,
        strips_leading_space: space_prefix,
        control_rstrip: false,
        kinds,
        texts: vocab.tokens,
    }
    .build()
}

fn unigram(vocab: GgufVocab, kinds: Vec<TokenKind>) -> Result<Tokenizer> {
    if vocab.scores.is_empty() {
        return Err(Error::data_loss("a Unigram vocabulary without tokenizer.ggml.scores"));
    }
    if vocab.escape_whitespaces == Some(false) {
        return Err(Error::unimplemented("tokenizer.ggml.escape_whitespaces false"));
    }
    let pieces = (vocab.tokens.iter().zip(&kinds).enumerate())
        .map(|(id, (text, kind))| (findable(text, id, *kind), f64::from(vocab.scores[id])))
        .collect();
    let unknown = vocab.unknown_id.and_then(|id| usize::try_from(id).ok());
    let has_bytes = kinds.contains(&TokenKind::Byte);
    let model = Unigram::from(pieces, unknown, has_bytes).map_err(bad_model)?;
    let space_prefix = vocab.add_space_prefix.unwrap_or(true);
    let mut normalize = Vec::new();
    if !vocab.precompiled_charsmap.is_empty() {
        normalize.push(NormalizeStep::CharsMap(CharsMap::parse(&vocab.precompiled_charsmap)?));
    }
    let mut pre_tokenize = Vec::new();
    if vocab.remove_extra_whitespaces.unwrap_or(true) {
        pre_tokenize.push(PreTokenizeStep::at_spaces());
    }
    let scheme = if space_prefix { PrependScheme::Always } else { PrependScheme::Never };
    pre_tokenize.push(PreTokenizeStep::Hf(PreTokenizerWrapper::Metaspace(Metaspace::new('\u{2581}', scheme, true))));
    Parts {
        spelling: Spelling::SentencePiece,
        normalize,
        pre_tokenize,
        model: ModelWrapper::Unigram(model),
        strips_leading_space: space_prefix,
        control_rstrip: false,
        kinds,
        texts: vocab.tokens,
    }
    .build()
}

/// The text under which a Unigram model finds a token. Words hold no spaces, so a text with one is never found: the lattice
/// must not see control tokens in ordinary text.
pub(super) fn findable(text: &str, id: usize, kind: TokenKind) -> String {
    match kind {
        TokenKind::Control | TokenKind::Unknown | TokenKind::Unused => format!(" {id}"),
        _ => text.to_string(),
    }
}

fn wordpiece(vocab: GgufVocab, kinds: Vec<TokenKind>) -> Result<Tokenizer> {
    // GGUF marks the beginning of a word (U+2581) where BERT marks its continuation (##).
    let respell = |(text, kind): (&String, &TokenKind)| match (kind, text.strip_prefix(SPACE)) {
        (TokenKind::Normal, Some(word)) => word.to_string(),
        (TokenKind::Normal, None) => format!("##{text}"),
        _ => text.clone(),
    };
    let texts: Vec<String> = vocab.tokens.iter().zip(&kinds).map(respell).collect();
    let unknown = vocab.unknown_id.and_then(|id| texts.get(id as usize));
    let unknown = unknown.ok_or_else(|| Error::data_loss("a WordPiece vocabulary without an unknown token"))?;
    let mut ids = ordinary(&texts, &kinds);
    if let Some(id) = vocab.unknown_id {
        ids.insert(unknown.clone(), id as u32);
    }
    let model = WordPiece::builder()
        .vocab(ids)
        .unk_token(unknown.clone())
        .max_input_chars_per_word(WORDPIECE_MAX_CHARS)
        .build()
        .map_err(bad_model)?;
    Parts {
        spelling: Spelling::WordPiece,
        normalize: vec![NormalizeStep::Hf(NormalizerWrapper::BertNormalizer(BertNormalizer::default()))],
        pre_tokenize: vec![PreTokenizeStep::Hf(PreTokenizerWrapper::BertPreTokenizer(BertPreTokenizer))],
        model: ModelWrapper::WordPiece(model),
        strips_leading_space: true,
        control_rstrip: false,
        kinds,
        texts,
    }
    .build()
}
