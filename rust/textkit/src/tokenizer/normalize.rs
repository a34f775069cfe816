//! The stage that changes text before it is split: Hugging Face's normalizers, and SentencePiece's character map.

use tokenizers::{NormalizedString, Normalizer, NormalizerWrapper};

use super::charsmap::CharsMap;

pub enum NormalizeStep {
    CharsMap(CharsMap),
    Hf(NormalizerWrapper),
}

impl NormalizeStep {
    pub fn apply(&self, text: &mut NormalizedString) -> tokenizers::Result<()> {
        match self {
            NormalizeStep::CharsMap(map) => {
                map.apply(text);
                Ok(())
            }
            NormalizeStep::Hf(normalizer) => normalizer.normalize(text),
        }
    }
}

/// `text` after all steps; unchanged where a step fails.
pub fn normalized(steps: &[NormalizeStep], text: &str) -> String {
    let mut string = NormalizedString::from(text);
    for step in steps {
        if step.apply(&mut string).is_err() {
            return text.to_string();
        }
    }
    string.get().to_string()
}
