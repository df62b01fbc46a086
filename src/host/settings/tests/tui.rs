//! Tests of the keys and colours that the operator chooses.

use super::*;

/// The mistakes in these lines of a section, without what is allowed.
fn mistakes_in(section: &str, lines: &str) -> Vec<String> {
    let text = parse(&format!("[{section}]\n{lines}\n")).unwrap_err();
    let mistakes = text.lines().filter(|line| line.starts_with("z:"));
    mistakes
        .map(|line| line.split("; allowed").next().unwrap().to_owned())
        .collect()
}

#[test]
fn a_wrong_name_is_told_with_the_nearest_one() {
    assert_eq!(
        mistakes_in("tui.keys", "qiut = 'ctrl-q'"),
        ["z:2:1: unknown key tui.keys.qiut; did you mean quit?"]
    );
    assert_eq!(
        mistakes_in("tui.colors", "acent = 'red'"),
        ["z:2:1: unknown key tui.colors.acent; did you mean accent?"]
    );
}

#[test]
fn a_wrong_key_is_told_with_the_nearest_one() {
    let cases = [
        ("'crtl-q'", r#""crtl-q" (did you mean "ctrl-q"?)"#),
        ("'ctrl-entr'", r#""ctrl-entr" (did you mean "ctrl-enter"?)"#),
        ("'#'", ""),
        (
            "'ctrl-i'",
            r#""ctrl-i", for which terminals send the same as for "tab""#,
        ),
        (
            "'ctrl-shift-q'",
            r#""ctrl-shift-q", which terminals send like the key without its modifier"#,
        ),
        ("7", "7"),
        ("[]", "a list of 0"),
        ("''", r#""""#),
    ];
    for (written, found) in cases {
        let lines = format!("quit = {written}");
        match found {
            "" => assert!(
                parse(&format!("[tui.keys]\n{lines}\n")).is_ok(),
                "{written}"
            ),
            found => assert_eq!(
                mistakes_in("tui.keys", &lines),
                [format!("z:2:8: tui.keys.quit is {found}")]
            ),
        }
    }
}

#[test]
fn keys_that_collide_in_one_view_are_refused() {
    assert_eq!(
        mistakes_in("tui.keys", "graphs = 'm'"),
        [
            "z:2:10: tui.keys.graphs is \"m\", which is the key of message as well (write a direct message)"
        ]
    );
    // Both may be chosen, and the one is told.
    assert_eq!(mistakes_in("tui.keys", "graphs = 'Y'\nlog = 'Y'").len(), 1);
    assert_eq!(
        mistakes_in("tui.keys", "new = 'ctrl-c'"),
        [
            "z:2:7: tui.keys.new is \"ctrl-c\", which is the key of quit as well (quit; asks while Myses run)"
        ]
    );
    // A key may do different things in views that are never there together.
    for fine in [
        "graphs = 'm'\nmessage = 'g'",
        "graph_scope = 'm'",
        "sort = 'i'",
        "next_match = 'o'\nprevious_order = 'n'",
    ] {
        assert!(parse(&format!("[tui.keys]\n{fine}\n")).is_ok(), "{fine}");
    }
}

#[test]
fn a_wrong_colour_is_told_with_the_nearest_one() {
    assert_eq!(
        mistakes_in("tui.colors", "dim = 'bright_rad'\ntext = '#12345'"),
        [
            r#"z:2:7: tui.colors.dim is "bright_rad" (did you mean "bright_red"?)"#,
            r##"z:3:8: tui.colors.text is "#12345""##,
        ]
    );
}
