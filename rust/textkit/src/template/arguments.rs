//! Arguments of a filter or method, taken by name or position as a Python signature would.

use minijinja::value::{from_args, Kwargs, Rest, Value, ValueOrKwargs};
use minijinja::Error;

use super::python::{failed, type_name};

/// The last parameter of a function that takes any arguments.
pub type Raw = Rest<ValueOrKwargs>;

pub fn all(arguments: Raw) -> Vec<Value> {
    arguments.into_values()
}

pub struct Arguments {
    positional: std::vec::IntoIter<Value>,
    named: Kwargs,
}

impl Arguments {
    pub fn new(arguments: &[Value]) -> Result<Arguments, Error> {
        let (positional, named): (&[Value], Kwargs) = from_args(arguments)?;
        Ok(Arguments { positional: positional.to_vec().into_iter(), named })
    }

    /// The next parameter of the signature. Call in the signature's order.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let named: Option<Value> = self.named.get(name).ok();
        self.positional.next().or(named)
    }

    pub fn string(&mut self, name: &str) -> Result<Option<String>, Error> {
        let value = self.take(name).filter(|v| !v.is_none());
        let text = |v: Value| match v.as_str() {
            Some(text) => Ok(text.to_string()),
            None => Err(failed(format!("argument '{name}' must be str, not {}", type_name(&v)))),
        };
        value.map(text).transpose()
    }

    pub fn int(&mut self, name: &str) -> Result<Option<i64>, Error> {
        self.take(name).filter(|v| !v.is_none()).map(i64::try_from).transpose()
    }

    pub fn flag(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|v| v.is_true())
    }

    /// Fails if arguments are left.
    pub fn finish(mut self, function: &str) -> Result<(), Error> {
        if self.positional.next().is_some() {
            return Err(failed(format!("{function}: too many arguments")));
        }
        self.named.assert_all_used()
    }
}
