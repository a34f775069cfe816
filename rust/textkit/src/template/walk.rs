//! Walks over minijinja's syntax tree.

use std::collections::BTreeSet;

use minijinja::machinery::ast::*;
use minijinja::value::{Value, ValueKind};

/// Statements directly inside a statement.
pub fn children<'s, 'a>(stmt: &'s Stmt<'a>) -> impl Iterator<Item = &'s Stmt<'a>> {
    let (first, second): (&[Stmt], &[Stmt]) = match stmt {
        Stmt::Template(s) => (&s.children, &[]),
        Stmt::ForLoop(s) => (&s.body, &s.else_body),
        Stmt::IfCond(s) => (&s.true_body, &s.false_body),
        Stmt::WithBlock(s) => (&s.body, &[]),
        Stmt::SetBlock(s) => (&s.body, &[]),
        Stmt::AutoEscape(s) => (&s.body, &[]),
        Stmt::FilterBlock(s) => (&s.body, &[]),
        Stmt::Macro(s) => (&s.body, &[]),
        Stmt::CallBlock(s) => (&s.macro_decl.body, &[]),
        _ => (&[], &[]),
    };
    first.iter().chain(second)
}

/// Calls `visit` for every expression in the statement, however deep, outer ones first.
pub fn each_expr<'a>(stmt: &Stmt<'a>, visit: &mut dyn FnMut(&Expr<'a>)) {
    match stmt {
        Stmt::EmitExpr(s) => walk(&s.expr, visit),
        Stmt::ForLoop(s) => [Some(&s.iter), s.filter_expr.as_ref()].into_iter().flatten().for_each(|e| walk(e, visit)),
        Stmt::IfCond(s) => walk(&s.expr, visit),
        Stmt::WithBlock(s) => s.assignments.iter().for_each(|(_, e)| walk(e, visit)),
        Stmt::Set(s) => walk(&s.expr, visit),
        Stmt::SetBlock(s) => s.filter.iter().for_each(|e| walk(e, visit)),
        Stmt::FilterBlock(s) => walk(&s.filter, visit),
        Stmt::Macro(s) => s.defaults.iter().for_each(|e| walk(e, visit)),
        Stmt::CallBlock(s) => walk_call(&s.call, visit),
        Stmt::Do(s) => walk_call(&s.call, visit),
        _ => {}
    }
    children(stmt).for_each(|s| each_expr(s, visit));
}

fn walk_call<'a>(call: &Call<'a>, visit: &mut dyn FnMut(&Expr<'a>)) {
    walk(&call.expr, visit);
    arguments(&call.args).for_each(|e| walk(e, visit));
}

fn arguments<'s, 'a>(args: &'s [CallArg<'a>]) -> impl Iterator<Item = &'s Expr<'a>> {
    args.iter().map(|arg| match arg {
        CallArg::Pos(e) | CallArg::Kwarg(_, e) | CallArg::PosSplat(e) | CallArg::KwargSplat(e) => e,
    })
}

fn walk<'a>(expr: &Expr<'a>, visit: &mut dyn FnMut(&Expr<'a>)) {
    visit(expr);
    let mut all = |exprs: &[Option<&Expr<'a>>]| exprs.iter().flatten().for_each(|e| walk(e, visit));
    match expr {
        Expr::Var(_) | Expr::Const(_) => {}
        Expr::Slice(e) => all(&[Some(&e.expr), e.start.as_ref(), e.stop.as_ref(), e.step.as_ref()]),
        Expr::UnaryOp(e) => all(&[Some(&e.expr)]),
        Expr::BinOp(e) => all(&[Some(&e.left), Some(&e.right)]),
        Expr::Compare(e) => {
            all(&[Some(&e.expr)]);
            e.ops.iter().for_each(|o| all(&[Some(&o.expr)]));
        }
        Expr::IfExpr(e) => all(&[Some(&e.test_expr), Some(&e.true_expr), e.false_expr.as_ref()]),
        Expr::Filter(e) => {
            all(&[e.expr.as_ref()]);
            arguments(&e.args).for_each(|a| all(&[Some(a)]));
        }
        Expr::Test(e) => {
            all(&[Some(&e.expr)]);
            arguments(&e.args).for_each(|a| all(&[Some(a)]));
        }
        Expr::GetAttr(e) => all(&[Some(&e.expr)]),
        Expr::GetItem(e) => all(&[Some(&e.expr), Some(&e.subscript_expr)]),
        Expr::Call(e) => walk_call(e, visit),
        Expr::List(e) => e.items.iter().for_each(|i| all(&[Some(i)])),
        Expr::Tuple(e) => e.items.iter().for_each(|i| all(&[Some(i)])),
        Expr::Map(e) => e.keys.iter().chain(&e.values).for_each(|i| all(&[Some(i)])),
    }
}

/// Strings that the template compares with, looks for or cuts at: operands of comparisons and of `in`, arguments of
/// methods, filters, tests and macros. Strings that are only printed are not among them.
pub fn inspected_strings(template: &Stmt) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_expr(template, &mut |expr| match expr {
        Expr::Compare(e) => {
            strings(&e.expr, &mut found);
            e.ops.iter().for_each(|o| strings(&o.expr, &mut found));
        }
        Expr::BinOp(e) if is_comparison(e.op) => [&e.left, &e.right].into_iter().for_each(|o| strings(o, &mut found)),
        Expr::Filter(e) => arguments(&e.args).for_each(|a| strings(a, &mut found)),
        Expr::Test(e) => arguments(&e.args).for_each(|a| strings(a, &mut found)),
        Expr::Call(e) => arguments(&e.args).for_each(|a| strings(a, &mut found)),
        _ => {}
    });
    found
}

fn is_comparison(op: BinOpKind) -> bool {
    use BinOpKind::*;
    matches!(op, Eq | Ne | Lt | Lte | Gt | Gte | In)
}

/// The strings of a literal, of the members of a list or tuple, and of both sides of a concatenation.
fn strings(expr: &Expr, found: &mut BTreeSet<String>) {
    match expr {
        Expr::Const(e) => strings_of_value(&e.value, found),
        Expr::List(e) => e.items.iter().for_each(|i| strings(i, found)),
        Expr::Tuple(e) => e.items.iter().for_each(|i| strings(i, found)),
        Expr::BinOp(e) if matches!(e.op, BinOpKind::Add | BinOpKind::Concat) => {
            [&e.left, &e.right].into_iter().for_each(|o| strings(o, found));
        }
        _ => {}
    }
}

fn strings_of_value(value: &Value, found: &mut BTreeSet<String>) {
    if let Some(text) = value.as_str() {
        found.insert(text.to_string());
    } else if value.kind() == ValueKind::Seq {
        value.try_iter().into_iter().flatten().for_each(|v| strings_of_value(&v, found));
    }
}
