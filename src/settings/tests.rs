//! Tests of whole configurations: every rule with a value that breaks it, and what is said about it.

mod files;
mod keys;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;
use zoea_tui::dashboard::appearance::{Letters, Motion, MouseUse, Notify, Theme};

use super::*;

/// The settings of `text`, or the mistakes in it, one a line.
fn parse(text: &str) -> Result<Settings, String> {
    let (settings, mistakes) = document::parse(Path::new("z"), text, Overrides::default());
    if mistakes.is_empty() {
        Ok(settings)
    } else {
        Err(SettingsError { mistakes }.to_string())
    }
}

/// A place of its own for files, looked at as a home directory.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, mode: u32, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn source(&self, chosen: Option<PathBuf>) -> ConfigSource {
        ConfigSource {
            chosen,
            usual: vec![
                self.0.path().join("first.toml"),
                self.0.path().join("second.toml"),
            ],
            credentials: self.0.path().join(CREDENTIALS_FILE),
        }
    }

    /// Loads the text as the chosen file; the directory's name is left out of errors and warnings.
    fn load(&self, text: &str, environment: &Environment) -> Result<LoadedSettings, String> {
        let file = self.write("zoea.toml", 0o600, text);
        let without_directory =
            |said: String| said.replace(&format!("{}/", self.0.path().display()), "");
        Settings::load(&self.source(Some(file)), environment)
            .map_err(|error| without_directory(error.to_string()))
            .map(|mut loaded| {
                loaded.warnings = loaded.warnings.into_iter().map(without_directory).collect();
                loaded
            })
    }
}

fn variables(variables: &[(&str, &str)]) -> Environment {
    Environment::new(variables.iter().copied())
}

#[test]
fn an_empty_text_gives_the_defaults() {
    assert_eq!(parse(""), Ok(Settings::default()));
    assert_eq!(
        parse("[swarm]\n[providers]\n[mcp]\n[store]\n"),
        Ok(Settings::default())
    );
}

#[test]
fn every_key_is_read() {
    let text = r#"
        [swarm]
        max_myses = 0x20
        default_provider = "cloud"
        turn_pause = "500ms"
        max_tool_iterations = 100
        context_window = 1_000
        context_budget = "1 MiB"
        nudges = ["go"]
        no_progress_turns = 7
        search_others = false
        resume = true
        [providers.local]
        [providers.cloud]
        endpoint = "https://api.example.com/v1/"
        kind = "openai"
        model = "big"
        temperature = 0
        api_key_env = "CLOUD_KEY"
        stream = false
        timeout = "1m"
        max_concurrency = 8
        requests_per_minute = 90
        retry = []
        fallback = "local"
        price = { input = 0, output = 0.6 }
        context_tokens = 128000
        [mcp]
        upstream = ""
        tool_timeout = "1h30m"
        retry = ["1s"]
        logins_per_minute = 1
        [progress]
        watch = "off"
        turns = 9
        at_least = "0s"
        provider = "cloud"
        park = "off"
        [supervision]
        relaunch = "transient"
        backoff = ["2s", "2s"]
        max_relaunches = 0
        within = "1h"
        [budget]
        tokens_per_mysis_per_day = 2_000_000
        usd_per_day = 5
        [control]
        listen = "[::1]:7000"
        [reports]
        daily = "html"
        [alerts]
        webhook = "https://hooks.test/secret"
        token_env = "HOOK_TOKEN"
        command = ["tell", "me"]
        timeout = "3s"
        cool_down = "1h"
        [traces]
        endpoint = "http://collector:4318/"
        contents = true
        [metrics]
        listen = "0.0.0.0:9464"
        allow_remote = true
        [store]
        database_url = "postgres://u:p@h/d"
        keep = "12h"
        keep_rows = 0
        [tui]
        theme = "contrast"
        letters = "ascii"
        motion = "reduced"
        mouse = "off"
        notify = "bell"
        [[myses]]
        name = "alpha"
        provider = "local"
        [[myses]]
        name = "Zoë.9_-"
    "#;
    let cloud = ProviderSettings {
        endpoint: "https://api.example.com/v1".into(),
        kind: ProviderKind::OpenAi,
        model: "big".into(),
        temperature: 0.0,
        key_source: KeySource::Variable("CLOUD_KEY".into()),
        api_key: None,
        stream: false,
        timeout: Duration::from_secs(60),
        max_concurrency: 8,
        requests_per_minute: Some(90),
        tokens_per_minute: None,
        circuit_failures: 5,
        circuit_wait: Duration::from_secs(4),
        retry: Vec::new(),
        fallback: Some("local".into()),
        price: Some(PriceSettings {
            input: 0.0,
            output: 0.6,
            cached: None,
        }),
        context_tokens: Some(128_000),
    };
    let expected = Settings {
        swarm: SwarmSettings {
            max_myses: 32,
            default_provider: "cloud".into(),
            turn_pause: Duration::from_millis(500),
            max_tool_iterations: 100,
            context_window: 1000,
            context_budget: 1 << 20,
            nudges: vec!["go".into()],
            no_progress_turns: 7,
            search_others: false,
            resume: true,
        },
        providers: [
            ("local".into(), ProviderSettings::default()),
            ("cloud".into(), cloud),
        ]
        .into(),
        mcp: McpSettings {
            upstream: None,
            tool_timeout: Duration::from_secs(5400),
            retry: vec![Duration::from_secs(1)],
            logins_per_minute: 1,
        },
        supervision: SupervisionSettings {
            relaunch: RelaunchSetting::Transient,
            backoff: Backoff {
                first: Duration::from_secs(2),
                longest: Duration::from_secs(2),
            },
            max_relaunches: 0,
            within: Duration::from_secs(3600),
        },
        budget: BudgetSettings {
            tokens_per_mysis_per_day: Some(2_000_000),
            usd_per_day: Some(5.0),
            ..BudgetSettings::default()
        },
        progress: ProgressSettings {
            watch: false,
            turns: 9,
            at_least: Duration::ZERO,
            provider: Some("cloud".into()),
            park: false,
        },
        control: ControlSettings {
            listen: "[::1]:7000".parse().unwrap(),
        },
        reports: ReportSettings {
            daily: Some(DailyReport::Html),
        },
        alerts: AlertSettings {
            webhook: Some(Secret::new("https://hooks.test/secret")),
            token_env: Some("HOOK_TOKEN".to_owned()),
            token: None,
            command: vec!["tell".to_owned(), "me".to_owned()],
            timeout: Duration::from_secs(3),
            cool_down: Duration::from_secs(3600),
        },
        traces: TraceSettings {
            endpoint: Some("http://collector:4318".to_owned()),
            contents: true,
        },
        metrics: MetricsSettings {
            allow_remote: true,
            listen: Some("0.0.0.0:9464".parse().unwrap()),
        },
        store: StoreSettings {
            database_url: Some(Secret::new("postgres://u:p@h/d")),
            keep: Some(Duration::from_secs(12 * 3600)),
            keep_rows: 0,
        },
        tui: TuiSettings {
            theme: Some(Theme::HighContrast),
            letters: Some(Letters::Ascii),
            motion: Motion::Reduced,
            mouse: MouseUse::Terminals,
            notify: Notify::Bell,
        },
        myses: vec![
            DeclaredMysis {
                name: "alpha".into(),
                provider: Some("local".into()),
            },
            DeclaredMysis {
                name: "Zoë.9_-".into(),
                provider: None,
            },
        ],
    };
    assert_eq!(parse(text), Ok(expected));
}

/// Under each line that begins with `allowed:` stand settings that break that rule, and what is found.
const BROKEN_RULES: &str = r#"
allowed: a whole number from 1 to 10000
swarm: max_myses = 0 => 0
swarm: max_myses = 10001 => 10001
swarm: max_myses = -1 => -1
swarm: max_myses = "16" => "16"
swarm: max_myses = 1.5 => 1.5
swarm: max_myses = 99999999999999999999999999999999999999999 => 99999999999999999999999999999999999999999
allowed: "local"
swarm: default_provider = "lcoal" => "lcoal", which names no provider
allowed: a duration such as 500ms, 2s, 5m or 1h30m, at most 365days
swarm: turn_pause = "2 parsecs" => "2 parsecs"
swarm: turn_pause = 2 => 2
swarm: turn_pause = "366d" => "366d"
allowed: a whole number from 1 to 100
swarm: max_tool_iterations = 0 => 0
swarm: max_tool_iterations = 101 => 101
allowed: a whole number from 1 to 1000
swarm: context_window = 0 => 0
swarm: context_window = 1001 => 1001
swarm: no_progress_turns = 0 => 0
allowed: a size such as 64KiB, 1MiB or a number of bytes, from 8KiB to 16MiB
swarm: context_budget = 8191 => 8191
swarm: context_budget = "17MiB" => "17MiB"
swarm: context_budget = "64kb" => "64kb"
swarm: context_budget = -1 => -1
allowed: a list of 1 to 20 items, each a text that is not empty
swarm: nudges = [] => a list of 0
swarm: nudges = "go" => "go"
swarm: nudges = ["", "go", 3] => a list in which item 1 is "" and item 3 is 3
allowed: an http or https URL to which /chat/completions can be appended
providers.local: endpoint = "ftp://h/v1" => "ftp://h/v1"
providers.local: endpoint = "127.0.0.1:11434" => "127.0.0.1:11434"
providers.local: endpoint = "http://h/v1 x" => "http://h/v1 x"
providers.local: endpoint = "http://h/v1<x>" => "http://h/v1<x>"
providers.local: endpoint = "http://h/v1#a" => "http://h/v1#a"
providers.local: endpoint = "http://" => "http://"
providers.local: endpoint = "" => ""
providers.local: endpoint = "http://h/v1?a=b" => "http://h/v1?a=b", which has a query
providers.local: endpoint = "http://h/chat/completions/" => "http://h/chat/completions/", to which /chat/completions would be appended again
providers.local: endpoint = "http://u:secret@h/v1" => a URL with a user name or password in it (not shown here)
providers.local: endpoint = "u:secret@h/v1" => no such URL (not shown here)
allowed: "openai" or "ollama"
providers.local: kind = "openAI" => "openAI"
allowed: a text that is not empty
providers.local: model = " " => " "
providers.local: api_key_name = "" => ""
allowed: a number from 0 to 2
providers.local: temperature = 2.1 => 2.1
providers.local: temperature = -1 => -1
providers.local: temperature = nan => nan
providers.local: temperature = true => true
allowed: the name of an environment variable, such as OPENAI_API_KEY (a key itself never stands in this file)
providers.local: api_key_env = "sk-abc" => another text (not shown here)
providers.local: api_key_env = 12345 => a number
allowed: a whole number from 1 to 1000000
providers.local: max_concurrency = 0 => 0
providers.local: requests_per_minute = 0 => 0
providers.local: requests_per_minute = 4294967296 => 4294967296
mcp: logins_per_minute = 0 => 0
allowed: a whole number, 1 or more
providers.local: context_tokens = 0 => 0
budget: tokens_per_mysis_per_day = 0 => 0
allowed: a list of 0 to 100 items, each a duration such as 500ms, 2s, 5m or 1h30m, at most 365days
providers.local: retry = ["5"] => a list in which item 1 is "5"
mcp: retry = "2s" => "2s"
allowed: to leave it out, for there is no other provider
providers.local: fallback = "local" => "local", which names no other provider
allowed: a table
providers.local: price = 1 => 1
allowed: a duration such as 500ms, 2s, 5m or 1h30m, above 0s, at most 365days
providers.local: timeout = "0s" => "0s"
mcp: tool_timeout = "0s" => "0s"
supervision: within = "0s" => "0s"
allowed: an http or https URL, or "" for no server
mcp: upstream = "spacemolt" => "spacemolt"
allowed: "manual", "transient" or "always"
supervision: relaunch = "sometimes" => "sometimes"
allowed: a list of exactly 2 items, each a duration such as 500ms, 2s, 5m or 1h30m, above 0s, at most 365days
supervision: backoff = ["1s"] => a list of 1
supervision: backoff = ["0s", "1s"] => a list in which item 1 is "0s"
allowed: the first wait, then the longest
supervision: backoff = ["2s", "1s"] => a list whose first wait is longer than its second
allowed: a whole number from 0 to 1000000
supervision: max_relaunches = -1 => -1
allowed: a number above 0
budget: usd_per_day = 0 => 0
budget: usd_per_day = inf => inf
allowed: a loopback address and a port, such as 127.0.0.1:0 or [::1]:0
control: listen = "0.0.0.0:0" => "0.0.0.0:0"
control: listen = "localhost:0" => "localhost:0"
allowed: an IP address and a port, such as 127.0.0.1:9464
metrics: listen = "9464" => "9464"
allowed: a loopback address such as 127.0.0.1:9464, or any with metrics.allow_remote = true: whoever reaches it reads names, tokens and costs without a password
metrics: listen = "0.0.0.0:9464" => 0.0.0.0:9464, which other machines reach
allowed: "md" or "html"
reports: daily = "pdf" => "pdf"
allowed: an http or https URL (what stands there is not shown)
alerts: webhook = "hooks.test/secret" => another text (not shown here)
allowed: true or false
traces: contents = 1 => 1
allowed: an http or https URL
traces: endpoint = "collector" => "collector"
allowed: a URL postgres://user:password@host:port/database
store: database_url = "mysql://u:secret@h" => another text (not shown here)
store: database_url = "sqlite:zoea.db" => another text (not shown here)
allowed: "forever", or a length of time such as 30d or 12h, above 0s, at most 365days
store: keep = "never" => "never"
store: keep = "0s" => "0s"
allowed: a whole number, 0 or more
store: keep_rows = -1 => -1
allowed: 1 to 32 letters, digits, -, _ or ., not beginning with - or .
[myses]: name = "-a" => "-a"
[myses]: name = ".a" => ".a"
[myses]: name = "" => ""
[myses]: name = "a b" => "a b"
[myses]: name = "aaaaaaaaaabbbbbbbbbbccccccccccddd" => "aaaaaaaaaabbbbbbbbbbccccccccccddd"
"#;

#[test]
fn each_rule_says_what_is_wrong_and_what_is_allowed() {
    let mut rule = "";
    for row in BROKEN_RULES.lines().filter(|row| !row.is_empty()) {
        if row.starts_with("allowed: ") {
            rule = row;
            continue;
        }
        let (section, rest) = row.split_once(": ").unwrap();
        let (setting, found) = rest.split_once(" => ").unwrap();
        let (key, _) = setting.split_once(' ').unwrap();
        let path = section.replace("[myses]", "myses[1]");
        let column = setting.find("= ").unwrap() + 3;
        let expected = format!("z:2:{column}: {path}.{key} is {found}; {rule}");
        assert_eq!(parse(&format!("[{section}]\n{setting}\n")), Err(expected));
    }
}

#[test]
fn what_belongs_together_is_judged_together() {
    let two = "[providers.a]\nendpoint='http://a'\nmodel='m'\n[providers.b]\nendpoint='http://b'\nmodel='m'\n";
    let cases = [
        (
            two.to_owned(),
            "z:1:1: swarm.default_provider is missing; allowed: \"a\" or \"b\"",
        ),
        (
            "[providers.a]\n".to_owned(),
            "z:1:1: providers.a.endpoint is missing; allowed: \
             an http or https URL to which /chat/completions can be appended\n\
             z:1:1: providers.a.model is missing; allowed: a text that is not empty",
        ),
        (
            "[providers.local]\nprice = { input = 1 }\n".to_owned(),
            "z:2:9: providers.local.price.output is missing; allowed: a number from 0 to 100000",
        ),
        (
            "[providers.local]\nprice = { input = -1, output = 1 }\n".to_owned(),
            "z:2:19: providers.local.price.input is -1; allowed: a number from 0 to 100000",
        ),
        (
            "[providers.local]\nprice = { input = 1e308, output = 1 }\n".to_owned(),
            "z:2:19: providers.local.price.input is 1e308; allowed: a number from 0 to 100000",
        ),
        (
            "[providers.local]\napi_key_env = 'A'\napi_key_name = 'b'\n".to_owned(),
            "z:3:16: providers.local.api_key_name is given beside api_key_env; allowed: one of the two",
        ),
        (
            format!("{two}fallback = 'c'\n[swarm]\ndefault_provider='a'"),
            "z:7:12: providers.b.fallback is \"c\", which names no other provider; allowed: \"a\"",
        ),
        (
            "[[myses]]\n".to_owned(),
            "z:1:1: myses[1].name is missing; allowed: 1 to 32 letters, digits, -, _ or ., not beginning with - or .",
        ),
        (
            "[[myses]]\nname = 'a'\n[[myses]]\nname = 'a'\n".to_owned(),
            "z:4:8: myses[2].name is \"a\", which another Mysis has already; allowed: names that differ",
        ),
        (
            "[[myses]]\nname = 'a'\nprovider = 'x'\n".to_owned(),
            "z:3:12: myses[1].provider is \"x\", which names no provider; allowed: \"local\"",
        ),
        (
            "[swarm]\nmax_myses = 1\n[[myses]]\nname = 'a'\n[[myses]]\nname = 'b'\n".to_owned(),
            "z:3:1: myses is a list of 2; allowed: up to 1, the limit that swarm.max_myses sets",
        ),
        (
            "swarm = 1".to_owned(),
            "z:1:9: swarm is 1; allowed: a table",
        ),
        (
            "providers = []".to_owned(),
            "z:1:13: providers is a list; allowed: a table",
        ),
        (
            "[providers]\nlocal = 'x'".to_owned(),
            "z:2:9: providers.local is \"x\"; allowed: a table",
        ),
        (
            "myses = 'a'".to_owned(),
            "z:1:9: myses is \"a\"; allowed: a list of tables, each headed [[myses]]",
        ),
        (
            "myses = ['a']".to_owned(),
            "z:1:10: myses[1] is \"a\"; allowed: a table",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(&text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn the_default_provider_is_the_named_the_only_or_the_local_one() {
    let provider =
        |name: &str| format!("[providers.{name}]\nendpoint='http://{name}'\nmodel='m'\n");
    let of = |text: String| parse(&text).map(|settings| settings.swarm.default_provider);
    assert_eq!(of(provider("cloud")), Ok("cloud".into()));
    assert_eq!(
        of(provider("cloud") + &provider("local")),
        Ok("local".into())
    );
    let named = "[swarm]\ndefault_provider='cloud'\n".to_owned();
    assert_eq!(
        of(named + &provider("cloud") + &provider("local")),
        Ok("cloud".into())
    );
}

#[test]
fn the_kind_is_guessed_from_the_endpoint_unless_it_is_named() {
    let cases = [
        ("http://127.0.0.1:11434/v1", "", ProviderKind::Ollama),
        ("https://my-ollama.example.com/v1", "", ProviderKind::Ollama),
        ("https://api.openai.com/ollama/v1", "", ProviderKind::OpenAi),
        ("http://127.0.0.1:8080/v1", "", ProviderKind::OpenAi),
        (
            "http://127.0.0.1:11434/v1",
            "kind='openai'",
            ProviderKind::OpenAi,
        ),
        (
            "http://127.0.0.1:8080/v1",
            "kind='ollama'",
            ProviderKind::Ollama,
        ),
    ];
    for (endpoint, kind, expected) in cases {
        let settings = parse(&format!(
            "[providers.local]\nendpoint='{endpoint}'\n{kind}\n"
        ))
        .unwrap();
        assert_eq!(
            settings.providers["local"].kind, expected,
            "{endpoint} {kind}"
        );
    }
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    let cases = [
        (
            "[swarm]\nmax_mysis = 3\n",
            "z:2:1: unknown key swarm.max_mysis; did you mean max_myses?",
        ),
        ("[swam]\n", "z:1:2: unknown key swam; did you mean swarm?"),
        (
            "[provider.local]\n",
            "z:1:2: unknown key provider; did you mean providers?",
        ),
        (
            "max_myses = 3\n",
            "z:1:1: unknown key max_myses; did you mean swarm.max_myses?",
        ),
        (
            "[mcp]\nrelaunch='always'",
            "z:2:1: unknown key mcp.relaunch; did you mean supervision.relaunch?",
        ),
        (
            "[providers.local]\napi_key = 'sk-secret'\n",
            "z:2:1: unknown key providers.local.api_key; did you mean api_key_env?",
        ),
        (
            "[providers.local.price]\ninput=1\noutput=1\nin=1",
            "z:4:1: unknown key providers.local.price.in; did you mean input?",
        ),
        (
            "[[myses]]\nname='a'\nnmae='b'",
            "z:3:1: unknown key myses[1].nmae; did you mean name?",
        ),
        (
            "[control]\ncolour='red'",
            "z:2:1: unknown key control.colour; known here: listen",
        ),
        (
            "[store]\n\"my key\"=1",
            "z:2:1: unknown key store.\"my key\"; known here: database_url, keep, keep_rows",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn all_mistakes_are_listed_in_the_order_of_the_file() {
    let text = "[mcp]\nupstream = 'x'\n[swarm]\nmax_mysis = 3\nmax_myses = 0\n[providers.local]\ntemperature = 3\n";
    let expected = "z:2:12: mcp.upstream is \"x\"; allowed: an http or https URL, or \"\" for no server\n\
        z:4:1: unknown key swarm.max_mysis; did you mean max_myses?\n\
        z:5:13: swarm.max_myses is 0; allowed: a whole number from 1 to 10000\n\
        z:7:15: providers.local.temperature is 3; allowed: a number from 0 to 2";
    assert_eq!(parse(text), Err(expected.to_owned()));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn no_text_of_known_words_makes_the_reader_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "[swarm]", "[[myses]]", "[providers.a]", "[providers]", "name", "price", "nudges",
                "backoff", "=", "=", ".", "{", "}", "[", "]", "\"", "'x'", "\"1s\"", "1", "-1", "1.5",
                "nan", "true", "1979-05-27", ",", "\n", "\n", "#", "é", "endpoint", "'http://a@b'",
            ]),
            0..40,
        ),
    ) {
        let _ = parse(&words.concat());
        let _ = parse(&words.join(" "));
    }
}
