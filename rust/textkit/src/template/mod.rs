//! Chat templates: Jinja2 as Hugging Face's chat templates use it, on minijinja's parser and virtual machine.
//!
//! Text → `source::rewrite` → minijinja's parser → `lower` (Python's meaning of some nodes) → minijinja's code generator and
//! machine, with Python's filters, tests, functions and printing. A template can reach nothing but the variables it is given.

mod arguments;
mod filters;
mod functions;
mod lower;
mod methods;
mod python;
mod source;
mod stop;
mod strftime;
mod tojson;
mod track;
mod variables;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use minijinja::machinery::ast::Stmt;
use minijinja::machinery::{self, CodeGenerator, Instructions};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, ErrorKind};

use crate::error::{Code, Error, Result};
use crate::tokenizer::Span;
use lower::{Lower, Names};
use stop::to_error;
use strftime::DateTime;

pub const MAX_SOURCE_BYTES: usize = 1 << 20;
pub const MAX_OUTPUT_BYTES: usize = 4 << 20;
/// One for each instruction and each 64 bytes that a template makes: bounds time (under a second) and memory (128 MiB).
const FUEL: u64 = 2_000_000;

const NAME: &str = "template";

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    filters::install(&mut env);
    functions::install(&mut env);
    env.set_formatter(|out, _state, value| {
        let written = match value.as_str() {
            Some(text) => out.write_str(text),
            None => out.write_str(&python::to_str(value)?),
        };
        written.map_err(|_| minijinja::Error::from(ErrorKind::WriteFailure))
    });
    env.set_fuel(Some(FUEL));
    env.set_debug(true);
    env
});

pub struct Rendered {
    pub text: String,
    /// What stems from the variables, sorted and disjoint.
    pub user_text: Vec<Span>,
}

pub struct Template {
    source: String,
    /// What the template looks for in strings (see `track`).
    inspected: BTreeSet<String>,
}

type Program<'a> = (Instructions<'a>, BTreeMap<&'a str, Instructions<'a>>);

impl Template {
    pub fn compile(source: &str) -> Result<Template> {
        if source.len() > MAX_SOURCE_BYTES {
            let message = format!("the template has {} bytes, more than the limit of {MAX_SOURCE_BYTES}", source.len());
            return Err(Error::new(Code::TemplateLimit, message));
        }
        let mut template = Template { source: source::rewrite(source), inspected: BTreeSet::new() };
        template.inspected = walk::inspected_strings(&template.parse()?);
        template.program()?;
        Ok(template)
    }

    fn parse(&self) -> Result<Stmt<'_>> {
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(|e| to_error(&e))?;
        machinery::parse(&self.source, NAME, syntax).map_err(|e| to_error(&e))
    }

    /// Parsing again for every rendering costs less than a millisecond, and saves a value that borrows from itself.
    fn program(&self) -> Result<Program<'_>> {
        let tree = self.parse()?;
        let names = Names { filters: &|n| has_filter(n), tests: &|n| has_test(n) };
        let mut lower = Lower::new(names, &tree);
        let tree = lower.stmt(&tree);
        if let Some(message) = lower.unknown {
            return Err(Error::new(Code::Syntax, message));
        }
        let mut generator = CodeGenerator::new(NAME, &self.source);
        generator.compile_stmt(&tree);
        Ok(generator.finish())
    }

    /// `variables_json` is an object; `now` is what strftime_now tells, "2026-01-02T03:04:05".
    pub fn render(&self, variables_json: &str, now: &str) -> Result<String> {
        self.run(variables::parse(variables_json)?, now)
    }

    /// Also tells which text stems from the variables, as far as it could take part in one of `spellings`.
    pub fn render_tracked(&self, variables_json: &str, now: &str, spellings: &[&str]) -> Result<Rendered> {
        let variables = variables::parse(variables_json)?;
        let text = self.run(variables.clone(), now)?;
        let user_text = track::user_text(self, &variables, now, &text, spellings);
        Ok(Rendered { text, user_text })
    }

    fn run(&self, variables: serde_json::Map<String, serde_json::Value>, now: &str) -> Result<String> {
        DateTime::parse(now)?;
        let (instructions, blocks) = self.program()?;
        let root = variables::root(variables, now);
        let mut text = String::new();
        let mut output = machinery::make_string_output(&mut text);
        machinery::eval(&ENVIRONMENT, &instructions, root, &blocks, &mut output, AutoEscape::None)
            .map_err(|e| to_error(&e))?;
        if text.len() > MAX_OUTPUT_BYTES {
            let message =
                format!("the rendered text has {} bytes, more than the limit of {MAX_OUTPUT_BYTES}", text.len());
            return Err(Error::new(Code::TemplateLimit, message));
        }
        Ok(text)
    }
}

fn has_filter(name: &str) -> bool {
    let mut state = ENVIRONMENT.empty_state();
    state.perform_test("filter", &[Value::from(name)]).unwrap_or(false)
}

fn has_test(name: &str) -> bool {
    let mut state = ENVIRONMENT.empty_state();
    state.perform_test("test", &[Value::from(name)]).unwrap_or(false)
}
