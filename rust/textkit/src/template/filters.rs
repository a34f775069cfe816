//! Filters and tests of Jinja2 that minijinja lacks or does otherwise.

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error};

use super::arguments::{all, Arguments, Raw};
use super::methods::{center, format_filter, has_method};
use super::python::{as_float, as_int, failed, float, int_value, repr, to_str, type_name};
use super::tojson::tojson;

/// Extras of minijinja that Jinja2 does not have: a template that uses one is as wrong here as there.
const FILTERS_TO_REMOVE: &[&str] = &["bool", "chain", "zip", "split", "lines"];
const TESTS_TO_REMOVE: &[&str] = &["startingwith", "endingwith", "int", "safe"];

pub fn install(env: &mut Environment) {
    FILTERS_TO_REMOVE.iter().for_each(|name| env.remove_filter(name));
    TESTS_TO_REMOVE.iter().for_each(|name| env.remove_test(name));
    env.add_filter("tojson", |v: &Value, args: Raw| tojson(v, &all(args)));
    env.add_filter("int", |v: &Value, args: Raw| int(v, &all(args)));
    env.add_filter("float", |v: &Value, args: Raw| float_filter(v, &all(args)));
    env.add_filter("string", |v: &Value| to_str(v));
    env.add_filter("pprint", |v: &Value| repr(v));
    env.add_filter("format", |v: &Value, args: Raw| format_filter(v, &all(args)));
    env.add_filter("join", |v: &Value, args: Raw| join(v, &all(args)));
    env.add_filter("indent", |v: &Value, args: Raw| indent(v, &all(args)));
    env.add_filter("truncate", |v: &Value, args: Raw| truncate(v, &all(args)));
    env.add_filter("center", |v: &Value, args: Raw| -> Result<String, Error> {
        let mut arguments = Arguments::new(&all(args))?;
        Ok(center(&to_str(v)?, arguments.int("width")?.unwrap_or(80), " "))
    });
    env.add_filter("wordwrap", |v: &Value, args: Raw| wordwrap(v, &all(args)));
    env.add_filter("wordcount", |v: &Value| -> Result<usize, Error> { Ok(words(&to_str(v)?)) });
    env.add_filter("striptags", |v: &Value| -> Result<String, Error> { Ok(striptags(&to_str(v)?)) });
    for name in ["escape", "e", "forceescape"] {
        env.add_filter(name, |v: &Value| -> Result<Value, Error> { Ok(Value::from_safe_string(escape(&to_str(v)?))) });
    }
    env.add_filter("urlencode", urlencode);
    env.add_filter("xmlattr", |v: &Value, args: Raw| xmlattr(v, &all(args)));
    env.add_filter("filesizeformat", |v: &Value, args: Raw| filesizeformat(v, &all(args)));
    env.add_filter("attr", |v: &Value, name: &str| attribute(v, name, false));
    env.add_test("sequence", |v: &Value| {
        matches!(v.kind(), ValueKind::Seq | ValueKind::String | ValueKind::Map | ValueKind::Undefined)
    });
    env.add_test("iterable", |v: &Value| {
        !matches!(v.kind(), ValueKind::None | ValueKind::Bool | ValueKind::Number | ValueKind::Plain)
    });
    env.add_test("callable", |v: &Value| {
        v.kind() == ValueKind::Plain || (v.kind() == ValueKind::Map && v.to_string().starts_with("<macro"))
    });
}

/// `value.name` where methods count as attributes; `items`: keys of a dict count too.
pub fn attribute(value: &Value, name: &str, items: bool) -> Result<Value, Error> {
    if items || value.kind() != ValueKind::Map || value.to_string().starts_with('<') {
        let found = value.get_attr(name)?;
        if !found.is_undefined() {
            return Ok(found);
        }
    }
    if has_method(value, name) {
        return Ok(Value::from_function(|| -> Result<Value, Error> {
            Err(failed("a method can only be called by name"))
        }));
    }
    Ok(Value::UNDEFINED)
}

fn int(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let mut arguments = Arguments::new(args)?;
    let default = arguments.take("default").unwrap_or_else(|| Value::from(0));
    let base = arguments.int("base")?.unwrap_or(10);
    if let Some(n) = as_int(value) {
        return Ok(int_value(n));
    }
    let truncated = |x: f64| (x.is_finite() && x.abs() < 1e38).then(|| int_value(x as i128));
    let Some(text) = value.as_str() else {
        return Ok(as_float(value).and_then(truncated).unwrap_or(default));
    };
    let parsed = parse_int(text, base).map(int_value);
    Ok(parsed.or_else(|| parse_float(text).and_then(truncated)).unwrap_or(default))
}

fn parse_int(text: &str, base: i64) -> Option<i128> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let prefix_base = [("0x", 16), ("0o", 8), ("0b", 2)].iter().find(|(p, _)| lower.starts_with(p)).map(|(_, b)| *b);
    let (base, digits) = match prefix_base {
        Some(b) if base == b || base == 0 => (b, &lower[2..]),
        _ => (if base == 0 { 10 } else { base }, lower.as_str()),
    };
    if !(2..=36).contains(&base)
        || digits.starts_with(['+', '-', '_'])
        || digits.ends_with('_')
        || digits.contains("__")
    {
        return None;
    }
    let magnitude = i128::from_str_radix(&digits.replace('_', ""), base as u32).ok()?;
    Some(if negative { -magnitude } else { magnitude })
}

fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let body = text.trim_start_matches(['+', '-']);
    let named = ["inf", "infinity", "nan"].iter().any(|n| body.eq_ignore_ascii_case(n));
    if text.is_empty() || !(named || body.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

fn float_filter(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let mut arguments = Arguments::new(args)?;
    let default = arguments.take("default").unwrap_or_else(|| Value::from(0.0));
    let parsed = value.as_str().map_or_else(|| as_float(value), parse_float);
    Ok(parsed.map_or(default, Value::from))
}

fn join(value: &Value, args: &[Value]) -> Result<String, Error> {
    let mut arguments = Arguments::new(args)?;
    let separator = arguments.take("d").map(|d| to_str(&d)).transpose()?.unwrap_or_default();
    let attribute = arguments.take("attribute").filter(|a| !a.is_none());
    let mut out = String::new();
    if value.is_undefined() {
        return Ok(out);
    }
    for (i, item) in value.try_iter()?.enumerate() {
        if i > 0 {
            out.push_str(&separator);
        }
        out.push_str(&to_str(&match &attribute {
            Some(path) => item_at(&item, path)?,
            None => item,
        })?);
    }
    Ok(out)
}

/// `attribute='a.b'` of filters: attributes and items, one after the other.
fn item_at(item: &Value, path: &Value) -> Result<Value, Error> {
    let Some(path) = path.as_str() else { return item.get_item(path) };
    path.split('.').try_fold(item.clone(), |value, part| match part.parse::<i64>() {
        Ok(index) => value.get_item(&Value::from(index)),
        Err(_) => value.get_attr(part),
    })
}

fn split_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last().is_some_and(|l| l.is_empty()) {
        lines.pop();
    }
    lines
}

fn indent(value: &Value, args: &[Value]) -> Result<String, Error> {
    let mut arguments = Arguments::new(args)?;
    let indention = match arguments.take("width") {
        Some(width) if width.as_str().is_some() => to_str(&width)?,
        Some(width) => " ".repeat(i64::try_from(width)?.clamp(0, 4096) as usize),
        None => " ".repeat(4),
    };
    let (first, blank) = (arguments.flag("first"), arguments.flag("blank"));
    let text = to_str(value)? + "\n";
    let mut out = String::new();
    for (i, line) in split_lines(&text).into_iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if (i == 0 && first) || (i > 0 && (blank || !line.is_empty())) {
            out.push_str(&indention);
        }
        out.push_str(line);
    }
    Ok(out)
}

fn truncate(value: &Value, args: &[Value]) -> Result<String, Error> {
    let mut arguments = Arguments::new(args)?;
    let length = arguments.int("length")?.unwrap_or(255);
    let killwords = arguments.flag("killwords");
    let end = arguments.string("end")?.unwrap_or_else(|| "...".to_string());
    let leeway = arguments.int("leeway")?.unwrap_or(5);
    let text = to_str(value)?;
    let keep = length - end.chars().count() as i64;
    if keep < 0 || leeway < 0 {
        return Err(failed(format!("expected length >= {}, got {length}", end.chars().count())));
    }
    if text.chars().count() as i64 <= length + leeway {
        return Ok(text);
    }
    let kept: String = text.chars().take(keep as usize).collect();
    let kept = if killwords { kept.as_str() } else { kept.rsplit_once(' ').map_or(kept.as_str(), |(head, _)| head) };
    Ok(format!("{kept}{end}"))
}

fn wordwrap(value: &Value, args: &[Value]) -> Result<String, Error> {
    let mut arguments = Arguments::new(args)?;
    let width = arguments.int("width")?.unwrap_or(79).max(1) as usize;
    let break_long = arguments.take("break_long_words").is_none_or(|v| v.is_true());
    let joiner = arguments.string("wrapstring")?.unwrap_or_else(|| "\n".to_string());
    let text = to_str(value)?;
    let lines = split_lines(&text).into_iter().map(|line| wrap_line(line, width, break_long).join(&joiner));
    Ok(lines.collect::<Vec<_>>().join(&joiner))
}

/// Words and the spaces between them fill lines of `width` characters; spaces at both ends of a line go.
fn wrap_line(line: &str, width: usize, break_long: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    let mut used = 0;
    for chunk in chunks(line) {
        let mut chars: Vec<char> = chunk.chars().collect();
        if used + chars.len() > width && used > 0 {
            lines.push(current.trim_end().to_string());
            current = String::new();
            used = 0;
        }
        if used == 0 && chunk.trim().is_empty() && !lines.is_empty() {
            continue;
        }
        while break_long && chars.len() > width {
            lines.push(chars.drain(..width).collect());
        }
        used += chars.len();
        current.extend(chars);
    }
    if !current.trim_end().is_empty() {
        lines.push(current.trim_end().to_string());
    }
    lines
}

/// Alternating runs of white space and of other characters.
fn chunks(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let space = first.is_whitespace();
        let end = rest.find(|c: char| c.is_whitespace() != space).unwrap_or(rest.len());
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

fn words(text: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).count()
}

fn striptags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let close = if rest[start..].starts_with("<!--") { "-->" } else { ">" };
        match rest[start..].find(close) {
            Some(end) => rest = &rest[start + end + close.len()..],
            None => {
                out.push_str(&rest[start..]);
                rest = "";
            }
        }
    }
    out.push_str(rest);
    let collapsed = out.split_whitespace().collect::<Vec<_>>().join(" ");
    [("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(collapsed, |text, (entity, c)| text.replace(entity, c))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&#34;"),
            c => out.push(c),
        }
    }
    out
}

fn quote(text: &str, query: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => out.push(byte.into()),
            b'/' if !query => out.push('/'),
            b' ' if query => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn urlencode(value: &Value) -> Result<String, Error> {
    match value.kind() {
        ValueKind::Map | ValueKind::Seq | ValueKind::Iterable => {
            let mut pairs = Vec::new();
            for item in value.try_iter()? {
                let (key, item) = if value.kind() == ValueKind::Map {
                    (item.clone(), value.get_item(&item)?)
                } else {
                    (item.get_item(&Value::from(0))?, item.get_item(&Value::from(1))?)
                };
                pairs.push(format!("{}={}", quote(&to_str(&key)?, true), quote(&to_str(&item)?, true)));
            }
            Ok(pairs.join("&"))
        }
        _ => Ok(quote(&to_str(value)?, false)),
    }
}

fn xmlattr(value: &Value, args: &[Value]) -> Result<Value, Error> {
    let mut arguments = Arguments::new(args)?;
    let autospace = arguments.take("autospace").is_none_or(|v| v.is_true());
    let mut out = Vec::new();
    for key in value.try_iter()? {
        let item = value.get_item(&key)?;
        let name = to_str(&key)?;
        if name.contains(|c: char| c.is_whitespace() || "/>=".contains(c)) {
            return Err(failed(format!("Invalid character in attribute name: '{name}'")));
        }
        if !item.is_none() && !item.is_undefined() {
            out.push(format!("{}=\"{}\"", escape(&name), escape(&to_str(&item)?)));
        }
    }
    let lead = if autospace && !out.is_empty() { " " } else { "" };
    Ok(Value::from_safe_string(format!("{lead}{}", out.join(" "))))
}

fn filesizeformat(value: &Value, args: &[Value]) -> Result<String, Error> {
    let mut arguments = Arguments::new(args)?;
    let binary = arguments.flag("binary");
    let bytes = value.as_str().map_or_else(|| as_float(value), parse_float);
    let bytes = bytes.ok_or_else(|| failed(format!("could not convert {} to float", type_name(value))))?;
    let base = if binary { 1024.0 } else { 1000.0 };
    if bytes == 1.0 {
        return Ok("1 Byte".to_string());
    }
    if bytes < base {
        return Ok(format!("{} Bytes", float(bytes.trunc()).trim_end_matches(".0")));
    }
    let mut unit = base;
    let prefixes = ["k", "M", "G", "T", "P", "E", "Z", "Y"];
    for (i, prefix) in prefixes.iter().enumerate() {
        unit *= base;
        if bytes < unit || i + 1 == prefixes.len() {
            let name = if binary { format!("{}iB", prefix.to_uppercase()) } else { format!("{prefix}B") };
            return Ok(format!("{:.1} {name}", base * bytes / unit));
        }
    }
    Ok(String::new())
}
