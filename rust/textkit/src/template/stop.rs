//! Why a rendering ended early, where that is more than "something went wrong": carried as the source of minijinja's error.

use std::fmt;

use minijinja::{Error, ErrorKind};

use crate::error::{one_line, Code};

#[derive(Debug)]
enum Stop {
    /// raise_exception, with its message.
    Raised(String),
    /// The sandbox refused.
    Security(String),
}

impl Stop {
    fn message(&self) -> &str {
        match self {
            Stop::Raised(m) | Stop::Security(m) => m,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Stop {}

fn stop(why: Stop) -> Error {
    Error::new(ErrorKind::InvalidOperation, why.message().to_string()).with_source(why)
}

pub fn raised(message: String) -> Error {
    stop(Stop::Raised(message))
}

pub fn security(message: String) -> Error {
    stop(Stop::Security(message))
}

/// What the C ABI says about an error of minijinja.
pub fn to_error(error: &Error) -> crate::error::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(e) = cause {
        if let Some(stop) = e.downcast_ref::<Stop>() {
            let code = match stop {
                Stop::Raised(_) => Code::RaiseException,
                Stop::Security(_) => Code::Security,
            };
            // The message of raise_exception is the template's, line ends included.
            return crate::error::Error::new(code, stop.message());
        }
        cause = e.source();
    }
    let code = match error.kind() {
        ErrorKind::SyntaxError | ErrorKind::InvalidDelimiter | ErrorKind::BadEscape => Code::Syntax,
        ErrorKind::OutOfFuel => Code::TemplateLimit,
        _ => Code::Runtime,
    };
    let line = error.line().map(|n| format!(" (line {n})")).unwrap_or_default();
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_string);
    crate::error::Error::new(code, one_line(detail) + &line)
}
