//! Python's view of values: how they print, what their types are called, `%` formatting.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, ErrorKind};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Values nested deeper than this are refused; nothing reasonable comes near it.
pub const MAX_DEPTH: usize = 100;

pub fn failed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

/// `str(value)`: what `{{ value }}` prints.
pub fn to_str(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_string()),
        None if value.is_undefined() => Ok(String::new()),
        None => repr(value),
    }
}

/// `repr(value)`.
pub fn repr(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write_repr(value, &mut out, 0)?;
    Ok(out)
}

fn write_repr(value: &Value, out: &mut String, depth: usize) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(failed("values are nested too deeply"));
    }
    match value.kind() {
        ValueKind::Undefined => out.push_str("Undefined"),
        ValueKind::None => out.push_str("None"),
        ValueKind::Bool => out.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number => out.push_str(&number(value)),
        ValueKind::String => write_quoted(value.as_str().unwrap_or_default(), out),
        ValueKind::Seq | ValueKind::Iterable => write_items(value, out, depth)?,
        ValueKind::Map if is_mapping(value) => {
            out.push('{');
            for (i, key) in value.try_iter()?.enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_repr(&key, out, depth + 1)?;
                out.push_str(": ");
                write_repr(&value.get_item(&key)?, out, depth + 1)?;
            }
            out.push('}');
        }
        _ => out.push_str(&value.to_string()),
    }
    Ok(())
}

/// Maps that print as themselves, not as their contents (loops, macros, namespaces), say so with '<'.
fn is_mapping(value: &Value) -> bool {
    value.len().is_some()
}

fn write_items(value: &Value, out: &mut String, depth: usize) -> Result<(), Error> {
    let tuple = value.is_tuple();
    out.push(if tuple { '(' } else { '[' });
    let mut count = 0;
    for item in value.try_iter()? {
        if count > 0 {
            out.push_str(", ");
        }
        write_repr(&item, out, depth + 1)?;
        count += 1;
    }
    if tuple && count == 1 {
        out.push(',');
    }
    out.push(if tuple { ')' } else { ']' });
    Ok(())
}

/// A number as Python prints it.
pub fn number(value: &Value) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    f64::try_from(value.clone()).map_or_else(|_| value.to_string(), float)
}

/// The shortest digits that read back as the same double, with an exponent from 1e16 and below 1e-4.
pub fn float(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_string();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let scientific = format!("{x:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if x != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{x}");
    if plain.contains('.') {
        plain
    } else {
        format!("{plain}.0")
    }
}

fn is_printable(c: char) -> bool {
    let group = c.general_category_group();
    c == ' ' || !matches!(group, GeneralCategoryGroup::Other | GeneralCategoryGroup::Separator)
}

fn write_quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => out.extend(['\\', c]),
            _ if is_printable(c) => out.push(c),
            _ => out.push_str(&match u32::from(c) {
                n @ 0..=0xFF => format!("\\x{n:02x}"),
                n @ 0x100..=0xFFFF => format!("\\u{n:04x}"),
                n => format!("\\U{n:08x}"),
            }),
        }
    }
    out.push(quote);
}

/// The name of the value's Python type.
pub fn type_name(value: &Value) -> &'static str {
    match value.kind() {
        ValueKind::Undefined => "Undefined",
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if value.is_integer() => "int",
        ValueKind::Number => "float",
        ValueKind::String => "str",
        ValueKind::Seq if value.is_tuple() => "tuple",
        ValueKind::Seq => "list",
        ValueKind::Map => "dict",
        ValueKind::Iterable => "generator",
        _ => "object",
    }
}

/// A bool counts as an int.
pub fn as_int(value: &Value) -> Option<i128> {
    match value.kind() {
        ValueKind::Bool => Some(i128::from(value.is_true())),
        ValueKind::Number if value.is_integer() => i128::try_from(value.clone()).ok(),
        _ => None,
    }
}

pub fn as_float(value: &Value) -> Option<f64> {
    match value.kind() {
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok().or_else(|| as_int(value).map(|n| n as f64)),
        _ => None,
    }
}

pub fn int_value(n: i128) -> Value {
    i64::try_from(n).map_or_else(|_| Value::from(n), Value::from)
}

/// `left % right`: formatting for strings, the remainder with the sign of the divisor for numbers.
pub fn remainder(left: &Value, right: &Value) -> Result<Value, Error> {
    if let Some(format) = left.as_str() {
        let arguments: Vec<Value> = if right.is_tuple() { right.try_iter()?.collect() } else { vec![right.clone()] };
        return printf(format, &arguments, right).map(Value::from);
    }
    if let (Some(a), Some(b)) = (as_int(left), as_int(right)) {
        let r = a.checked_rem(b).ok_or_else(|| failed("integer modulo by zero"))?;
        return Ok(int_value(if r != 0 && (r < 0) != (b < 0) { r + b } else { r }));
    }
    if let (Some(a), Some(b)) = (as_float(left), as_float(right)) {
        if b == 0.0 {
            return Err(failed("float modulo"));
        }
        let r = a % b;
        return Ok(Value::from(if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }));
    }
    Err(failed(format!("unsupported operand type(s) for %: '{}' and '{}'", type_name(left), type_name(right))))
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

/// No field is wider than this, whatever a template asks for.
const MAX_WIDTH: usize = 4096;

/// Python's `format % arguments`; `mapping` serves `%(name)s`.
pub fn printf(format: &str, arguments: &[Value], mapping: &Value) -> Result<String, Error> {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    let mut next = arguments.iter();
    let mut named = false;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut key = None;
        if chars.next_if_eq(&'(').is_some() {
            key = Some(chars.by_ref().take_while(|c| *c != ')').collect::<String>());
        }
        let mut spec = Spec::default();
        while let Some(flag) = chars.next_if(|c| "-+ 0#".contains(*c)) {
            match flag {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '0' => spec.zero = true,
                _ => spec.alternate = true,
            }
        }
        let digits = |chars: &mut std::iter::Peekable<std::str::Chars>| {
            let mut n = 0usize;
            while let Some(d) = chars.next_if(char::is_ascii_digit) {
                n = (n * 10 + d as usize - '0' as usize).min(MAX_WIDTH);
            }
            n
        };
        spec.width = digits(&mut chars);
        if chars.next_if_eq(&'.').is_some() {
            spec.precision = Some(digits(&mut chars));
        }
        let conversion = chars.next().ok_or_else(|| failed("incomplete format"))?;
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let argument = match key {
            Some(key) => {
                named = true;
                mapping.get_item(&Value::from(key))?
            }
            None => next.next().cloned().ok_or_else(|| failed("not enough arguments for format string"))?,
        };
        out.push_str(&convert(conversion, &argument, &spec)?);
    }
    if !named && next.next().is_some() {
        return Err(failed("not all arguments converted during string formatting"));
    }
    Ok(out)
}

fn convert(conversion: char, argument: &Value, spec: &Spec) -> Result<String, Error> {
    let text = match conversion {
        's' => to_str(argument)?,
        'r' | 'a' => repr(argument)?,
        'c' => to_str(argument)?,
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => return integer(conversion, argument, spec),
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' => return real(conversion, argument, spec),
        other => return Err(failed(format!("unsupported format character '{other}'"))),
    };
    let text = match spec.precision {
        Some(n) => text.chars().take(n).collect(),
        None => text,
    };
    Ok(pad(String::new(), text, spec, false))
}

fn sign(negative: bool, spec: &Spec) -> String {
    match () {
        _ if negative => "-",
        _ if spec.plus => "+",
        _ if spec.space => " ",
        _ => "",
    }
    .to_string()
}

fn integer(conversion: char, argument: &Value, spec: &Spec) -> Result<String, Error> {
    let truncated = || as_float(argument).filter(|x| x.is_finite()).map(|x| x as i128);
    let n = as_int(argument).or_else(truncated).ok_or_else(|| {
        failed(format!("%{conversion} format: a real number is required, not {}", type_name(argument)))
    })?;
    let magnitude = n.unsigned_abs();
    let (prefix, digits) = match conversion {
        'x' => ("0x", format!("{magnitude:x}")),
        'X' => ("0X", format!("{magnitude:X}")),
        'o' => ("0o", format!("{magnitude:o}")),
        _ => ("", magnitude.to_string()),
    };
    let mut head = sign(n < 0, spec);
    if spec.alternate {
        head.push_str(prefix);
    }
    let digits = match spec.precision {
        Some(p) if digits.len() < p => "0".repeat(p - digits.len()) + &digits,
        _ => digits,
    };
    Ok(pad(head, digits, spec, true))
}

fn real(conversion: char, argument: &Value, spec: &Spec) -> Result<String, Error> {
    let x = as_float(argument).ok_or_else(|| failed(format!("must be real number, not {}", type_name(argument))))?;
    let head = sign(x.is_sign_negative(), spec);
    let x = x.abs();
    let precision = spec.precision.unwrap_or(6);
    let body = match conversion {
        _ if !x.is_finite() => float(x),
        'f' | 'F' => format!("{x:.precision$}"),
        'e' | 'E' => exponent_form(x, precision),
        _ => general_form(x, precision.max(1)),
    };
    let body = if conversion.is_ascii_uppercase() { body.to_uppercase() } else { body };
    Ok(pad(head, body, spec, true))
}

fn exponent_form(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn general_form(x: f64, precision: usize) -> String {
    let scientific = exponent_form(x, precision - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (digits, tail) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{tail}", trim(digits));
    }
    let decimals = usize::try_from(precision as i32 - 1 - exponent).unwrap_or(0);
    trim(&format!("{x:.decimals$}"))
}

fn pad(head: String, body: String, spec: &Spec, numeric: bool) -> String {
    let fill = spec.width.saturating_sub(head.chars().count() + body.chars().count());
    match () {
        _ if spec.left => head + &body + &" ".repeat(fill),
        _ if spec.zero && numeric => head + &"0".repeat(fill) + &body,
        _ => " ".repeat(fill) + &head + &body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_in_python() {
        for (x, text) in [
            (1.0, "1.0"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (-0.0, "-0.0"),
            (123456789.123, "123456789.123"),
            (1.5e300, "1.5e+300"),
        ] {
            assert_eq!(float(x), text);
        }
    }

    #[test]
    fn printf_formats_as_in_python() {
        let format = |f: &str, v: Value| printf(f, &[v.clone()], &v).unwrap();
        assert_eq!(format("%05d|", Value::from(-42)), "-0042|");
        assert_eq!(format("%-6s|", Value::from("ab")), "ab    |");
        assert_eq!(format("%.2f", Value::from(2.675)), "2.67");
        assert_eq!(format("%g", Value::from(1e-7)), "1e-07");
        assert_eq!(format("%x", Value::from(255)), "ff");
        assert_eq!(format("%r", Value::from("it's")), "\"it's\"");
        assert!(printf("%d", &[], &Value::from(1)).is_err());
    }
}
