//! The one error type of the crate: a code that the C ABI passes on, and a message of one line.

use std::fmt;

/// Why an operation failed. The numbers are part of the C ABI (`src/text/textkit.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    InvalidArgument = 1,
    DataLoss = 2,
    Unimplemented = 3,
    Limit = 4,
    Internal = 5,
    RaiseException = 10,
    Syntax = 11,
    Security = 12,
    TemplateLimit = 13,
    Runtime = 14,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into() }
    }

    pub fn data_loss(message: impl Into<String>) -> Error {
        Error::new(Code::DataLoss, message)
    }

    pub fn unimplemented(message: impl Into<String>) -> Error {
        Error::new(Code::Unimplemented, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The first line of a message, because messages of libraries may have many.
pub fn one_line(message: impl fmt::Display) -> String {
    message.to_string().split(['\n', '\r']).next().unwrap_or_default().to_string()
}
