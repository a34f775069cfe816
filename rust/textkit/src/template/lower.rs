//! Gives minijinja's syntax tree Python's meaning where the two differ: the tree is copied, and some nodes become calls.
//!
//! * `a % b` formats strings; `a ~ b` joins them as Python prints them.
//! * A method call on a dict, list or string is Python's method, even where a dict has a key of that name.
//! * `x.method is defined` is true.
//! * Names with two leading underscores are refused by the sandbox as soon as something is done with them.
//! * A macro that mentions `varargs` or `kwargs` takes any arguments.
//! * An unknown filter or test is an error at compile time, unless it stands inside an `if`, as in Jinja2.
//!
//! Names of the functions called begin with a space, so no template can call or replace them.

use std::collections::BTreeMap;

use minijinja::machinery::ast::*;
use minijinja::machinery::Span;
use minijinja::value::Value;

use super::walk::{children, each_expr};

pub const REMAINDER: &str = " remainder";
pub const CONCAT: &str = " concat";
pub const METHOD: &str = " method";
pub const ATTRIBUTE: &str = " attribute";
pub const REFUSE: &str = " refuse";
pub const CALL_VARIADIC: &str = " call variadic";

pub struct Names<'n> {
    pub filters: &'n dyn Fn(&str) -> bool,
    pub tests: &'n dyn Fn(&str) -> bool,
}

pub struct Lower<'a, 'n> {
    names: Names<'n>,
    /// Macros that take any arguments: their declared parameters.
    variadic: BTreeMap<&'a str, Vec<&'a str>>,
    /// Inside an `if`, where an unknown filter only fails when it is used.
    soft: bool,
    /// The first unknown filter or test.
    pub unknown: Option<String>,
}

impl<'a, 'n> Lower<'a, 'n> {
    pub fn new(names: Names<'n>, template: &Stmt<'a>) -> Lower<'a, 'n> {
        let mut lower = Lower { names, variadic: BTreeMap::new(), soft: false, unknown: None };
        lower.find_variadic(template);
        lower
    }

    fn find_variadic(&mut self, stmt: &Stmt<'a>) {
        if let Stmt::Macro(m) = stmt {
            let mut found = false;
            let mut look = |e: &Expr| found |= variable(e).is_some_and(|name| matches!(name, "varargs" | "kwargs"));
            m.body.iter().for_each(|s| each_expr(s, &mut look));
            let parameters: Vec<&str> = m.args.iter().filter_map(variable).collect();
            if found && parameters.len() == m.args.len() {
                self.variadic.insert(m.name, parameters);
            }
        }
        children(stmt).for_each(|s| self.find_variadic(s));
    }

    pub fn stmts(&mut self, stmts: &[Stmt<'a>]) -> Vec<Stmt<'a>> {
        stmts.iter().map(|s| self.stmt(s)).collect()
    }

    /// Statements in a scope of their own, where Jinja2 checks names at once again.
    fn scope(&mut self, stmts: &[Stmt<'a>]) -> Vec<Stmt<'a>> {
        let soft = std::mem::replace(&mut self.soft, false);
        let lowered = self.stmts(stmts);
        self.soft = soft;
        lowered
    }

    fn softly<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let soft = std::mem::replace(&mut self.soft, true);
        let result = body(self);
        self.soft = soft;
        result
    }

    pub fn stmt(&mut self, stmt: &Stmt<'a>) -> Stmt<'a> {
        match stmt {
            Stmt::Template(s) => {
                let children = self.stmts(&s.children);
                Stmt::Template(Spanned::new(Template { children }, s.span()))
            }
            Stmt::EmitExpr(s) => Stmt::EmitExpr(Spanned::new(EmitExpr { expr: self.expr(&s.expr) }, s.span())),
            Stmt::EmitRaw(s) => Stmt::EmitRaw(Spanned::new(EmitRaw { raw: s.raw }, s.span())),
            Stmt::ForLoop(s) => Stmt::ForLoop(Spanned::new(self.for_loop(s), s.span())),
            Stmt::IfCond(s) => Stmt::IfCond(Spanned::new(self.if_cond(s), s.span())),
            Stmt::WithBlock(s) => {
                let assignments = s.assignments.iter().map(|(t, e)| (self.expr(t), self.expr(e))).collect();
                Stmt::WithBlock(Spanned::new(WithBlock { assignments, body: self.scope(&s.body) }, s.span()))
            }
            Stmt::Set(s) => {
                let set = Set { target: self.target(&s.target), expr: self.expr(&s.expr) };
                Stmt::Set(Spanned::new(set, s.span()))
            }
            Stmt::SetBlock(s) => {
                let filter = s.filter.as_ref().map(|f| self.expr(f));
                let block = SetBlock { target: self.target(&s.target), filter, body: self.scope(&s.body) };
                Stmt::SetBlock(Spanned::new(block, s.span()))
            }
            Stmt::AutoEscape(s) => {
                let block = AutoEscape { enabled: self.expr(&s.enabled), body: self.scope(&s.body) };
                Stmt::AutoEscape(Spanned::new(block, s.span()))
            }
            Stmt::FilterBlock(s) => {
                let block =
                    FilterBlock { filter: self.expr(&s.filter), filter_span: s.filter_span, body: self.scope(&s.body) };
                Stmt::FilterBlock(Spanned::new(block, s.span()))
            }
            Stmt::Macro(s) => Stmt::Macro(self.macro_decl(s)),
            Stmt::CallBlock(s) => {
                let call = Spanned::new(self.call(&s.call), s.call.span());
                let macro_decl = self.macro_decl(&s.macro_decl);
                let block = CallBlock { call, call_expr_span: s.call_expr_span, macro_decl };
                Stmt::CallBlock(Spanned::new(block, s.span()))
            }
            Stmt::Continue(s) => Stmt::Continue(Spanned::new(Continue, s.span())),
            Stmt::Break(s) => Stmt::Break(Spanned::new(Break, s.span())),
            Stmt::Do(s) => {
                let call = Spanned::new(self.call(&s.call), s.call.span());
                Stmt::Do(Spanned::new(Do { call }, s.span()))
            }
        }
    }

    fn for_loop(&mut self, s: &ForLoop<'a>) -> ForLoop<'a> {
        ForLoop {
            target: self.target(&s.target),
            iter: self.expr(&s.iter),
            filter_expr: s.filter_expr.as_ref().map(|e| self.expr(e)),
            recursive: s.recursive,
            body: self.scope(&s.body),
            else_body: self.scope(&s.else_body),
        }
    }

    fn if_cond(&mut self, s: &IfCond<'a>) -> IfCond<'a> {
        self.softly(|lower| IfCond {
            expr: lower.expr(&s.expr),
            true_body: lower.stmts(&s.true_body),
            false_body: lower.stmts(&s.false_body),
        })
    }

    fn macro_decl(&mut self, s: &Spanned<Macro<'a>>) -> Spanned<Macro<'a>> {
        let mut args: Vec<Expr> = s.args.iter().map(|e| self.target(e)).collect();
        let mut defaults: Vec<Expr> = s.defaults.iter().map(|e| self.expr(e)).collect();
        if self.variadic.contains_key(s.name) {
            args.extend([var("varargs", s.span()), var("kwargs", s.span())]);
            let empty = || constant(Value::from(Vec::<Value>::new()), s.span());
            defaults.extend([empty(), empty()]);
        }
        let body = self.scope(&s.body);
        Spanned::new(Macro { name: s.name, args, defaults, body }, s.span())
    }

    /// What is assigned to: names stay, but the object of `ns.x` may be any expression.
    fn target(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        match expr {
            Expr::GetAttr(e) => {
                Expr::GetAttr(Spanned::new(GetAttr { expr: self.expr(&e.expr), name: e.name }, e.span()))
            }
            Expr::List(e) => {
                let items = e.items.iter().map(|i| self.target(i)).collect();
                Expr::List(Spanned::new(List { items }, e.span()))
            }
            Expr::Tuple(e) => {
                let items = e.items.iter().map(|i| self.target(i)).collect();
                Expr::Tuple(Spanned::new(Tuple { items }, e.span()))
            }
            other => self.expr(other),
        }
    }

    fn exprs(&mut self, exprs: &[Expr<'a>]) -> Vec<Expr<'a>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    fn opt(&mut self, expr: &Option<Expr<'a>>) -> Option<Expr<'a>> {
        expr.as_ref().map(|e| self.expr(e))
    }

    pub fn expr(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        match expr {
            Expr::Var(e) => var(e.id, e.span()),
            Expr::Const(e) => constant(e.value.clone(), e.span()),
            Expr::Slice(e) => {
                let slice = Slice {
                    expr: self.expr(&e.expr),
                    start: self.opt(&e.start),
                    stop: self.opt(&e.stop),
                    step: self.opt(&e.step),
                };
                Expr::Slice(Spanned::new(slice, e.span()))
            }
            Expr::UnaryOp(e) => Expr::UnaryOp(Spanned::new(
                UnaryOp {
                    op: match e.op {
                        UnaryOpKind::Not => UnaryOpKind::Not,
                        UnaryOpKind::Neg => UnaryOpKind::Neg,
                    },
                    expr: self.expr(&e.expr),
                },
                e.span(),
            )),
            Expr::BinOp(e) => self.binary(e),
            Expr::Compare(e) => {
                let ops = e.ops.iter().map(|o| CompareOp { op: o.op, expr: self.expr(&o.expr) }).collect();
                Expr::Compare(Spanned::new(Compare { expr: self.expr(&e.expr), ops }, e.span()))
            }
            Expr::IfExpr(e) => self.softly(|lower| {
                let if_expr = IfExpr {
                    test_expr: lower.expr(&e.test_expr),
                    true_expr: lower.expr(&e.true_expr),
                    false_expr: lower.opt(&e.false_expr),
                };
                Expr::IfExpr(Spanned::new(if_expr, e.span()))
            }),
            Expr::Filter(e) => {
                self.check(&*self.names.filters, "filter", e.name);
                let filter = Filter { name: e.name, expr: self.opt(&e.expr), args: self.args(&e.args) };
                Expr::Filter(Spanned::new(filter, e.span()))
            }
            Expr::Test(e) => {
                self.check(&*self.names.tests, "test", e.name);
                let test = Test { name: e.name, expr: self.tested(&e.expr), args: self.args(&e.args) };
                Expr::Test(Spanned::new(test, e.span()))
            }
            Expr::GetAttr(e) => self.attribute(e),
            Expr::GetItem(e) => match refused(&e.expr) {
                Some(attr) => self.refuse(attr, e.span()),
                None => {
                    let item = GetItem { expr: self.expr(&e.expr), subscript_expr: self.expr(&e.subscript_expr) };
                    Expr::GetItem(Spanned::new(item, e.span()))
                }
            },
            Expr::Call(e) => match &e.expr {
                Expr::GetAttr(attr) if is_dunder(attr.name) => self.refuse(attr, e.span()),
                _ => Expr::Call(Spanned::new(self.call(e), e.span())),
            },
            Expr::List(e) => Expr::List(Spanned::new(List { items: self.exprs(&e.items) }, e.span())),
            Expr::Tuple(e) => Expr::Tuple(Spanned::new(Tuple { items: self.exprs(&e.items) }, e.span())),
            Expr::Map(e) => {
                let map = Map { keys: self.exprs(&e.keys), values: self.exprs(&e.values) };
                Expr::Map(Spanned::new(map, e.span()))
            }
        }
    }

    fn check(&mut self, known: &dyn Fn(&str) -> bool, kind: &str, name: &str) {
        if !self.soft && !known(name) && self.unknown.is_none() {
            self.unknown = Some(format!("No {kind} named '{name}'."));
        }
    }

    fn binary(&mut self, e: &Spanned<BinOp<'a>>) -> Expr<'a> {
        let (left, right) = (self.expr(&e.left), self.expr(&e.right));
        let function = match e.op {
            BinOpKind::Rem => REMAINDER,
            BinOpKind::Concat => CONCAT,
            op => return Expr::BinOp(Spanned::new(BinOp { op, left, right }, e.span())),
        };
        call(function, vec![CallArg::Pos(left), CallArg::Pos(right)], e.span())
    }

    fn attribute(&mut self, e: &Spanned<GetAttr<'a>>) -> Expr<'a> {
        match refused(&e.expr) {
            Some(attr) => self.refuse(attr, e.span()),
            None => Expr::GetAttr(Spanned::new(GetAttr { expr: self.expr(&e.expr), name: e.name }, e.span())),
        }
    }

    /// The subject of a test. Methods are attributes too.
    fn tested(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        match expr {
            Expr::GetAttr(e) if refused(&e.expr).is_none() => {
                let name = constant(Value::from(e.name), e.span());
                call(ATTRIBUTE, vec![CallArg::Pos(self.expr(&e.expr)), CallArg::Pos(name)], e.span())
            }
            other => self.expr(other),
        }
    }

    fn refuse(&mut self, attr: &GetAttr<'a>, span: Span) -> Expr<'a> {
        let name = constant(Value::from(attr.name), span);
        call(REFUSE, vec![CallArg::Pos(self.expr(&attr.expr)), CallArg::Pos(name)], span)
    }

    fn args(&mut self, args: &[CallArg<'a>]) -> Vec<CallArg<'a>> {
        let arg = |arg: &CallArg<'a>| match arg {
            CallArg::Pos(e) => CallArg::Pos(self.expr(e)),
            CallArg::Kwarg(name, e) => CallArg::Kwarg(name, self.expr(e)),
            CallArg::PosSplat(e) => CallArg::PosSplat(self.expr(e)),
            CallArg::KwargSplat(e) => CallArg::KwargSplat(self.expr(e)),
        };
        args.iter().map(arg).collect()
    }

    fn call(&mut self, e: &Spanned<Call<'a>>) -> Call<'a> {
        let span = e.span();
        let mut args = self.args(&e.args);
        let (function, first, second) = match &e.expr {
            Expr::GetAttr(attr) if super::methods::is_method(attr.name) => {
                (METHOD, self.expr(&attr.expr), Value::from(attr.name))
            }
            Expr::Var(v) if self.variadic.contains_key(v.id) => {
                let parameters: Vec<Value> = self.variadic[v.id].iter().map(|p| Value::from(*p)).collect();
                (CALL_VARIADIC, var(v.id, span), Value::from(parameters))
            }
            other => return Call { expr: self.expr(other), args },
        };
        args.splice(0..0, [CallArg::Pos(first), CallArg::Pos(constant(second, span))]);
        Call { expr: var(function, span), args }
    }
}

fn variable<'a>(expr: &Expr<'a>) -> Option<&'a str> {
    match expr {
        Expr::Var(v) => Some(v.id),
        _ => None,
    }
}

fn is_dunder(name: &str) -> bool {
    name.starts_with("__")
}

/// The attribute that the sandbox refuses to hand out for further use.
fn refused<'e, 'a>(expr: &'e Expr<'a>) -> Option<&'e GetAttr<'a>> {
    match expr {
        Expr::GetAttr(e) if is_dunder(e.name) => Some(e),
        _ => None,
    }
}

fn var(id: &str, span: Span) -> Expr<'_> {
    Expr::Var(Spanned::new(Var { id }, span))
}

fn constant<'a>(value: Value, span: Span) -> Expr<'a> {
    Expr::Const(Spanned::new(Const { value }, span))
}

fn call<'a>(function: &'a str, args: Vec<CallArg<'a>>, span: Span) -> Expr<'a> {
    Expr::Call(Spanned::new(Call { expr: var(function, span), args }, span))
}
