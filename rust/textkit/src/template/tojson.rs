//! The filter `tojson` as Hugging Face's chat templates have it: Python's `json.dumps`, without HTML escapes.

use minijinja::value::{Value, ValueKind};
use minijinja::Error;

use super::arguments::Arguments;
use super::python::{failed, float, number, to_str, type_name, MAX_DEPTH};

struct Style {
    ensure_ascii: bool,
    indent: Option<String>,
    item_separator: String,
    key_separator: String,
    sort_keys: bool,
}

/// `tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False)`.
pub fn tojson(value: &Value, arguments: &[Value]) -> Result<String, Error> {
    let mut arguments = Arguments::new(arguments)?;
    let ensure_ascii = arguments.take("ensure_ascii").is_some_and(|v| v.is_true());
    let indent = match arguments.take("indent") {
        Some(v) if v.is_none() => None,
        Some(v) if v.as_str().is_some() => Some(to_str(&v)?),
        Some(v) => Some(" ".repeat(usize::try_from(i64::try_from(v)?.clamp(0, 64)).unwrap_or(0))),
        None => None,
    };
    let mut item_separator = if indent.is_some() { "," } else { ", " }.to_string();
    let mut key_separator = ": ".to_string();
    if let Some(separators) = arguments.take("separators").filter(|s| !s.is_none()) {
        item_separator = to_str(&separators.get_item(&Value::from(0))?)?;
        key_separator = to_str(&separators.get_item(&Value::from(1))?)?;
    }
    let sort_keys = arguments.take("sort_keys").is_some_and(|v| v.is_true());
    arguments.finish("tojson")?;
    let style = Style { ensure_ascii, indent, item_separator, key_separator, sort_keys };
    let mut out = String::new();
    style.write(value, 0, &mut out)?;
    Ok(out)
}

impl Style {
    fn write(&self, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(failed("values are nested too deeply"));
        }
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => out.push_str(&json_number(value)),
            ValueKind::String => self.write_string(value.as_str().unwrap_or_default(), out),
            ValueKind::Seq => self.write_list(value, depth, out)?,
            ValueKind::Map => self.write_object(value, depth, out)?,
            _ => return Err(failed(format!("Object of type {} is not JSON serializable", type_name(value)))),
        }
        Ok(())
    }

    fn break_line(&self, depth: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            (0..depth).for_each(|_| out.push_str(indent));
        }
    }

    fn write_list(&self, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
        let mut empty = true;
        out.push('[');
        for item in value.try_iter()? {
            if !empty {
                out.push_str(&self.item_separator);
            }
            empty = false;
            self.break_line(depth + 1, out);
            self.write(&item, depth + 1, out)?;
        }
        if !empty {
            self.break_line(depth, out);
        }
        out.push(']');
        Ok(())
    }

    fn write_object(&self, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
        let mut entries = Vec::new();
        for key in value.try_iter()? {
            entries.push((json_key(&key)?, value.get_item(&key)?));
        }
        if self.sort_keys {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
        }
        out.push('{');
        for (i, (key, item)) in entries.iter().enumerate() {
            if i > 0 {
                out.push_str(&self.item_separator);
            }
            self.break_line(depth + 1, out);
            self.write_string(key, out);
            out.push_str(&self.key_separator);
            self.write(item, depth + 1, out)?;
        }
        if !entries.is_empty() {
            self.break_line(depth, out);
        }
        out.push('}');
        Ok(())
    }

    fn write_string(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if u32::from(c) < 0x20 || (self.ensure_ascii && !(' '..='~').contains(&c)) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

fn json_number(value: &Value) -> String {
    match f64::try_from(value.clone()) {
        Ok(x) if !value.is_integer() && x.is_nan() => "NaN".to_string(),
        Ok(x) if !value.is_integer() && x.is_infinite() => if x > 0.0 { "Infinity" } else { "-Infinity" }.to_string(),
        Ok(x) if !value.is_integer() => float(x),
        _ => number(value),
    }
}

fn json_key(key: &Value) -> Result<String, Error> {
    match key.kind() {
        ValueKind::String => to_str(key),
        ValueKind::None => Ok("null".to_string()),
        ValueKind::Bool => Ok(if key.is_true() { "true" } else { "false" }.to_string()),
        ValueKind::Number => Ok(json_number(key)),
        _ => Err(failed(format!("keys must be str, int, float, bool or None, not {}", type_name(key)))),
    }
}
