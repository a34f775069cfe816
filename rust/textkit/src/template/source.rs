//! Rewrites template text where minijinja's grammar is narrower than Jinja2's with Hugging Face's extensions:
//! line ends become "\n", `{% generation %}` blocks become blocks that always render, a unary plus disappears.

/// The rewritten text. Text that is no template is left for the parser to refuse.
pub fn rewrite(source: &str) -> String {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(source.len());
    let mut rest = source.as_str();
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let used = match rest.as_bytes().get(1) {
            Some(b'#') => rest.find("#}").map_or(rest.len(), |end| end + 2),
            Some(b'{') => expression(rest, "}}", &mut out),
            Some(b'%') => block(rest, &mut out),
            _ => 1,
        };
        if !matches!(rest.as_bytes().get(1), Some(b'{' | b'%')) {
            out.push_str(&rest[..used]);
        }
        rest = &rest[used..];
    }
    out.push_str(rest);
    out
}

/// Copies a block tag, with the whole of a raw block; returns the length of what it copied.
fn block(rest: &str, out: &mut String) -> usize {
    let inside = rest[2..].trim_start_matches(['-', '+']).trim_start();
    let name_len = inside.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inside.len());
    let name_at = rest.len() - inside.len();
    let replacement = match &inside[..name_len] {
        "raw" => {
            let used = raw_end(rest);
            out.push_str(&rest[..used]);
            return used;
        }
        "generation" => "if true",
        "endgeneration" => "endif",
        _ => return expression(rest, "%}", out),
    };
    let tail = &inside[name_len..];
    let end = tail.find("%}").map_or(tail.len(), |end| end + 2);
    out.push_str(&rest[..name_at]);
    out.push_str(replacement);
    out.push_str(&tail[..end]);
    name_at + name_len + end
}

/// Where a raw block ends; the whole rest if it does not.
fn raw_end(rest: &str) -> usize {
    let mut from = 0;
    while let Some(at) = rest[from..].find("endraw") {
        from += at + "endraw".len();
        if let Some(end) = rest[from..].find("%}") {
            if rest[from..from + end].chars().all(|c| c.is_whitespace() || c == '-' || c == '+') {
                return from + end + 2;
            }
        }
    }
    rest.len()
}

/// Copies a tag up to and including `close`, without unary plus signs; returns the length of what it read.
fn expression(rest: &str, close: &str, out: &mut String) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 2;
    // A sign right behind the opening belongs to the tag.
    if matches!(bytes.get(2), Some(b'-' | b'+')) {
        at = 3;
    }
    out.push_str(&rest[..at]);
    let mut after_operand = false;
    while at < bytes.len() {
        let tail = &rest[at..];
        if tail.starts_with(close) {
            out.push_str(close);
            return at + close.len();
        }
        let c = tail.chars().next().unwrap_or(' ');
        let len = match c {
            '"' | '\'' => string_len(tail, c),
            _ if c.is_alphanumeric() || c == '_' => {
                tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len())
            }
            _ => c.len_utf8(),
        };
        let token = &tail[..len];
        // `+%}` and `+}}` are whitespace control.
        if c == '+' && !after_operand && !tail[1..].starts_with(close) {
            out.push(' ');
        } else {
            out.push_str(token);
        }
        if !c.is_whitespace() {
            after_operand = match c {
                ')' | ']' | '}' | '"' | '\'' => true,
                _ if c.is_alphanumeric() || c == '_' => !is_operator_word(token),
                _ => false,
            };
        }
        at += len;
    }
    rest.len()
}

fn is_operator_word(word: &str) -> bool {
    matches!(word, "and" | "or" | "not" | "in" | "is" | "if" | "else" | "elif" | "set" | "recursive")
}

/// Length of the string literal at the beginning of `text`, with its quotes.
fn string_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    #[test]
    fn leaves_ordinary_templates_alone() {
        for text in [
            "a {{ b + 1 }} {%- if x -%} { {% endif %}",
            "{# + {% generation %} #}",
            "{% raw %}{% generation %}{{ +1 }}{% endraw %}",
            "{{ '+%}' ~ \"{% generation %}\" }}",
            "{%+ if x +%}",
            "{{ unfinished",
            "{% raw %} never ends",
        ] {
            assert_eq!(rewrite(text), text);
        }
    }

    #[test]
    fn rewrites_what_the_parser_lacks() {
        assert_eq!(rewrite("{%- generation -%}x{% endgeneration %}"), "{%- if true -%}x{% endif %}");
        assert_eq!(rewrite("{{ +5 }}{{ a * +b }}{{ f(+1, [+2]) }}"), "{{  5 }}{{ a *  b }}{{ f( 1, [ 2]) }}");
        assert_eq!(rewrite("a\r\nb\rc"), "a\nb\nc");
    }
}
