//! Tokenizers (Hugging Face `tokenizers`) and chat templates (`minijinja`) behind the C ABI of `src/text/textkit.h`.
//!
//! Nothing here reads files, the network or the environment. Every entry point of `ffi` catches panics.

pub mod error;
pub mod ffi;
pub mod template;
pub mod tokenizer;
