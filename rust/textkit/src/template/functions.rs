//! Global functions of templates: those of Jinja2 and Hugging Face, and the ones that `lower` calls.

use std::sync::Arc;

use minijinja::value::{from_args, Kwargs, Object, ObjectRepr, Tuple, Value};
use minijinja::{Environment, Error, ErrorKind, State};

use super::arguments::{all, Raw};
use super::filters::attribute;
use super::lower::{ATTRIBUTE, CALL_VARIADIC, CONCAT, METHOD, REFUSE, REMAINDER};
use super::python::{failed, remainder, to_str};
use super::strftime::DateTime;
use super::{methods, stop};

/// The variable that holds the time of the rendering; no template can name it.
pub const NOW: &str = " now";
/// Longest string or list that one operation makes.
const MAX_REPEAT: i64 = 100_000;

pub fn install(env: &mut Environment) {
    env.remove_global("debug");
    env.add_function("raise_exception", |message: &Value| -> Result<Value, Error> {
        Err(stop::raised(to_str(message)?))
    });
    env.add_function("strftime_now", |state: &State, format: &str| -> Result<String, Error> {
        let now = state.lookup(NOW).and_then(|v| v.as_str().and_then(|text| DateTime::parse(text).ok()));
        Ok(now.ok_or_else(|| failed("the time is not known"))?.strftime(format))
    });
    env.add_function("range", |args: Raw| range(&all(args)));
    env.add_function("cycler", |items: Raw| minijinja_contrib::globals::cycler(all(items)));
    env.add_function("joiner", |separator: Option<String>| Value::from_object(Joiner::new(separator)));
    env.add_function(REMAINDER, |left: &Value, right: &Value| remainder(left, right));
    env.add_function(CONCAT, |left: &Value, right: &Value| -> Result<String, Error> {
        Ok(to_str(left)? + &to_str(right)?)
    });
    env.add_function(METHOD, |state: &mut State, args: Raw| -> Result<Value, Error> {
        let args = all(args);
        let (value, name, rest) = two_and_rest(&args)?;
        methods::call(state, value, name.as_str().unwrap_or_default(), rest)
    });
    env.add_function(ATTRIBUTE, |value: &Value, name: &str| attribute(value, name, true));
    env.add_function(REFUSE, |value: &Value, name: &str| -> Result<Value, Error> { Err(methods::refuse(value, name)) });
    env.add_function(CALL_VARIADIC, |state: &mut State, args: Raw| call_variadic(state, &all(args)));
}

fn two_and_rest(args: &[Value]) -> Result<(&Value, &Value, &[Value]), Error> {
    match args {
        [first, second, rest @ ..] => Ok((first, second, rest)),
        _ => Err(Error::from(ErrorKind::MissingArgument)),
    }
}

/// Calls a macro whose last two parameters take what its declared ones (`parameters`) do not.
fn call_variadic(state: &mut State, args: &[Value]) -> Result<Value, Error> {
    let (function, parameters, rest) = two_and_rest(args)?;
    let (positional, named): (&[Value], Kwargs) = from_args(rest)?;
    let parameters: Vec<Value> = parameters.try_iter()?.collect();
    let mut call = positional[..positional.len().min(parameters.len())].to_vec();
    let varargs = positional[call.len()..].to_vec();
    let mut kwargs = vec![("varargs", Value::from(Tuple::from(varargs)))];
    let mut others = Vec::new();
    for name in named.args() {
        let value: Value = named.peek(name)?;
        if name == "caller" || parameters.iter().any(|p| p.as_str() == Some(name)) {
            kwargs.push((name, value));
        } else {
            others.push((Value::from(name), value));
        }
    }
    kwargs.push(("kwargs", Value::from_pairs(others)));
    call.push(Value::from(Kwargs::from_iter(kwargs)));
    function.call(state, &call)
}

fn range(args: &[Value]) -> Result<Value, Error> {
    let (a, b, step): (i64, Option<i64>, Option<i64>) = from_args(args)?;
    let (start, stop) = b.map_or((0, a), |b| (a, b));
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(failed("range() arg 3 must not be zero"));
    }
    let distance = i128::from(stop) - i128::from(start);
    let count = if (distance > 0) == (step > 0) && distance != 0 {
        (distance.abs() - 1) / i128::from(step).abs() + 1
    } else {
        0
    };
    // Jinja2's sandbox has the same limit.
    if count > i128::from(MAX_REPEAT) {
        return Err(failed(format!("Range too big. The sandbox blocks ranges larger than MAX_RANGE ({MAX_REPEAT}).")));
    }
    Ok(Value::from((0..count as i64).map(|i| Value::from(start + i * step)).collect::<Vec<_>>()))
}

/// Returns nothing the first time, the separator afterwards.
#[derive(Debug)]
struct Joiner {
    separator: String,
    used: std::sync::atomic::AtomicBool,
}

impl Joiner {
    fn new(separator: Option<String>) -> Joiner {
        Joiner { separator: separator.unwrap_or_else(|| ", ".to_string()), used: false.into() }
    }
}

impl Object for Joiner {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let () = from_args(args)?;
        let used = self.used.swap(true, std::sync::atomic::Ordering::Relaxed);
        Ok(Value::from(if used { self.separator.as_str() } else { "" }))
    }
}
