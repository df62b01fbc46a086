//! Tests of the files and environment variables that a configuration comes from.

use super::*;

#[test]
fn what_is_no_toml_is_one_mistake_without_a_quotation() {
    let cases = [
        (
            "a = \"sk-secret\nb = 1",
            "z:1:15: not TOML: invalid basic string, expected `\"`",
        ),
        (
            "[swarm]\nmax_myses =\n",
            "z:2:12: not TOML: string values must be quoted, expected literal string",
        ),
        (
            "[swarm]\nmax_myses = 1\nmax_myses = 2\n",
            "z:3:1: not TOML: duplicate key",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn a_mark_at_the_start_of_the_file_is_passed_over() {
    assert_eq!(
        parse("\u{feff}swarm = 1"),
        Err("z:1:9: swarm is 1; allowed: a table".to_owned())
    );
}

#[test]
fn the_chosen_file_has_to_be_there_and_the_usual_ones_need_not() {
    let files = Files::new();
    let nowhere = files.source(Some(files.0.path().join("none.toml")));
    let error = Settings::load(&nowhere, &Environment::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with(
            "none.toml: the configuration cannot be read: No such file or directory (os error 2)"
        ),
        "{error}"
    );

    let load = || Settings::load(&files.source(None), &Environment::default()).unwrap();
    let defaults = LoadedSettings {
        settings: Settings::default(),
        file: None,
        warnings: Vec::new(),
    };
    assert_eq!(load(), defaults);
    let second = files.write("second.toml", 0o644, "[swarm]\nmax_myses = 2\n");
    assert_eq!(
        (load().file, load().settings.swarm.rules.max_myses),
        (Some(second), 2)
    );
    let first = files.write("first.toml", 0o644, "[swarm]\nmax_myses = 1\n");
    assert_eq!(
        (load().file, load().settings.swarm.rules.max_myses),
        (Some(first), 1)
    );
}

#[test]
fn a_source_looks_here_first_and_then_in_the_home() {
    let source = ConfigSource::new(None, Path::new("/home/zoea"));
    assert_eq!(
        source.usual,
        [PathBuf::from("./zoea.toml"), "/home/zoea/zoea.toml".into()]
    );
    assert_eq!(
        source.credentials,
        PathBuf::from("/home/zoea/credentials.json")
    );
}

#[test]
fn a_file_that_is_no_text_is_said_to_be_none() {
    let files = Files::new();
    let path = files.0.path().join("zoea.toml");
    fs::write(&path, b"[swarm]\n# \xff\n").unwrap();
    let error = Settings::load(&files.source(Some(path)), &Environment::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("zoea.toml:2:3: not UTF-8 text, as TOML has to be"),
        "{error}"
    );
    let directory = files.source(Some(files.0.path().to_owned()));
    let error = Settings::load(&directory, &Environment::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the configuration cannot be read: "),
        "{error}"
    );
}

#[test]
fn the_environment_outranks_the_file() {
    let files = Files::new();
    let text = "[swarm]\nmax_myses = 2\n[mcp]\nupstream = 'http://file/mcp'\n";
    let load = |variables_: &[(&str, &str)]| {
        let settings = files.load(text, &variables(variables_)).unwrap().settings;
        (settings.swarm.rules.max_myses, settings.mcp.upstream)
    };
    assert_eq!(load(&[]), (2, Some("http://file/mcp".into())));
    let both = [
        ("ZOEA_MAX_MYSES", " 9 "),
        ("ZOEA_MCP_ENDPOINT", "http://env/mcp"),
    ];
    assert_eq!(load(&both), (9, Some("http://env/mcp".into())));
    assert_eq!(load(&[("ZOEA_MCP_ENDPOINT", "")]), (2, None));

    let without_file = Settings::load(&files.source(None), &variables(&both)).unwrap();
    assert_eq!(without_file.settings.swarm.rules.max_myses, 9);
}

#[test]
fn mistakes_of_the_environment_are_listed_after_those_of_the_file() {
    let endpoint = ("ZOEA_MCP_ENDPOINT", "game?key=sk-secret");
    let wrong = [("ZOEA_MAX_MYSES", "many"), endpoint];
    let expected = "zoea.toml:1:1: unknown key colour; known here: providers, roles, swarm, mcp, supervision, budget, progress, value, routines, control, metrics, traces, alerts, reports, store, tui, myses\n\
        environment: ZOEA_MCP_ENDPOINT is \"game\" with a query or a fragment (not shown here); allowed: an http or https URL, \"offline\" for the built-in game, or \"\" for no server\n\
        environment: ZOEA_MAX_MYSES is \"many\"; allowed: a whole number from 1 to 10000";
    assert_eq!(
        Files::new().load("colour = 1\n", &variables(&wrong)),
        Err(expected.to_owned())
    );
}

#[test]
fn the_roster_has_to_fit_the_limit_of_the_environment() {
    let text = "[[myses]]\nname='a'\n[[myses]]\nname='b'\n";
    let outcome = Files::new().load(text, &variables(&[("ZOEA_MAX_MYSES", "1")]));
    let expected = "zoea.toml:1:1: myses is a list of 2; allowed: up to 1, the limit that swarm.max_myses sets";
    assert_eq!(outcome, Err(expected.to_owned()));
}
