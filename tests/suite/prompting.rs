//! The system prompt: it is shown, and refused if it has unknown placeholders.

use zoea_rig::{Home, until};

#[test]
fn the_prompt_is_shown_as_it_is_written_and_as_a_mysis_gets_it() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let default = home.ok(&["prompt", "default"]);
    assert!(!default.contains("{{"), "it is the same for all: {default}");
    assert!(default.contains("zoea_search_messages"), "{default}");
    let help = home.ok(&["prompt", "--help"]);
    assert!(help.contains("{{game_state}}"), "{help}");
    assert!(home.ok(&["prompt", "show"]).contains("You are alpha,"));

    home.ok(&["mysis", "create", "bravo"]);
    home.ok(&["broadcast", "find osmium"]);
    let shown = home.ok(&["prompt", "show", "bravo"]);
    let behind = shown
        .strip_prefix(default.trim_end())
        .expect("it begins with the same");
    assert_eq!(
        behind,
        "\n\nThe first message of the conversation:\n\nfind osmium\n\n\
         At the end of the last message:\n\nYou are bravo, a Mysis. Game account: none yet: register first\n"
    );
    let own = "{{name}} plays. Mission: {{mission}} {\"a\": {}}";
    std::fs::write(home.file("system-prompt.md"), own).expect("a prompt");
    let shown = home.ok(&["prompt", "show", "bravo"]);
    assert_eq!(shown, "bravo plays. Mission: find osmium {\"a\": {}}\n");
    let checked = home.ok(&["prompt", "check"]);
    let lines: Vec<&str> = checked.lines().collect();
    assert!(
        lines[0].ends_with("every placeholder is known"),
        "{checked}"
    );
    for (line, (placeholder, behind, who)) in lines[1..].iter().zip([
        ("{{name}}", 46, "for each Mysis"),
        ("{{mission}}", 21, "for each new mission"),
    ]) {
        let begin = format!("line 1: the model server reads everything after {placeholder} again");
        let whom = format!("{who}: {behind} of 46 bytes");
        assert!(
            line.starts_with(&begin) && line.contains(&whom),
            "{checked}"
        );
    }
    assert_eq!(lines.len(), 3, "{checked}");
    let (_, error) = home.fails(&["prompt", "show", "nobody"]);
    assert_eq!(error, "error: no mysis is called `nobody`\n");
}

#[test]
fn a_placeholder_that_nobody_fills_is_refused_at_start_at_reload_and_by_check() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let swarm = home.fly(&[]);
    let bad = "You are {{name}}.\nDo this: {{LATEST_BROADCAST}}";
    std::fs::write(home.file("system-prompt.md"), bad).expect("a prompt");
    let printed = "system-prompt.md:2:10: unknown placeholder {{LATEST_BROADCAST}}; did you mean \
                {{mission}}?";
    swarm.signal("-HUP");
    until("the reload is refused", || {
        let events = home.ok(&["events"]);
        let refused = events.lines().find(|line| line.contains("reload_failed"))?;
        refused.contains(printed).then_some(())
    });
    let (status, error) = home.fails(&["prompt", "check"]);
    assert!(status == 2 && error.contains(printed), "{status}: {error}");
    let output = home.run(&["doctor"]);
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains(printed), "{report}");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let (status, error) = home.fails(&["run", "--headless"]);
    assert!(status == 2 && error.contains(printed), "{status}: {error}");
}
