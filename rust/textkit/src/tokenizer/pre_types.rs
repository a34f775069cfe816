//! The pre-tokenizers that GGUF files name in `tokenizer.ggml.pre`, written as the families' published tokenizer.json does.
//! A family is one row of `FAMILIES`; a name that is not there is refused, because a wrong split is silent damage.

use tokenizers::normalizer::SplitDelimiterBehavior;
use tokenizers::normalizers::NFC;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::punctuation::Punctuation;
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper};

use super::normalize::NormalizeStep;
use super::pretokenize::PreTokenizeStep;
use crate::error::{Error, Result};

pub const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
/// cl100k with up to three digits a word.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN35: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const KIMI_K2: &str = r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const SEED_CODER: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK3: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const WORDS_WITHOUT_PUNCTUATION: &str = r" ?[^(\s|.,!?…。，、।۔،)]+";
/// Letters that have upper and lower case, by code point because some of these have canonical equivalents elsewhere.
const CASED_LETTERS: &str = concat!(
    r"\s?[A-Za-z\u{B5}\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{1BA}\u{1BC}-\u{1BF}\u{1C4}-\u{293}\u{295}-\u{2AF}",
    r"\u{370}-\u{373}\u{376}\u{377}\u{37B}-\u{37D}\u{37F}\u{386}\u{388}-\u{38A}\u{38C}\u{38E}-\u{3A1}",
    r"\u{3A3}-\u{3F5}\u{3F7}-\u{481}\u{48A}-\u{52F}\u{531}-\u{556}\u{10A0}-\u{10C5}\u{13A0}-\u{13F5}",
    r"\u{13F8}-\u{13FD}\u{1C90}-\u{1CBA}\u{1CBD}-\u{1CBF}\u{1D00}-\u{1D2B}\u{1D6B}-\u{1D77}\u{1D79}-\u{1D9A}",
    r"\u{1E00}-\u{1F15}\u{1F18}-\u{1F1D}\u{1F20}-\u{1F45}\u{1F48}-\u{1F4D}\u{1F50}-\u{1F57}\u{1F59}\u{1F5B}",
    r"\u{1F5D}\u{1F5F}-\u{1F7D}\u{1F80}-\u{1FB4}\u{1FB6}-\u{1FBC}\u{1FBE}\u{1FC2}-\u{1FC4}\u{1FC6}-\u{1FCC}",
    r"\u{1FD0}-\u{1FD3}\u{1FD6}-\u{1FDB}\u{1FE0}-\u{1FEC}\u{1FF2}-\u{1FF4}\u{1FF6}-\u{1FFC}\u{2102}\u{2107}",
    r"\u{210A}-\u{2113}\u{2115}\u{2119}-\u{211D}\u{2124}\u{2126}\u{2128}\u{212A}-\u{212D}\u{212F}-\u{2134}",
    r"\u{2139}\u{213C}-\u{213F}\u{2145}-\u{2149}\u{214E}\u{2183}\u{2184}\u{2C00}-\u{2C7B}\u{2C7E}-\u{2CE4}",
    r"\u{2CEB}-\u{2CEE}\u{2CF2}\u{2CF3}\u{A640}-\u{A66D}\u{A680}-\u{A69B}\u{A722}-\u{A76F}\u{A771}-\u{A787}",
    r"\u{A78B}-\u{A78E}\u{AB70}-\u{ABBF}\u{FB00}-\u{FB06}\u{FB13}-\u{FB17}\u{FF21}-\u{FF3A}\u{FF41}-\u{FF5A}",
    r"\u{10400}-\u{1044F}\u{104B0}-\u{104D3}\u{104D8}-\u{104FB}\u{10C80}-\u{10CB2}\u{10CC0}-\u{10CF2}",
    r"\u{118A0}-\u{118DF}\u{1E900}-\u{1E943}]+",
);
const CJK: &str = r"[一-龥ࠀ-一가-퟿]+";

/// One step of splitting.
#[derive(Clone, Copy)]
enum Step {
    Regex(&'static str),
    EachDigit,
    DigitRuns,
    PunctuationRuns,
    /// The steps behind this one see GPT-2's byte alphabet instead of the text.
    ByteAlphabet,
}
use Step::{ByteAlphabet, DigitRuns, EachDigit, PunctuationRuns, Regex};

struct Family {
    names: &'static [&'static str],
    steps: &'static [Step],
    nfc: bool,
    /// A word that is a token as a whole is taken as that token, whatever the merges say.
    whole_words: bool,
}

const PLAIN: Family = Family { names: &[], steps: &[], nfc: false, whole_words: false };

const FAMILIES: &[Family] = &[
    Family {
        names: &["default", ""],
        steps: &[Regex(r"[\p{P}\$\+<=>\^~\|]+"), Regex(GPT2), Regex(r"\p{N}+"), Regex("[0-9][0-9][0-9]")],
        ..PLAIN
    },
    Family {
        names: &[
            "gpt-2",
            "gpt2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "roberta-bpe",
            "gigachat",
            "exaone4",
            "jina-es",
            "jina-de",
            "jina-v2-es",
            "jina-v2-de",
            "a.x-4.0",
            "mellum",
            "modern-bert",
            "granite-docling",
        ],
        steps: &[Regex(GPT2)],
        ..PLAIN
    },
    Family {
        names: &["smollm", "starcoder", "refact", "codeshell", "exaone", "minerva-7b", "jina-v2-code"],
        steps: &[EachDigit, Regex(GPT2)],
        ..PLAIN
    },
    Family { names: &["command-r"], steps: &[EachDigit, Regex(GPT2)], nfc: true, ..PLAIN },
    Family {
        names: &["falcon"],
        steps: &[PunctuationRuns, Regex(GPT2), ByteAlphabet, DigitRuns, Regex("[0-9][0-9][0-9]")],
        ..PLAIN
    },
    Family {
        names: &["llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"],
        steps: &[Regex(LLAMA3)],
        whole_words: true,
        ..PLAIN
    },
    Family {
        names: &["dbrx", "smaug-bpe", "glm4", "chatglm-bpe", "olmo2", "phi-4", "granite-4"],
        steps: &[Regex(LLAMA3)],
        ..PLAIN
    },
    Family { names: &["qwen2", "qwen3", "stablelm2", "megrez", "kormo"], steps: &[Regex(QWEN2)], nfc: true, ..PLAIN },
    Family { names: &["deepseek-r1-qwen", "hunyuan", "grok-2"], steps: &[Regex(QWEN2)], ..PLAIN },
    Family { names: &["qwen35"], steps: &[Regex(QWEN35)], nfc: true, ..PLAIN },
    Family { names: &["tekken"], steps: &[Regex(TEKKEN)], whole_words: true, ..PLAIN },
    Family { names: &["gpt-4o", "llama4", "kanana2", "minimax-m2"], steps: &[Regex(GPT4O)], ..PLAIN },
    Family { names: &["kimi-k2"], steps: &[Regex(KIMI_K2)], ..PLAIN },
    Family { names: &["seed-coder"], steps: &[Regex(SEED_CODER)], ..PLAIN },
    Family {
        names: &["deepseek-v3", "hunyuan-dense"],
        steps: &[Regex(r"\p{N}{1,3}"), Regex("[一-龥぀-ゟ゠-ヿ]+"), Regex(DEEPSEEK3)],
        ..PLAIN
    },
    Family {
        names: &["deepseek-llm"],
        steps: &[
            Regex(r"[\r\n]"),
            Regex(CASED_LETTERS),
            Regex(r"\s?[!-/:-~！-／：-～‘-‟　-。]+"),
            Regex(r"\s+$"),
            Regex(CJK),
            EachDigit,
        ],
        ..PLAIN
    },
    Family {
        names: &["deepseek-coder"],
        steps: &[Regex(r"[\r\n]"), Regex(r"\s?\p{L}+"), Regex(r"\s?\p{P}+"), Regex(CJK), EachDigit],
        ..PLAIN
    },
    Family { names: &["poro-chat", "bloom", "gpt3-finnish"], steps: &[Regex(WORDS_WITHOUT_PUNCTUATION)], ..PLAIN },
    Family { names: &["viking"], steps: &[Regex(WORDS_WITHOUT_PUNCTUATION), EachDigit], ..PLAIN },
];

/// How a byte-level BPE vocabulary with this name splits text.
pub struct ByteLevelBpe {
    pub normalize: Vec<NormalizeStep>,
    pub pre_tokenize: Vec<PreTokenizeStep>,
    pub whole_words: bool,
}

pub fn byte_level_bpe(name: &str) -> Result<ByteLevelBpe> {
    let family = FAMILIES
        .iter()
        .find(|f| f.names.contains(&name))
        .ok_or_else(|| Error::unimplemented(format!("unknown pre-tokenizer {name:?} (tokenizer.ggml.pre)")))?;
    let mut pre_tokenize = family.steps.iter().map(build).collect::<Result<Vec<_>>>()?;
    if !family.steps.iter().any(|s| matches!(s, ByteAlphabet)) {
        pre_tokenize.push(PreTokenizeStep::byte_alphabet(false));
    }
    let nfc = || NormalizeStep::Hf(NormalizerWrapper::NFC(NFC));
    Ok(ByteLevelBpe {
        normalize: family.nfc.then(nfc).into_iter().collect(),
        pre_tokenize,
        whole_words: family.whole_words,
    })
}

fn build(step: &Step) -> Result<PreTokenizeStep> {
    let hf = |p: PreTokenizerWrapper| Ok(PreTokenizeStep::Hf(p));
    match *step {
        Regex(source) => PreTokenizeStep::isolate(source),
        ByteAlphabet => Ok(PreTokenizeStep::byte_alphabet(false)),
        EachDigit => hf(PreTokenizerWrapper::Digits(Digits::new(true))),
        DigitRuns => hf(PreTokenizerWrapper::Digits(Digits::new(false))),
        PunctuationRuns => hf(PreTokenizerWrapper::Punctuation(Punctuation::new(SplitDelimiterBehavior::Contiguous))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_builds_and_names_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for name in FAMILIES.iter().flat_map(|f| f.names) {
            assert!(seen.insert(*name), "{name} is listed twice");
            assert!(byte_level_bpe(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn no_family_needs_a_backtracking_engine() {
        use super::super::pretokenize::SplitPattern;
        for step in FAMILIES.iter().flat_map(|f| f.steps) {
            if let Regex(source) = step {
                let pattern = SplitPattern::regex(source).unwrap();
                assert!(!matches!(pattern, SplitPattern::Backtracking(_)), "{source}");
            }
        }
    }

    #[test]
    fn an_unknown_name_is_refused_by_name() {
        let error = byte_level_bpe("no-such-thing").err().unwrap();
        assert!(error.message.contains("no-such-thing"));
    }
}
