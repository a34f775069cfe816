//! Tokenizers from Hugging Face's tokenizer.json.
//!
//! The stages are deserialised by the library itself, one by one, except those that this crate does otherwise: added tokens,
//! splitting by pattern, SentencePiece's character map, and Unigram vocabularies, in which control tokens must not be found.

use serde_json::{Map, Value};
use tokenizers::normalizer::SplitDelimiterBehavior;
use tokenizers::{Encoding, ModelWrapper, NormalizerWrapper, PostProcessor, PostProcessorWrapper, PreTokenizerWrapper};

use super::added::{AddedToken, AddedTokens};
use super::charsmap::CharsMap;
use super::gguf::findable;
use super::normalize::{normalized, NormalizeStep};
use super::pre_types::GPT2;
use super::pretokenize::{PreTokenizeStep, SplitPattern};
use super::table::{byte_token, Spelling, TokenKind, TokenTable};
use super::Tokenizer;
use crate::error::{one_line, Error, Result};

/// No published vocabulary has more ids.
const MAX_ID: u64 = (1 << 24) - 1;

pub fn from_json(source: &[u8]) -> Result<Tokenizer> {
    let mut root: Map<String, Value> =
        serde_json::from_slice(source).map_err(|e| Error::data_loss(format!("not JSON: {}", one_line(e))))?;
    let mut model = root.remove("model").ok_or_else(|| Error::data_loss("there is no \"model\""))?;
    let normalize = normalizer_steps(root.remove("normalizer"))?;
    let is_unigram = type_of(&model) == "Unigram";
    let pre_tokenize = pre_tokenizer_steps(root.remove("pre_tokenizer"), is_unigram)?;
    let decoder = root.remove("decoder").unwrap_or(Value::Null);
    let added = added_tokens(root.remove("added_tokens"))?;
    let (texts, kinds) = tokens(&model, &added)?;
    let spelling = spelling(&decoder, &model);
    hide_control_tokens(&mut model, &kinds)?;
    let model: ModelWrapper = from_value("model", model)?;
    let (prefix, suffix) = around(root.remove("post_processor"))?;
    Ok(Tokenizer {
        strips_leading_space: strips_leading_space(&decoder),
        added: AddedTokens::new(added, |text| normalized(&normalize, text))?,
        table: TokenTable::new(texts, kinds, spelling),
        prefix,
        suffix,
        normalize,
        pre_tokenize,
        model,
    })
}

fn from_value<T: serde::de::DeserializeOwned>(what: &str, value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|e| Error::data_loss(format!("\"{what}\" can not be used: {}", one_line(e))))
}

fn type_of(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The members of a `Sequence`, flattened; a single stage is a sequence of one, null is none.
fn flatten(value: Option<Value>, members: &str, out: &mut Vec<Value>) {
    match value {
        None | Some(Value::Null) => {}
        Some(mut value) if type_of(&value) == "Sequence" => {
            if let Some(Value::Array(list)) = value.get_mut(members).map(Value::take) {
                for member in list {
                    flatten(Some(member), members, out);
                }
            }
        }
        Some(value) => out.push(value),
    }
}

fn normalizer_steps(value: Option<Value>) -> Result<Vec<NormalizeStep>> {
    let mut stages = Vec::new();
    flatten(value, "normalizers", &mut stages);
    let step = |stage: Value| {
        if type_of(&stage) != "Precompiled" {
            return from_value::<NormalizerWrapper>("normalizer", stage).map(NormalizeStep::Hf);
        }
        use base64::Engine;
        let text = stage.get("precompiled_charsmap").and_then(Value::as_str).unwrap_or_default();
        let blob = base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|_| Error::data_loss("precompiled_charsmap is not base64"))?;
        CharsMap::parse(&blob).map(NormalizeStep::CharsMap)
    };
    stages.into_iter().map(step).collect()
}

fn pre_tokenizer_steps(value: Option<Value>, is_unigram: bool) -> Result<Vec<PreTokenizeStep>> {
    let mut stages = Vec::new();
    flatten(value, "pretokenizers", &mut stages);
    let mut steps = Vec::new();
    for stage in stages {
        match type_of(&stage) {
            "Split" => steps.push(split(stage)?),
            "WhitespaceSplit" if is_unigram => steps.push(PreTokenizeStep::at_spaces()),
            "ByteLevel" => byte_level(&stage, &mut steps)?,
            _ => steps.push(PreTokenizeStep::Hf(from_value::<PreTokenizerWrapper>("pre_tokenizer", stage)?)),
        }
    }
    Ok(steps)
}

fn split(mut stage: Value) -> Result<PreTokenizeStep> {
    let pattern = match stage.get_mut("pattern").map(Value::take) {
        Some(Value::Object(mut p)) => match (p.remove("String"), p.remove("Regex")) {
            (Some(Value::String(literal)), _) => SplitPattern::Literal(literal),
            (_, Some(Value::String(regex))) => SplitPattern::regex(&regex)?,
            _ => return Err(Error::data_loss("a Split without a pattern")),
        },
        Some(Value::String(regex)) => SplitPattern::regex(&regex)?,
        _ => return Err(Error::data_loss("a Split without a pattern")),
    };
    let behavior: SplitDelimiterBehavior =
        from_value("behavior", stage.get_mut("behavior").map(Value::take).unwrap_or(Value::Null))?;
    let invert = stage.get("invert").and_then(Value::as_bool).unwrap_or(false);
    Ok(PreTokenizeStep::Split { pattern, behavior, invert })
}

fn byte_level(stage: &Value, steps: &mut Vec<PreTokenizeStep>) -> Result<()> {
    let flag = |name: &str| stage.get(name).and_then(Value::as_bool);
    let add_prefix_space = flag("add_prefix_space").unwrap_or(true);
    if !flag("use_regex").unwrap_or(true) {
        steps.push(PreTokenizeStep::byte_alphabet(add_prefix_space));
        return Ok(());
    }
    if add_prefix_space {
        // The space has to be there before the text is split.
        steps.push(PreTokenizeStep::Hf(from_value("pre_tokenizer", stage.clone())?));
        return Ok(());
    }
    steps.push(PreTokenizeStep::isolate(GPT2)?);
    steps.push(PreTokenizeStep::byte_alphabet(false));
    Ok(())
}

fn added_tokens(value: Option<Value>) -> Result<Vec<AddedToken>> {
    let list = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(Error::data_loss("\"added_tokens\" is not a list")),
    };
    let token = |value: &Value| {
        let flag = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or(false);
        let id = value.get("id").and_then(Value::as_u64).filter(|id| *id <= MAX_ID);
        let text = value.get("content").and_then(Value::as_str);
        let (Some(id), Some(text)) = (id, text) else {
            return Err(Error::data_loss("an added token without \"id\" or \"content\""));
        };
        Ok(AddedToken {
            id: id as u32,
            text: text.to_string(),
            special: flag("special"),
            normalized: flag("normalized"),
            single_word: flag("single_word"),
            lstrip: flag("lstrip"),
            rstrip: flag("rstrip"),
        })
    };
    list.iter().map(token).collect()
}

/// Texts and kinds by id. Added tokens win over the model's own.
fn tokens(model: &Value, added: &[AddedToken]) -> Result<(Vec<String>, Vec<TokenKind>)> {
    let mut entries: Vec<(u64, &str)> = Vec::new();
    match model.get("vocab") {
        Some(Value::Object(vocab)) => {
            for (text, id) in vocab {
                let id = id.as_u64().ok_or_else(|| Error::data_loss(format!("the id of {text:?} is not a number")))?;
                entries.push((id, text));
            }
        }
        Some(Value::Array(vocab)) => {
            for (id, piece) in vocab.iter().enumerate() {
                let text = piece.get(0).and_then(Value::as_str);
                entries.push((id as u64, text.ok_or_else(|| Error::data_loss("a piece without text in \"vocab\""))?));
            }
        }
        _ => return Err(Error::data_loss("\"model\" has no \"vocab\"")),
    }
    let count = entries.len() + added.len();
    let highest = entries.iter().map(|e| e.0).chain(added.iter().map(|t| u64::from(t.id))).max().unwrap_or(0);
    // Gaps between ids are real, but a table of nothing but gaps is an attack on memory.
    if count == 0 || highest > MAX_ID || highest > (count as u64).saturating_mul(8).saturating_add(4096) {
        return Err(Error::data_loss(format!("{count} tokens with ids up to {highest}")));
    }
    let byte_fallback = model.get("byte_fallback").and_then(Value::as_bool).unwrap_or(false);
    let unknown_text = model.get("unk_token").and_then(Value::as_str);
    let unknown_id = model.get("unk_id").and_then(Value::as_u64);
    let mut texts = vec![String::new(); highest as usize + 1];
    let mut kinds = vec![TokenKind::Absent; texts.len()];
    for (id, text) in entries {
        texts[id as usize] = text.to_string();
        kinds[id as usize] = match () {
            _ if unknown_text == Some(text) || unknown_id == Some(id) => TokenKind::Unknown,
            _ if byte_fallback && byte_token(text).is_some() => TokenKind::Byte,
            _ => TokenKind::Normal,
        };
    }
    for token in added {
        let kind = &mut kinds[token.id as usize];
        texts[token.id as usize] = token.text.clone();
        *kind = match (token.special, *kind) {
            (true, TokenKind::Unknown) => TokenKind::Unknown,
            (true, _) => TokenKind::Control,
            (false, _) => TokenKind::UserDefined,
        };
    }
    Ok((texts, kinds))
}

fn mentions(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Object(map) => type_of(value) == wanted || map.values().any(|v| mentions(v, wanted)),
        Value::Array(list) => list.iter().any(|v| mentions(v, wanted)),
        _ => false,
    }
}

fn spelling(decoder: &Value, model: &Value) -> Spelling {
    if mentions(decoder, "ByteLevel") {
        Spelling::ByteLevel
    } else if mentions(decoder, "ByteFallback") || mentions(decoder, "Metaspace") || mentions(decoder, "Replace") {
        Spelling::SentencePiece
    } else if mentions(decoder, "WordPiece") || type_of(model) == "WordPiece" {
        Spelling::WordPiece
    } else {
        Spelling::Plain
    }
}

fn strips_leading_space(decoder: &Value) -> bool {
    let mut stages = Vec::new();
    flatten(Some(decoder.clone()), "decoders", &mut stages);
    stages.iter().any(|stage| match type_of(stage) {
        "Strip" => stage.get("start").and_then(Value::as_u64).unwrap_or(0) > 0,
        "Metaspace" => stage.get("prepend_scheme").and_then(Value::as_str) != Some("never"),
        "WordPiece" => true,
        _ => false,
    })
}

/// Ordinary text must not become a control token by way of the model.
fn hide_control_tokens(model: &mut Value, kinds: &[TokenKind]) -> Result<()> {
    if let Some(Value::Array(pieces)) = model.get_mut("vocab") {
        for (id, piece) in pieces.iter_mut().enumerate() {
            if let Some(text) = piece.get(0).and_then(Value::as_str) {
                let hidden = findable(text, id, kinds[id]);
                piece[0] = Value::String(hidden);
            }
        }
    }
    Ok(())
}

/// The ids that the post-processor puts before and behind a text.
fn around(value: Option<Value>) -> Result<(Vec<u32>, Vec<u32>)> {
    const TEXT: u32 = u32::MAX;
    let Some(value) = value.filter(|v| !v.is_null()) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let processor: PostProcessorWrapper = from_value("post_processor", value)?;
    let text: Encoding = std::iter::once((TEXT, String::new(), (0, 0), None, 0)).collect();
    let processed = processor
        .process(text, None, true)
        .map_err(|e| Error::data_loss(format!("\"post_processor\" can not be used: {}", one_line(e))))?;
    let ids = processed.get_ids();
    let at = ids.iter().position(|id| *id == TEXT);
    let at = at.ok_or_else(|| Error::data_loss("\"post_processor\" drops the text"))?;
    Ok((ids[..at].to_vec(), ids[at + 1..].to_vec()))
}
