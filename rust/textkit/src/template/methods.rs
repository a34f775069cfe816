//! Python's methods of str, dict, list and tuple, and the ones that the sandbox refuses because they change their object.
//! What is not here is `minijinja-contrib`'s pycompat.

use minijinja::value::{Tuple, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};

use super::arguments::Arguments;
use super::python::{failed, int_value, printf, type_name};
use super::stop;

const STRING_METHODS: &[&str] = &[
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
];
const DICT_METHODS: &[&str] = &["copy", "get", "items", "keys", "values"];
const LIST_METHODS: &[&str] = &["copy", "count", "index"];
const UNSAFE_DICT_METHODS: &[&str] = &["clear", "pop", "popitem", "setdefault", "update"];
const UNSAFE_LIST_METHODS: &[&str] = &["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"];

/// True for the name of a method of any of these types.
pub fn is_method(name: &str) -> bool {
    [STRING_METHODS, DICT_METHODS, LIST_METHODS, UNSAFE_DICT_METHODS, UNSAFE_LIST_METHODS]
        .iter()
        .any(|list| list.contains(&name))
}

/// True if the value's type has this method.
pub fn has_method(value: &Value, name: &str) -> bool {
    match value.kind() {
        ValueKind::String => STRING_METHODS.contains(&name),
        ValueKind::Map => DICT_METHODS.contains(&name) || UNSAFE_DICT_METHODS.contains(&name),
        ValueKind::Seq if value.is_tuple() => matches!(name, "count" | "index"),
        ValueKind::Seq => LIST_METHODS.contains(&name) || UNSAFE_LIST_METHODS.contains(&name),
        _ => false,
    }
}

pub fn refuse(value: &Value, name: &str) -> Error {
    stop::security(format!("access to attribute '{name}' of '{}' object is unsafe.", type_name(value)))
}

pub fn call(state: &mut State, value: &Value, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let unsafe_method = match value.kind() {
        ValueKind::Map => UNSAFE_DICT_METHODS.contains(&name) && !holds_callable(value, name),
        ValueKind::Seq => UNSAFE_LIST_METHODS.contains(&name) && !value.is_tuple(),
        _ => false,
    };
    if unsafe_method {
        return Err(refuse(value, name));
    }
    match value.kind() {
        ValueKind::String => string_method(state, value, name, arguments),
        ValueKind::Map if DICT_METHODS.contains(&name) && !holds_callable(value, name) => {
            dict_method(value, name, arguments)
        }
        ValueKind::Seq if LIST_METHODS.contains(&name) => list_method(value, name, arguments),
        _ => value.call_method(state, name, arguments),
    }
}

/// Namespaces and the like may hold a macro under a method's name.
fn holds_callable(value: &Value, name: &str) -> bool {
    value.get_attr(name).is_ok_and(|v| v.kind() == ValueKind::Plain || v.to_string().starts_with("<macro"))
}

fn tuple(items: Vec<Value>) -> Value {
    Value::from(Tuple::from(items))
}

fn dict_method(value: &Value, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let mut arguments = Arguments::new(arguments)?;
    let entries = |pick: &dyn Fn(Value, Value) -> Value| -> Result<Vec<Value>, Error> {
        value.try_iter()?.map(|key| value.get_item(&key).map(|item| pick(key, item))).collect()
    };
    let result = match name {
        "get" => {
            let key = arguments.take("key").ok_or_else(|| failed("get expected at least 1 argument, got 0"))?;
            let default = arguments.take("default").unwrap_or_else(|| Value::from(()));
            let found = value.get_item(&key)?;
            if found.is_undefined() {
                default
            } else {
                found
            }
        }
        "items" => Value::from(entries(&|key, item| tuple(vec![key, item]))?),
        "keys" => Value::from(entries(&|key, _| key)?),
        "values" => Value::from(entries(&|_, item| item)?),
        _ => value.clone(),
    };
    arguments.finish(name)?;
    Ok(result)
}

fn list_method(value: &Value, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let mut arguments = Arguments::new(arguments)?;
    if name == "copy" {
        arguments.finish(name)?;
        return Ok(value.clone());
    }
    let wanted = arguments.take("value").ok_or_else(|| failed(format!("{name}() takes exactly one argument")))?;
    if name == "count" {
        arguments.finish(name)?;
        return Ok(Value::from(value.try_iter()?.filter(|item| *item == wanted).count()));
    }
    let at = value.try_iter()?.position(|item| item == wanted);
    at.map(Value::from).ok_or_else(|| failed(format!("{wanted:?} is not in list")))
}

fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Upper case after anything that has no case, lower case after letters that have.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        if inside {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        inside = is_cased(c);
    }
    out
}

/// Python's `str.center`: the odd space goes to the left where the width is odd.
pub fn center(text: &str, width: i64, fill: &str) -> String {
    let length = text.chars().count() as i64;
    let padding = (width.min(1 << 20) - length).max(0);
    let left = padding / 2 + (padding & width & 1);
    format!("{}{text}{}", fill.repeat(left as usize), fill.repeat((padding - left) as usize))
}

fn justify(text: &str, name: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let width = arguments.int("width")?.ok_or_else(|| failed(format!("{name} expected at least 1 argument, got 0")))?;
    let fill = arguments.string("fillchar")?.unwrap_or_else(|| " ".to_string());
    if fill.chars().count() != 1 {
        return Err(failed("The fill character must be exactly one character long"));
    }
    let padding = (width.min(1 << 20) - text.chars().count() as i64).max(0) as usize;
    Ok(Value::from(match name {
        "center" => center(text, width, &fill),
        "ljust" => format!("{text}{}", fill.repeat(padding)),
        _ => format!("{}{text}", fill.repeat(padding)),
    }))
}

fn zfill(text: &str, width: i64) -> String {
    let padding = (width.min(1 << 20) - text.chars().count() as i64).max(0) as usize;
    let sign = text.starts_with(['+', '-']) as usize;
    format!("{}{}{}", &text[..sign], "0".repeat(padding), &text[sign..])
}

fn partition(text: &str, name: &str, separator: &str) -> Result<Value, Error> {
    if separator.is_empty() {
        return Err(failed("empty separator"));
    }
    let at = if name == "partition" { text.find(separator) } else { text.rfind(separator) };
    let parts = match at {
        Some(at) => [&text[..at], separator, &text[at + separator.len()..]],
        None if name == "partition" => [text, "", ""],
        None => ["", "", text],
    };
    Ok(tuple(parts.into_iter().map(Value::from).collect()))
}

/// `split` and `rsplit`.
fn split(text: &str, from_right: bool, separator: Option<&str>, limit: Option<usize>) -> Result<Value, Error> {
    if separator == Some("") {
        return Err(failed("empty separator"));
    }
    let is_space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    let mut parts = Vec::new();
    let mut rest = text;
    while limit.is_none_or(|limit| parts.len() < limit) {
        let (cut, width) = match separator {
            Some(s) if from_right => (rest.rfind(s), s.len()),
            Some(s) => (rest.find(s), s.len()),
            None => {
                rest = if from_right { rest.trim_end_matches(is_space) } else { rest.trim_start_matches(is_space) };
                let at = if from_right { rest.rfind(is_space) } else { rest.find(is_space) };
                (at, at.and_then(|at| rest[at..].chars().next()).map_or(1, char::len_utf8))
            }
        };
        let Some(at) = cut else { break };
        let (left, right) = (&rest[..at], &rest[at + width..]);
        let part = if from_right { right } else { left };
        rest = if from_right { left } else { right };
        parts.push(Value::from(part));
    }
    if separator.is_none() {
        rest = if from_right { rest.trim_end_matches(is_space) } else { rest.trim_start_matches(is_space) };
        if limit.is_none() || from_right {
            rest = rest.trim_matches(is_space);
        }
    }
    if separator.is_some() || !rest.is_empty() {
        parts.push(Value::from(rest));
    }
    if from_right {
        parts.reverse();
    }
    Ok(Value::from(parts))
}

fn find(text: &str, name: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let wanted = arguments.string("sub")?.ok_or_else(|| failed(format!("{name}() takes at least 1 argument")))?;
    let chars: Vec<char> = text.chars().collect();
    let bound = |n: Option<i64>, default: usize| match n {
        Some(n) if n < 0 => (chars.len() as i64 + n).max(0) as usize,
        Some(n) => (n as usize).min(chars.len()),
        None => default,
    };
    let start = bound(arguments.int("start")?, 0);
    let end = bound(arguments.int("end")?, chars.len());
    let part: String = chars.get(start..end).unwrap_or_default().iter().collect();
    let at = if name.starts_with('r') { part.rfind(&wanted) } else { part.find(&wanted) };
    match at {
        Some(at) => Ok(int_value((start + part[..at].chars().count()) as i128)),
        None if name.ends_with("index") => Err(failed("substring not found")),
        None => Ok(Value::from(-1)),
    }
}

fn swapcase(text: &str) -> String {
    let swap = |c: char| -> String {
        if c.is_uppercase() {
            c.to_lowercase().collect()
        } else {
            c.to_uppercase().collect()
        }
    };
    text.chars().map(swap).collect()
}

fn expandtabs(text: &str, size: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let spaces = if size == 0 { 0 } else { size - column % size };
                out.push_str(&" ".repeat(spaces));
                column += spaces;
            }
            '\n' | '\r' => {
                out.push(c);
                column = 0;
            }
            _ => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

fn istitle(text: &str) -> bool {
    let mut inside = false;
    let mut any = false;
    for c in text.chars() {
        if is_cased(c) {
            if inside == c.is_uppercase() {
                return false;
            }
            any = true;
        }
        inside = is_cased(c);
    }
    any
}

fn string_method(state: &mut State, value: &Value, name: &str, raw: &[Value]) -> Result<Value, Error> {
    let text = value.as_str().unwrap_or_default();
    let mut arguments = Arguments::new(raw)?;
    let needs = |a: Option<String>| a.ok_or_else(|| failed(format!("{name}() takes exactly one argument (0 given)")));
    let result = match name {
        "title" => Value::from(title(text)),
        "casefold" => Value::from(text.to_lowercase().replace('ß', "ss")),
        "swapcase" => Value::from(swapcase(text)),
        "center" | "ljust" | "rjust" => justify(text, name, &mut arguments)?,
        "zfill" => Value::from(zfill(text, arguments.int("width")?.unwrap_or(0))),
        "partition" | "rpartition" => partition(text, name, &needs(arguments.string("sep")?)?)?,
        "split" | "rsplit" => {
            let separator = arguments.string("sep")?;
            let limit = arguments.int("maxsplit")?.and_then(|n| usize::try_from(n).ok());
            split(text, name == "rsplit", separator.as_deref(), limit)?
        }
        "removeprefix" => {
            let prefix = needs(arguments.string("prefix")?)?;
            Value::from(text.strip_prefix(prefix.as_str()).unwrap_or(text))
        }
        "removesuffix" => {
            let suffix = needs(arguments.string("suffix")?)?;
            Value::from(text.strip_suffix(suffix.as_str()).unwrap_or(text))
        }
        "find" | "rfind" | "index" | "rindex" => find(text, name, &mut arguments)?,
        "expandtabs" => Value::from(expandtabs(text, arguments.int("tabsize")?.unwrap_or(8).clamp(0, 64) as usize)),
        "isdecimal" => {
            Value::from(!text.is_empty() && text.chars().all(|c| c.is_numeric() && c.to_digit(10).is_some()))
        }
        "istitle" => Value::from(istitle(text)),
        "isidentifier" => {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            Value::from(text.chars().next().is_some_and(|c| word(c) && !c.is_numeric()) && text.chars().all(word))
        }
        "isprintable" => Value::from(!text.chars().any(char::is_control)),
        "encode" | "translate" | "maketrans" | "format_map" => {
            return Err(failed(format!("str.{name} is not supported in templates")))
        }
        _ => return minijinja_contrib::pycompat::unknown_method_callback(state, value, name, raw),
    };
    arguments.finish(name)?;
    Ok(result)
}

/// The filter `format`: `'%s' | format(x)`, or `'%(name)s' | format(name=x)`.
pub fn format_filter(format: &Value, arguments: &[Value]) -> Result<String, Error> {
    let (positional, mapping) = match arguments.split_last() {
        Some((last, rest)) if last.is_kwargs() => (rest, last.clone()),
        _ => (arguments, Value::from(())),
    };
    let format = format.as_str().ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "format needs a string"))?;
    printf(format, positional, &mapping)
}
