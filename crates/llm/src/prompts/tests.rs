//! Every prompt as sent to a model, and custom prompts that are refused.

use annals_core::Settings;

use super::*;

#[test]
fn rendered_prompts_match_snapshots() {
    for prompt in Prompt::ALL {
        let Rendered { system, user } = prompt.render(&Settings::default(), &sample(prompt)).unwrap();
        let shown = format!("=== system ===\n{system}\n\n=== user ===\n{user}");
        insta::assert_snapshot!(prompt.as_str(), shown);
    }
}

#[test]
fn standard_prompts_pass_the_check() {
    for prompt in Prompt::ALL {
        check_prompt(prompt.as_str(), prompt.standard()).unwrap();
    }
}

#[test]
fn error_names_prompt_and_line() {
    fn check(name: &str, text: &str, expect: &str) {
        let error = check_prompt(name, text).unwrap_err();
        assert_eq!(error.to_string(), expect, "{text:?}");
    }
    check(
        "diary",
        "",
        "prompt is \"diary\"; expected one of extraction, daily, weekly, monthly, quarterly, yearly, amend, merge",
    );
    check("daily", "Write!\n{{ sources }}", "line 2: prompt daily has no line --- between instructions and data");
    check("daily", "---\n{{ sources }}", "line 1: prompt daily has no instructions above the line ---");
    check("daily", "Write!\n---\nNow.", "line 3: prompt daily does not show the variable sources in its second part");
    check("daily", "Write!\n---", "line 2: prompt daily does not show the variable sources in its second part");
    check("amend", "W\n---\n{{ sources }}", "line 3: prompt amend does not show the variable base in its second part");
    check(
        "daily",
        "Write!\n---\n\n{{ sources }} {{ sorces }}",
        "line 4: prompt daily names sorces, which this part of it does not know",
    );
    // Text of conversations never gets into the instructions.
    check(
        "daily",
        "Write of\n{{ sources }}\n---\n{{ sources }}",
        "line 2: prompt daily names sources, which this part of it does not know",
    );
    // Branches that are never taken are checked too.
    check(
        "weekly",
        "W\n---\n{{ sources }}\n{% if false %}{{ word }}{% endif %}",
        "line 4: prompt weekly names word, which this part of it does not know",
    );
    // A prompt must not compute.
    check(
        "weekly",
        "W\n---\n{{ sources }}\n{% for a in range(99999) %}{% endfor %}",
        "line 4: prompt weekly may only show a variable, as in {{ sources }}, and choose by variables with if, elif, else and \
         endif, as in {% if known %}: no loops, calculations, filters or quotes",
    );
    check(
        "weekly",
        "W\n---\n{{ sources }}\n{% if words %}",
        "line 4: prompt weekly cannot be filled in: syntax error: unexpected end of input, expected end of block",
    );
}

/// Regression: summaries in other languages than English did not count as made by another prompt after a change of their
/// example.
#[test]
fn examples_of_all_languages_are_part_of_the_digest() {
    use crate::extractive::Language;

    for language in [Language::English, Language::German, Language::Dutch, Language::Unspaced] {
        let example = example(language, Grain::Daily);
        assert!(examples::all().iter().any(|file| file.contains(example)), "{language:?}");
    }
}

#[test]
fn custom_prompt_takes_effect_and_keeps_the_rules() {
    let mut settings = Settings::default();
    let standard = Prompt::Daily.digest(&settings);
    settings.prompts.insert("daily".into(), "Only haiku for {{ period }}.\n---\n{{ sources }}".into());
    assert_ne!(Prompt::Daily.digest(&settings), standard);
    let rendered = Prompt::Daily.render(&settings, &sample(Prompt::Daily)).unwrap();
    assert!(rendered.system.starts_with("Only haiku for 2026-W10.\n\nWhat stands between"), "{}", rendered.system);
    assert!(rendered.user.starts_with("<sources id="));
}
