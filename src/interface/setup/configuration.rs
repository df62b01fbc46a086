//! The configuration that setup writes: the answers, and all other settings of the file before.

use std::fmt::Write as _;

use toml::{Table, Value};
use url::Url;
use zoea_settings::SPACEMOLT;

use super::answers::{Answers, DailyCap, GAME_ENTRY, KeyAnswer};

/// The number of Myses up to which `max_myses` keeps its default.
const USUAL_MAX_MYSES: usize = 16;

/// The text of a configuration with these answers. `present` is the text of the file now: its
/// comments are lost, its other settings are kept.
///
/// # Errors
/// `present` is not valid TOML.
pub fn render_configuration(present: &str, answers: &Answers) -> Result<String, toml::de::Error> {
    let mut root: Table = present.trim_start_matches('\u{feff}').parse()?;
    set_provider(&mut root, answers);
    set_game(&mut root, answers);
    set_myses(&mut root, answers);
    set_cap(&mut root, answers.cap);
    let mut text = "# Written by `zoea setup`; all else is default, see `zoea init`.\n".to_string();
    write_table(&mut text, "", &root);
    Ok(text)
}

fn set_provider(root: &mut Table, answers: &Answers) {
    let server = &answers.server;
    let providers = table(root, "providers");
    let mut provider = match providers.remove(&server.name) {
        Some(Value::Table(provider)) => provider,
        Some(_) | None => Table::new(),
    };
    let text = |text: &str| Value::String(text.to_string());
    let is_same_server = provider.get("endpoint") == Some(&text(&server.endpoint));
    let is_same_model = provider.get("model") == Some(&text(&answers.model.name));
    if !is_same_server {
        // Headers hold secrets of another server.
        provider.remove("headers");
        provider.remove("extra");
    }
    if !is_same_server || !is_same_model {
        // These settings described another server or another model.
        let of_others = [
            "price",
            "context_tokens",
            "kind",
            "reasoning_back",
            "cache_marks",
        ];
        for key in of_others {
            provider.remove(key);
        }
    }
    provider.insert("endpoint".to_string(), text(&server.endpoint));
    provider.insert("model".to_string(), text(&answers.model.name));
    set_secret(&mut provider, "api_key", &answers.key, &server.name);
    if let Some(tokens) = answers
        .model
        .context_tokens
        .and_then(|n| i64::try_from(n).ok())
    {
        provider.insert("context_tokens".to_string(), Value::Integer(tokens));
    }
    if let Some(price) = answers.model.price {
        let mut prices = Table::new();
        prices.insert("input".to_string(), Value::Float(price.input));
        prices.insert("output".to_string(), Value::Float(price.output));
        if let Some(cached) = price.cached {
            prices.insert("cached".to_string(), Value::Float(cached));
        }
        provider.insert("price".to_string(), Value::Table(prices));
    }
    providers.insert(server.name.clone(), Value::Table(provider));
    let is_only = providers.len() == 1;
    if is_only && !root.contains_key("swarm") {
        return;
    }
    let name = text(&server.name);
    table(root, "swarm").insert("default_provider".to_string(), name);
}

fn set_game(root: &mut Table, answers: &Answers) {
    let mcp = table(root, "mcp");
    let before = mcp.get("upstream").and_then(Value::as_str);
    let before = before.unwrap_or(SPACEMOLT);
    if origin_of(before) != origin_of(&answers.game) {
        // They hold secrets of another server.
        for key in ["token_env", "token_name", "headers"] {
            mcp.remove(key);
        }
    }
    if !answers.game.is_empty() {
        // An address takes the place of a program, whose variables may hold its secrets.
        mcp.remove("command");
        mcp.remove("env");
    }
    let upstream = Value::String(answers.game.clone());
    mcp.insert("upstream".to_string(), upstream);
    set_secret(mcp, "registration_code", &answers.code, GAME_ENTRY);
}

/// The server of an address; `None` if it is none.
fn origin_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    Some(url.origin().ascii_serialization())
}

/// Sets where a secret is found. A secret that was typed in is in the credentials under `entry`.
fn set_secret(section: &mut Table, key: &str, secret: &KeyAnswer, entry: &str) {
    let (in_variable, in_entry) = (format!("{key}_env"), format!("{key}_name"));
    section.remove(&in_variable);
    section.remove(&in_entry);
    let (place, name) = match secret {
        KeyAnswer::None => return,
        KeyAnswer::Variable(name) => (in_variable, name.as_str()),
        KeyAnswer::Stored(name) => (in_entry, name.as_str()),
        KeyAnswer::Typed(_) => (in_entry, entry),
    };
    section.insert(place, Value::String(name.to_string()));
}

/// Sets the Myses. A Mysis that has settings of its own in the file keeps them.
fn set_myses(root: &mut Table, answers: &Answers) {
    let declared = match root.remove("myses") {
        Some(Value::Array(declared)) => declared,
        Some(_) | None => Vec::new(),
    };
    let named = |name: &String| {
        let is_named = |one: &&Value| one.get("name").and_then(Value::as_str) == Some(name);
        let known = declared.iter().find(is_named).cloned();
        known.unwrap_or_else(|| {
            let mut one = Table::new();
            one.insert("name".to_string(), Value::String(name.clone()));
            Value::Table(one)
        })
    };
    let myses = answers.myses.iter().map(named).collect();
    root.insert("myses".to_string(), Value::Array(myses));
    let most = root.get("swarm").and_then(|swarm| swarm.get("max_myses"));
    let most = most.and_then(Value::as_integer);
    let most = most.map_or(USUAL_MAX_MYSES, |most| usize::try_from(most).unwrap_or(0));
    if answers.myses.len() > most {
        let wanted = i64::try_from(answers.myses.len()).unwrap_or(i64::MAX);
        table(root, "swarm").insert("max_myses".to_string(), Value::Integer(wanted));
    }
}

/// Sets the cap. The limit of the other kind stays, unless there is to be none.
fn set_cap(root: &mut Table, cap: DailyCap) {
    const LIMITS: [&str; 2] = ["usd_per_day", "tokens_per_day"];
    let budget = table(root, "budget");
    match cap {
        DailyCap::Dollars(dollars) => {
            let present = budget.get("usd_per_day").and_then(as_dollars);
            // The limit that setup proposes is of full millionths; the file keeps it as it is written.
            let is_same = present.is_some_and(|present| (present - dollars).abs() < 1e-6);
            if !is_same {
                budget.insert("usd_per_day".to_string(), Value::Float(dollars));
            }
        }
        DailyCap::Tokens(tokens) => {
            let tokens = i64::try_from(tokens).unwrap_or(i64::MAX);
            budget.insert("tokens_per_day".to_string(), Value::Integer(tokens));
        }
        DailyCap::Unlimited => {
            for key in LIMITS {
                let present = budget.get(key).and_then(Value::as_str);
                if present != Some("unlimited") {
                    budget.remove(key);
                }
            }
            if !LIMITS.iter().any(|key| budget.contains_key(*key)) {
                let unlimited = Value::String("unlimited".to_string());
                budget.insert("usd_per_day".to_string(), unlimited);
            }
        }
    }
}

/// A number of dollars, with or without cents.
fn as_dollars(value: &Value) -> Option<f64> {
    let whole = || {
        value
            .as_integer()
            .and_then(|whole| i32::try_from(whole).ok())
    };
    value.as_float().or_else(|| whole().map(f64::from))
}

/// The table with this name. It is created if it is missing.
fn table<'a>(root: &'a mut Table, name: &str) -> &'a mut Table {
    let entry = root.entry(name.to_string());
    let value = entry.or_insert_with(|| Value::Table(Table::new()));
    if !value.is_table() {
        *value = Value::Table(Table::new());
    }
    value.as_table_mut().expect("it was made one")
}

/// Writes a table: first its values of one line, then its tables under their own headings.
fn write_table(text: &mut String, path: &str, table: &Table) {
    let is_section = |key: &str, value: &Value| value.is_table() && key != "price";
    let mut is_headed = path.is_empty();
    for (key, value) in table.iter().filter(|(key, value)| !is_section(key, value)) {
        if !is_headed {
            let _ = writeln!(text, "[{path}]");
            is_headed = true;
        }
        let _ = writeln!(text, "{} = {value}", quote_key(key));
    }
    for (key, value) in table {
        if let Some(inner) = value.as_table().filter(|_| is_section(key, value)) {
            let key = quote_key(key);
            let inner_path = if path.is_empty() {
                key
            } else {
                format!("{path}.{key}")
            };
            write_table(text, &inner_path, inner);
        }
    }
}

fn quote_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(is_bare) {
        return key.to_string();
    }
    Value::String(key.to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use actors::domain::price::TokenPrice;

    use super::*;
    use crate::interface::setup::{ModelChoice, ServerChoice};
    use zoea_settings::Secret;

    fn answers() -> Answers {
        Answers {
            server: ServerChoice {
                name: "openai".to_string(),
                endpoint: "https://api.openai.com/v1".to_string(),
            },
            key: KeyAnswer::Typed(Secret::new("sk-1234567890")),
            model: ModelChoice {
                name: "gpt-5-mini".to_string(),
                ..ModelChoice::default()
            },
            game: "https://game.spacemolt.com/mcp".to_string(),
            code: KeyAnswer::None,
            myses: ["alpha", "beta"].map(str::to_string).to_vec(),
            cap: DailyCap::Dollars(2.0),
        }
    }

    #[test]
    fn a_new_configuration_is_short_and_holds_no_key() {
        let text = render_configuration("", &answers()).unwrap();
        assert_eq!(
            text,
            "# Written by `zoea setup`; all else is default, see `zoea init`.\n\
             myses = [{ name = \"alpha\" }, { name = \"beta\" }]\n\
             [budget]\nusd_per_day = 2.0\n\
             [mcp]\nupstream = \"https://game.spacemolt.com/mcp\"\n\
             [providers.openai]\napi_key_name = \"openai\"\nendpoint = \"https://api.openai.com/v1\"\n\
             model = \"gpt-5-mini\"\n"
        );
    }

    #[test]
    fn everything_told_and_many_myses_still_make_fifteen_lines() {
        let mut all = answers();
        all.model.context_tokens = Some(128_000);
        all.model.price = Some(TokenPrice {
            input: 0.25,
            output: 2.0,
            cached: Some(0.025),
        });
        all.code = KeyAnswer::Typed(Secret::new("REG-7"));
        all.myses = (0..40).map(|number| format!("m{number}")).collect();
        let text = render_configuration("", &all).unwrap();
        assert!(text.lines().count() <= 15, "{text}");
        assert!(
            text.contains("price = { cached = 0.025, input = 0.25, output = 2.0 }"),
            "{text}"
        );
        assert!(text.contains("max_myses = 40"), "{text}");
        let code = "registration_code_name = \"game\"";
        assert!(text.contains(code) && !text.contains("REG-7"), "{text}");
    }

    #[test]
    fn what_else_stood_there_stays() {
        let present = "[tui]\ntheme = \"light\"\n[providers.\"my server\"]\nendpoint = \"http://a/v1\"\n\
                       model = \"m\"\n[budget]\ntokens_per_day = 7\ntokens_per_mysis_per_day = 3\n\
                       [[myses]]\nname = \"alpha\"\nprovider = \"my server\"\n[swarm]\nturn_pause = \"5s\"\n";
        let mut changed = answers();
        changed.cap = DailyCap::Unlimited;
        let text = render_configuration(present, &changed).unwrap();
        for kept in [
            "theme = \"light\"",
            "[providers.\"my server\"]",
            "tokens_per_mysis_per_day = 3",
            "turn_pause = \"5s\"",
            "{ name = \"alpha\", provider = \"my server\" }",
            "default_provider = \"openai\"",
            "usd_per_day = \"unlimited\"",
        ] {
            assert!(text.contains(kept), "{kept} in {text}");
        }
        assert!(!text.contains("tokens_per_day = 7"), "{text}");
        let again = render_configuration(&text, &changed).unwrap();
        assert_eq!(again, text);
    }

    #[test]
    fn the_limit_of_the_other_kind_stays_unless_there_is_to_be_none() {
        use DailyCap::{Dollars, Tokens, Unlimited};
        let limits = |present: &str, cap: DailyCap| {
            let changed = Answers { cap, ..answers() };
            let present = format!("[budget]\n{present}");
            let text = render_configuration(&present, &changed).unwrap();
            let root: Table = text.parse().unwrap();
            root["budget"].to_string()
        };
        let (both, lifted) = (
            "usd_per_day = 5\ntokens_per_day = 1_000_000\n",
            "tokens_per_day = \"unlimited\"\n",
        );
        for (present, cap, left) in [
            (
                both,
                Dollars(5.0),
                "{ tokens_per_day = 1000000, usd_per_day = 5 }",
            ),
            (
                both,
                Dollars(2.5),
                "{ tokens_per_day = 1000000, usd_per_day = 2.5 }",
            ),
            (both, Tokens(7), "{ tokens_per_day = 7, usd_per_day = 5 }"),
            (both, Unlimited, "{ usd_per_day = \"unlimited\" }"),
            (
                "usd_per_day = 0.1234567\n",
                Dollars(0.123_457),
                "{ usd_per_day = 0.1234567 }",
            ),
            (lifted, Unlimited, "{ tokens_per_day = \"unlimited\" }"),
            (
                lifted,
                Dollars(1.0),
                "{ tokens_per_day = \"unlimited\", usd_per_day = 1.0 }",
            ),
        ] {
            assert_eq!(limits(present, cap), left, "{present}, {cap}");
        }
    }

    #[test]
    fn what_goes_to_one_server_goes_to_no_other() {
        let present = "[mcp]\ntoken_env = \"GAME_TOKEN\"\ndeny_tools = [\"attack\"]\n\
                       [mcp.headers]\nX-Tenant = { env = \"TENANT\" }\n\
                       [providers.openai]\nendpoint = \"https://api.openai.com/v1\"\n\
                       model = \"gpt-5-mini\"\nheaders = { X-Team = \"TEAM\" }\n";
        let has = |answers: &Answers| {
            let text = render_configuration(present, answers).unwrap();
            assert!(text.contains("deny_tools"), "{text}");
            ["GAME_TOKEN", "TENANT", "TEAM"].map(|name| text.contains(name))
        };
        let mut changed = answers();
        assert_eq!(has(&changed), [true, true, true]);
        changed.game = "https://game.spacemolt.com/mcp/v2".to_string();
        changed.model.name = "gpt-5".to_string();
        assert_eq!(has(&changed), [true, true, true]);
        changed.game = "http://127.0.0.1:3111/mcp".to_string();
        assert_eq!(has(&changed), [false, false, true]);
        changed.server.endpoint = "http://127.0.0.1:8080/v1".to_string();
        assert_eq!(has(&changed), [false, false, false]);
    }

    #[test]
    fn an_address_takes_the_place_of_a_program_and_no_address_leaves_it() {
        let present = "[mcp]\ncommand = [\"game\"]\n[mcp.env]\nKEY = { env = \"KEY\" }\n";
        let rendered = |game: &str| {
            let mut changed = answers();
            changed.game = game.to_string();
            render_configuration(present, &changed).unwrap()
        };
        let text = rendered("offline");
        assert!(text.contains("upstream = \"offline\""), "{text}");
        assert!(!text.contains("command") && !text.contains("KEY"), "{text}");
        let text = rendered("");
        assert!(text.contains("command = [\"game\"]"), "{text}");
        assert!(
            text.contains("upstream = \"\"") && text.contains("KEY"),
            "{text}"
        );
    }

    #[test]
    fn what_was_said_of_another_model_goes() {
        let present = "[providers.openai]\nendpoint = \"https://api.openai.com/v1\"\nmodel = \"other\"\n\
                       context_tokens = 5\nstream = false\nprice = { input = 1, output = 1 }\n";
        let text = render_configuration(present, &answers()).unwrap();
        assert!(
            !text.contains("price") && !text.contains("context_tokens"),
            "{text}"
        );
        assert!(text.contains("stream = false"), "{text}");
    }
}
