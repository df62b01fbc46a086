//! Tests of API keys: where they are looked up, and that none is ever shown.

use super::*;
use crate::VariableSettings;

#[test]
fn a_key_comes_from_the_variable_that_is_named() {
    let text = "[providers.local]\napi_key_env = 'CLOUD_KEY'\n";
    let load = |value: &[(&str, &str)]| {
        let loaded = Files::new().load(text, &variables(value));
        loaded.map(|loaded| {
            (
                loaded.settings.providers["local"].api_key.clone(),
                loaded.warnings,
            )
        })
    };
    let missing =
        "providers.local.api_key_env: CLOUD_KEY is not set, so requests are sent without a key";
    assert_eq!(
        load(&[("CLOUD_KEY", "sk-1\n")]),
        Ok((Some(Secret::new("sk-1")), vec![]))
    );
    let quoted = "providers.local.api_key_env: CLOUD_KEY is sent with the quotes in which it stands; \
        remove them if they are not part of it (docker --env-file keeps quotes)";
    assert_eq!(
        load(&[("CLOUD_KEY", "\"sk-1\"")]),
        Ok((Some(Secret::new("\"sk-1\"")), vec![quoted.to_owned()]))
    );
    assert_eq!(load(&[]), Ok((None, vec![missing.to_owned()])));
    assert_eq!(
        load(&[("CLOUD_KEY", "")]),
        Ok((None, vec![missing.to_owned()]))
    );
    let expected = "environment: CLOUD_KEY (providers.local.api_key_env) is not a key; \
        allowed: visible ASCII characters on one line";
    assert_eq!(
        load(&[("CLOUD_KEY", "sk-1 sk-2")]),
        Err(expected.to_owned())
    );
}

#[test]
fn a_key_in_place_of_the_variables_name_is_not_repeated() {
    let text = "[providers.local]\napi_key_env = 'gsk_veryverysecret'\n";
    let warnings = Files::new()
        .load(text, &Environment::default())
        .unwrap()
        .warnings;
    let expected = "providers.local.api_key_env: the variable named there is not set, so requests are sent without a key";
    assert_eq!(warnings, [expected]);
}

#[test]
fn a_key_comes_from_the_credentials_entry_that_is_named() {
    let text = "[providers.local]\napi_key_name = 'zen'\n";
    let load = |credentials: Option<&str>| {
        let files = Files::new();
        if let Some(credentials) = credentials {
            files.write(CREDENTIALS_FILE, 0o600, credentials);
        }
        let loaded = files.load(text, &Environment::default());
        loaded.map(|loaded| {
            (
                loaded.settings.providers["local"].api_key.clone(),
                loaded.warnings,
            )
        })
    };
    let missing = "providers.local.api_key_name: credentials.json has no key of that name, so requests are sent without one";
    let none = Ok((None, vec![missing.to_owned()]));
    assert_eq!(
        load(Some(r#"{"providers": {"zen": {"api_key": "sk-2"}}}"#)),
        Ok((Some(Secret::new("sk-2")), vec![]))
    );
    assert_eq!(load(None), none);
    assert_eq!(load(Some("{}")), none);
    assert_eq!(
        load(Some(r#"{"providers": {"zen": {"api_key": ""}}}"#)),
        none
    );
    let malformed =
        r#"credentials.json:1:33: not of the form {"providers": {"NAME": {"api_key": "…"}}}"#;
    assert_eq!(
        load(Some(r#"{"providers": {"zen": "sk-secret"}}"#)),
        Err(malformed.to_owned())
    );
    let unusable = "credentials.json: the api_key that providers.local.api_key_name names is not a key; allowed: visible ASCII characters on one line";
    assert_eq!(
        load(Some(r#"{"providers": {"zen": {"api_key": "a b"}}}"#)),
        Err(unusable.to_owned())
    );
}

#[test]
fn credentials_that_are_open_to_others_are_closed() {
    let files = Files::new();
    let credentials = files.write(CREDENTIALS_FILE, 0o644, "{}");
    let warnings = files.load("", &Environment::default()).unwrap().warnings;
    let expected = "credentials.json was open to other users (mode 0644) and is now closed to them (0600); \
        if they may have read it, replace the keys in it";
    assert_eq!(warnings, [expected]);
    assert_eq!(
        fs::metadata(&credentials).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        files.load("", &Environment::default()).unwrap().warnings,
        Vec::<String>::new()
    );
}

#[test]
fn printed_settings_show_no_secret() {
    let text = "[providers.local]\napi_key_env = 'CLOUD_KEY'\n[store]\ndatabase_url = 'postgres://u:hunter2@h/d'\n";
    let loaded = Files::new()
        .load(text, &variables(&[("CLOUD_KEY", "sk-1")]))
        .unwrap();
    let printed = format!("{loaded:?}");
    assert!(
        !printed.contains("sk-1") && !printed.contains("hunter2"),
        "{printed}"
    );
}

#[test]
fn a_registration_code_comes_from_its_variable_or_from_the_credentials() {
    let load = |text: &str, value: &[(&str, &str)]| {
        let files = Files::new();
        let credentials = r#"{"games": {"spacemolt": {"registration_code": "REG-7"}}}"#;
        files.write(CREDENTIALS_FILE, 0o600, credentials);
        let loaded = files.load(&format!("[mcp]\n{text}\n"), &variables(value));
        let loaded = loaded.unwrap();
        (loaded.settings.mcp.registration_code, loaded.warnings)
    };
    let code = |text: &str| Some(Secret::new(text));
    let variable = "registration_code_env = 'CODE'";
    let entry = "registration_code_name = 'spacemolt'";
    assert_eq!(load("", &[("CODE", "REG-8")]), (None, vec![]));
    assert_eq!(load(entry, &[]), (code("REG-7"), vec![]));
    assert_eq!(
        load(variable, &[("CODE", "REG-8")]),
        (code("REG-8"), vec![])
    );
    let both = format!("{variable}\n{entry}");
    assert_eq!(load(&both, &[("CODE", "REG-8")]), (code("REG-8"), vec![]));
    let missing =
        "mcp.registration_code_env: CODE holds no code, so `register` is sent without one";
    assert_eq!(load(variable, &[]), (None, vec![missing.to_owned()]));
    let missing = "mcp.registration_code_name: credentials.json holds no code, so `register` is sent without one";
    let unknown = "registration_code_name = 'chess'";
    assert_eq!(load(unknown, &[]), (None, vec![missing.to_owned()]));
}

#[test]
fn a_token_and_headers_of_the_game_come_from_variables_or_from_the_credentials() {
    let load = |text: &str, value: &[(&str, &str)]| {
        let files = Files::new();
        let credentials = r#"{"secrets": {"token": "tok-1", "tenant": "north"}}"#;
        files.write(CREDENTIALS_FILE, 0o600, credentials);
        let loaded = files.load(&format!("[mcp]\n{text}\n"), &variables(value));
        loaded.map(|loaded| {
            let mcp = loaded.settings.mcp;
            let headers = mcp.headers.iter().map(|header| {
                let value = header.value.as_ref().map(|value| value.expose().to_owned());
                (header.name.to_string(), value)
            });
            (
                mcp.token.clone(),
                headers.collect::<Vec<_>>(),
                loaded.warnings,
            )
        })
    };
    let tenant = |value: Option<&str>| vec![("x-tenant".to_owned(), value.map(str::to_owned))];
    let text = "token_name = 'token'\n[mcp.headers]\nX-Tenant = { env = 'TENANT' }";
    let token = Some(Secret::new("tok-1"));
    assert_eq!(
        load(text, &[("TENANT", "south")]),
        Ok((token.clone(), tenant(Some("south")), vec![]))
    );
    let missing =
        "mcp.headers.x-tenant: TENANT holds no usable value, so requests are sent without it";
    assert_eq!(
        load(text, &[("TENANT", "no\nline")]),
        Ok((token, tenant(None), vec![missing.to_owned()]))
    );
    let text = "token_env = 'TOKEN'\nheaders.X-Tenant = { name = 'tenant' }";
    let missing = "mcp.token: TOKEN holds no usable value, so requests are sent without it";
    assert_eq!(
        load(text, &[]),
        Ok((None, tenant(Some("north")), vec![missing.to_owned()]))
    );
    for (wrong, expected) in [
        (
            "headers.Host = { env = 'X' }",
            "mcp.headers.Host is not a header that can be set here",
        ),
        (
            "headers.Mcp-Name = { env = 'X' }",
            "mcp.headers.Mcp-Name is not a header that can be set here",
        ),
        ("headers.X-A = {}", "mcp.headers.X-A is without a value"),
        ("headers.X-A = 5", "mcp.headers.X-A is without a value"),
        (
            "token_env = 'T'\nheaders.Authorization = { env = 'X' }",
            "mcp.headers is with authorization beside a token",
        ),
    ] {
        let refused = load(wrong, &[]).unwrap_err();
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn the_value_of_a_header_is_found_in_a_variable_or_an_entry_and_never_shown() {
    let files = Files::new();
    files.write(
        CREDENTIALS_FILE,
        0o600,
        r#"{"secrets": {"org": "org secret"}}"#,
    );
    let set = variables(&[("TITLE", "our swarm")]);
    // Beside the form of today, which is the same everywhere, a bare text is read as it was once.
    for forms in [
        "X-Title = { env = 'TITLE' }, X-Org = { name = 'org' }",
        "X-Title = 'TITLE', X-Org = 'org'",
    ] {
        let text =
            format!("[providers.local]\nheaders = {{ {forms} }}\n[mcp]\nheaders = {{ {forms} }}\n");
        let loaded = files.load(&text, &set).unwrap();
        let expected = [("x-org", "org secret"), ("x-title", "our swarm")];
        let expected = expected.map(|(name, value)| (name.to_owned(), Some(Secret::new(value))));
        let local = &loaded.settings.providers["local"];
        for headers in [&local.headers, &loaded.settings.mcp.headers] {
            let headers = headers.iter();
            let mut headers: Vec<_> = headers
                .map(|header| (header.name.to_string(), header.value.clone()))
                .collect();
            headers.sort_by(|one, other| one.0.cmp(&other.0));
            assert_eq!(headers, expected, "{forms}");
        }
        assert!(!format!("{local:?}").contains("org secret"));
        let bare = Files::new().load(&text, &Environment::default()).unwrap();
        assert_eq!(bare.warnings.len(), 4, "{:?}", bare.warnings);
        assert!(bare.warnings[0].contains("requests are sent without it"));
    }
    for wrong in [
        "Host = 'TITLE'",
        "'a b' = 'TITLE'",
        "X-Title = 7",
        "X-Title = ''",
        "X-Title = {}",
        "X-Title = { value = 'x' }",
    ] {
        let text = format!("[providers.local]\nheaders = {{ {wrong} }}\n");
        let refused = Files::new().load(&text, &Environment::default());
        assert!(refused.is_err(), "{wrong}");
    }
}

#[test]
fn the_process_of_a_server_gets_what_is_named_for_it_and_what_finds_its_way() {
    let text = "[mcp]\ncommand = ['game', '--fast']\n[mcp.env]\nGAME_KEY = { env = 'MY_KEY' }\n\
                WORD = { name = 'word' }\nGONE = { env = 'NOT_SET' }\nLOG_LEVEL = 'MY_KEY'\n\
                API_KEY = 'in plain'\nEMPTY = ''\nPORT = 8080\nRATE = 0.5\nDEBUG = true\n";
    let files = Files::new();
    files.write(
        CREDENTIALS_FILE,
        0o600,
        r#"{"secrets": {"word": "two words"}}"#,
    );
    let set = [
        ("MY_KEY", "k-1"),
        ("PATH", "/bin"),
        ("HOME", "/home/a"),
        ("OPENAI_API_KEY", "sk"),
    ];
    let loaded = files.load(text, &variables(&set)).unwrap();
    let mcp = &loaded.settings.mcp;
    assert_eq!(
        (&mcp.upstream, &*mcp.command),
        (&None, &["game", "--fast"].map(str::to_owned)[..])
    );
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        mcp.inherited,
        [pair("HOME", "/home/a"), pair("PATH", "/bin")]
    );
    let value = |name: &str| {
        let found = mcp.variables.iter().find(|of| of.name == name).unwrap();
        found.value.as_ref().map(|value| value.expose().to_owned())
    };
    assert_eq!(value("GAME_KEY"), Some("k-1".to_owned()));
    assert_eq!(value("WORD"), Some("two words".to_owned()));
    assert_eq!(value("GONE"), None);
    // A bare text is the value, as the pages of servers have it.
    assert_eq!(value("LOG_LEVEL"), Some("MY_KEY".to_owned()));
    for (name, bare) in [("PORT", "8080"), ("RATE", "0.5"), ("DEBUG", "true")] {
        assert_eq!(value(name), Some(bare.to_owned()));
    }
    assert_eq!(value("EMPTY"), Some(String::new()));
    let secret = |of: &VariableSettings| of.secret().map(|_| of.name.clone());
    let secrets: Vec<String> = mcp.variables.iter().filter_map(secret).collect();
    assert_eq!(secrets, ["API_KEY", "GAME_KEY", "WORD"]);
    let warning =
        "mcp.env.GONE: NOT_SET holds no usable value, so the server's process runs without it";
    assert_eq!(loaded.warnings, [warning]);
}

#[test]
fn the_command_of_alerts_gets_what_leads_to_the_operator_and_no_key() {
    let text = "[providers.local]\napi_key_env = 'COLOUR'\n[alerts]\ncommand = ['tell']\n";
    let set = [
        ("COLOUR", "k-1"),
        ("AWS_SECRET_ACCESS_KEY", "k-2"),
        ("DISPLAY", ":0"),
        ("PATH", "/bin"),
        ("TZ", "UTC"),
    ];
    let loaded = Files::new().load(text, &variables(&set)).unwrap();
    let seen = &loaded.settings.alerts.inherited;
    let names: Vec<&str> = seen.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["PATH", "TZ", "DISPLAY"]);
}

#[test]
fn a_command_excludes_what_is_about_a_url() {
    let expected = |text: &str, set: &[(&str, &str)]| {
        Files::new()
            .load(&format!("[mcp]\n{text}"), &variables(set))
            .err()
    };
    let command = "command = ['game']\n";
    let beside = |more: &str| expected(&format!("{command}{more}"), &[]).unwrap_or_default();
    assert_eq!(expected(command, &[]), None);
    assert_eq!(expected(&format!("{command}upstream = ''"), &[]), None);
    for url in ["https://game.spacemolt.com/mcp", "offline"] {
        let refused = beside(&format!("upstream = '{url}'"));
        assert!(
            refused.contains("mcp.command is given beside upstream"),
            "{refused}"
        );
    }
    let variable = [("ZOEA_MCP_ENDPOINT", "http://127.0.0.1:9/mcp")];
    let refused = expected(command, &variable).unwrap_or_default();
    assert!(
        refused.contains("(or ZOEA_MCP_ENDPOINT); allowed: one of the two"),
        "{refused}"
    );
    for key in [
        "token_env = 'T'",
        "token_name = 't'",
        "headers.X-A = { env = 'A' }",
    ] {
        let refused = beside(key);
        assert!(refused.contains("is given beside command"), "{refused}");
    }
    let refused = expected("command = [' ']", &[]).unwrap_or_default();
    assert!(
        refused.contains("mcp.command is without a program"),
        "{refused}"
    );
    let refused = beside("env.'A B' = { env = 'A' }");
    assert!(
        refused.contains("mcp.env.\"A B\" is not the name of a variable"),
        "{refused}"
    );
}

#[test]
fn members_of_the_body_are_taken_as_they_stand_but_for_those_that_are_ours() {
    let text =
        "[providers.local.extra]\ntop_p = 0.9\nn = 1\nstop = ['a']\nreasoning.effort = 'low'\n";
    let loaded = Files::new().load(text, &Environment::default()).unwrap();
    let extra = &loaded.settings.providers["local"].extra;
    let expected = r#"{"n":1,"reasoning":{"effort":"low"},"stop":["a"],"top_p":0.9}"#;
    assert_eq!(serde_json::to_string(extra).unwrap(), expected);
    let refused = Files::new().load(
        "[providers.local]\nextra = { messages = [] }\n",
        &Environment::default(),
    );
    let refused = refused.unwrap_err();
    assert!(refused.contains("a table with messages"), "{refused}");
}
