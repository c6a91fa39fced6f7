//! Restricts what a prompt may do: show a variable, branch on variables, and contain comments. The check runs in time linear in
//! the length of the text and without minijinja, so minijinja's parser and virtual machine only see texts of this form.

use std::sync::LazyLock;

use regex::Regex;

/// Maximum bytes of one part of a prompt. The longest standard prompt has two thousand.
const MAX_PART_BYTES: usize = 64 * 1024;
/// Maximum marks in one part. Nested branches use the parser's stack.
const MAX_MARKS: usize = 200;

/// What may stand between `{{` and `}}`: a name.
static SHOW: LazyLock<Regex> = LazyLock::new(|| pattern(r"^-?\s*NAME\s*-?$"));
/// What may stand between `{%` and `%}`: branches on names, which may be compared with names or numbers.
static CHOOSE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^-?\s*(?:else|endif|(?:el)?if\s+TERM(?:\s+(?:and|or)\s+TERM){0,9})\s*-?$"));

fn pattern(pattern: &str) -> Regex {
    let term = r"(?:not\s+)?NAME(?:\s*(?:==|!=|<=|>=|<|>)\s*(?:NAME|[0-9]{1,9}))?";
    let pattern = pattern.replace("TERM", term).replace("NAME", "[A-Za-z_][A-Za-z0-9_]{0,63}");
    Regex::new(&pattern).expect("the pattern is tested")
}

/// Checks whether one part of a prompt does only what a prompt may do. Otherwise returns the line and the reason.
pub(super) fn check(text: &str) -> Result<(), (usize, String)> {
    if text.len() > MAX_PART_BYTES {
        return Err((1, format!("is longer than {} KiB", MAX_PART_BYTES / 1024)));
    }
    let (mut at, mut marks) = (0, 0);
    while let Some((start, open)) = next_mark(text, at) {
        let line = text[..start].matches('\n').count() + 1;
        let (end, allowed): (&str, Option<&Regex>) = match open {
            "{{" => ("}}", Some(&SHOW)),
            "{%" => ("%}", Some(&CHOOSE)),
            _ => ("#}", None),
        };
        let inside = &text[start + 2..];
        // minijinja reports a mark without an end.
        let Some(length) = inside.find(end) else { return Ok(()) };
        if allowed.is_some_and(|allowed| !allowed.is_match(&inside[..length])) {
            return Err((
                line,
                "may only show a variable, as in {{ sources }}, and choose by variables with if, elif, else \
                               and endif, as in {% if known %}: no loops, calculations, filters or quotes"
                    .into(),
            ));
        }
        marks += 1;
        if marks > MAX_MARKS {
            return Err((line, format!("has more than {MAX_MARKS} marks such as {{{{ sources }}}}")));
        }
        at = start + 2 + length + 2;
    }
    Ok(())
}

/// Returns the position and the opening characters of the next mark.
fn next_mark(text: &str, from: usize) -> Option<(usize, &str)> {
    let rest = &text[from..];
    let positions = rest.match_indices('{').map(|(position, _)| from + position);
    let mut marks = positions.filter_map(|position| Some((position, text.get(position..position + 2)?)));
    marks.find(|(_, open)| matches!(*open, "{{" | "{%" | "{#"))
}

#[cfg(test)]
mod tests {
    use minijinja::Environment;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_showing_and_branching_is_allowed() {
        fn check_all(good: bool, texts: &[&str]) {
            for text in texts {
                assert_eq!(check(text).is_ok(), good, "{text}");
            }
        }
        check_all(
            true,
            &[
                "plain { text } with 100 % and # of { things",
                "{{ sources }} {{sources}} {{- words -}}",
                "{# what {{ is }} this #}",
                "{% if known %}a{% elif not words %}b{%- else -%}c{% endif %}",
                "{% if words > 100 and period == first_day or known %}x{% endif %}",
                "{\n{ sources }}",
            ],
        );
        check_all(
            false,
            &[
                "{% for a in range(9) %}{% endfor %}",
                "{% set a = sources %}",
                "{% set a %}x{% endset %}",
                "{% macro a() %}{% endmacro %}",
                "{% include 'x' %}",
                "{% raw %}{{ x }}{% endraw %}",
                "{% filter upper %}x{% endfilter %}",
                "{{ sources ~ sources }}",
                "{{ sources * 9 }}",
                "{{ sources | indent(999999999) }}",
                "{{ range(9) }}",
                "{{ sources.a }}",
                "{{ sources[0] }}",
                "{{ '}}' }}",
                "{{ 1 or 1 }}",
                "{{ not not words }}",
                "{{{ words }}}",
                "{% if words == '%}' %}{% endif %}",
                "{% if (words) %}{% endif %}",
                "{#- x #}{{ a ~ b }}",
            ],
        );
    }

    #[test]
    fn part_that_is_too_long_or_has_too_many_marks_is_refused() {
        assert!(check(&"x".repeat(MAX_PART_BYTES)).is_ok());
        assert_eq!(check(&"x".repeat(MAX_PART_BYTES + 1)).unwrap_err().1, "is longer than 64 KiB");
        assert!(check(&"{{ a }}".repeat(MAX_MARKS)).is_ok());
        let (line, reason) = check(&"{{ a }}\n".repeat(MAX_MARKS + 1)).unwrap_err();
        assert_eq!((line, reason.as_str()), (MAX_MARKS + 1, "has more than 200 marks such as {{ sources }}"));
    }

    proptest! {
        /// Text that passes the check is rejected or rendered by minijinja at once, and shows each variable as often as it is
        /// named.
        #[test]
        fn accepted_text_renders_within_bounds(
            text in r"(\{\{|\}\}|\{%|%\}|\{#|#\}| |-|a|if|else|elif|endif|for|in|set|raw|endraw|'|~|\*|1|\n){0,24}",
        ) {
            if check(&text).is_ok() {
                let mut environment = Environment::new();
                environment.set_fuel(Some(2_000));
                if let Ok(rendered) = environment.render_str(&text, minijinja::context! { a => "value" }) {
                    prop_assert!(rendered.len() <= text.len() * 5);
                }
            }
        }
    }
}
