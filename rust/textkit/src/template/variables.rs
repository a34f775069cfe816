//! The variables of a rendering: JSON with the order of keys kept, at most 64 levels deep.

use minijinja::value::Value;
use serde_json::{Map, Value as Json};

use super::functions::NOW;
use crate::error::{one_line, Code, Error, Result};

const MAX_JSON_DEPTH: usize = 64;

pub fn parse(json: &str) -> Result<Map<String, Json>> {
    check_depth(json)?;
    serde_json::from_str(json)
        .map_err(|e| Error::new(Code::InvalidArgument, format!("the variables are not a JSON object: {}", one_line(e))))
}

/// Counted in the text, before anything is built.
fn check_depth(json: &str) -> Result<()> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_JSON_DEPTH {
            return Err(Error::new(Code::TemplateLimit, format!("JSON nested over {MAX_JSON_DEPTH} levels")));
        }
    }
    Ok(())
}

pub fn root(variables: Map<String, Json>, now: &str) -> Value {
    let entries = variables.into_iter().map(|(key, value)| (Value::from(key), convert(value)));
    Value::from_pairs(entries.chain([(Value::from(NOW), Value::from(now))]))
}

fn convert(json: Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(b) => Value::from(b),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Value::from(n),
            (_, Some(n)) => Value::from(n),
            _ => Value::from(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(s) => Value::from(s),
        Json::Array(list) => Value::from(list.into_iter().map(convert).collect::<Vec<_>>()),
        Json::Object(map) => Value::from_pairs(map.into_iter().map(|(key, value)| (Value::from(key), convert(value)))),
    }
}
