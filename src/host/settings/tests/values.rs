//! Tests of the values that keys are read into.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyCode;
use serde_json::{Map, Value};
use zoea_domain::budget::{BudgetLimits, DefaultCap};
use zoea_domain::gate::circuit::CircuitRules;
use zoea_domain::number::NamedNumber;
use zoea_domain::price::{PriceList, TokenPrice};
use zoea_domain::role::{RoleBook, RoleRules, TierRange};
use zoea_domain::routine::{CircleMode, RoutineRules};
use zoea_domain::rules::{
    LoginWay, ProviderRules, ProviderTier, RelaunchPolicy, SwarmRules, ToolRules, ValueRules,
};
use zoea_domain::tool::RepeatRules;
use zoea_domain::tool_filter::{ToolFilter, ToolFilters};
use zoea_domain::tool_offer::ToolListMode;
use zoea_tui::dashboard::appearance::{
    ChosenColour, ColourChoices, Letters, Motion, MouseUse, Notify, TerminalColour, Theme,
    ThemePart,
};
use zoea_tui::dashboard::input_event::{ctrl, key, letter};
use zoea_tui::dashboard::keys::Keymap;

use super::*;

fn expected_roles() -> BTreeMap<String, RoleSettings> {
    let miner = RoleSettings {
        rules: RoleRules {
            prompt: "Dig.".into(),
            provider: Some("cloud".into()),
            model: Some("small".into()),
            tools: ToolFilter {
                allow: Some(vec!["mine".into()]),
                deny: vec!["sell".into()],
            },
            budget: BudgetLimits {
                tokens: None,
                cost_micros: Some(500_000),
            },
            ..RoleRules::default()
        },
        routines: vec!["dig".into()],
    };
    let scout = RoleSettings {
        rules: RoleRules {
            tiers: Some(TierRange {
                lowest: 1,
                highest: 2,
            }),
            ..RoleRules::default()
        },
        routines: Vec::new(),
    };
    [("miner".into(), miner), ("scout".into(), scout)].into()
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
        default_role = "scout"
        [roles.miner]
        prompt = " Dig. "
        tools = ["mine"]
        deny_tools = ["sell"]
        routines = ["dig"]
        provider = "cloud"
        model = "small"
        budget = { usd_per_mysis_per_day = 0.5 }
        [roles.scout]
        tier = 1
        max_tier = 2
        [providers.local]
        [providers.cloud]
        endpoint = "https://api.example.com/v1/"
        kind = "openai"
        model = "big"
        temperature = 0
        api_key_env = "CLOUD_KEY"
        stream = false
        text_calls = false
        tier = 2
        reasoning_back = true
        cache_marks = true
        extra = { top_p = 0.5 }
        timeout = "1m"
        max_concurrency = 8
        requests_per_minute = 90
        retry = []
        fallback = "local"
        price = { input = 0, output = 0.6 }
        context_tokens = 128000
        history_share = 0.5
        [mcp]
        upstream = ""
        tool_timeout = "1h30m"
        retry = ["1s"]
        logins_per_minute = 1
        logins_address = "office"
        tools = ["get_*"]
        deny_tools = ["get_map"]
        repeatable = ["read_*"]
        number = "count_notes/total"
        trust_annotations = true
        tool_list = "all"
        login = "link"
        [value]
        park_below = 500
        window = "1h"
        [routines]
        mode = "auto"
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
        webhook = "https://hooks.test/secret/"
        token_env = "HOOK_TOKEN"
        command = ["tell", "me"]
        timeout = "3s"
        cool_down = "1h"
        [traces]
        endpoint = "http://collector:4318/"
        protocol = "json"
        compression = "none"
        headers_env = "COLLECTOR_HEADERS"
        contents = true
        service = "belt"
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
        [tui.keys]
        quit = "ctrl-q"
        graphs = ["f5", "Y"]
        [tui.colors]
        dim = '#8899aa'
        fault = "bright_red"
        [[myses]]
        name = "alpha"
        role = "miner"
        provider = "local"
        tools = []
        [[myses]]
        name = "Zoë.9_-"
    "#;
    let cloud = ProviderSettings {
        endpoint: "https://api.example.com/v1".into(),
        kind: ProviderKind::OpenAi,
        key_source: KeySource::Variable("CLOUD_KEY".into()),
        api_key: None,
        stream: false,
        extra: Map::from_iter([("top_p".to_owned(), Value::from(0.5))]),
        headers: Vec::new(),
        reasoning_back: Some(true),
        marks_cache: true,
        rules: ProviderRules {
            model: "big".into(),
            temperature: Some(0.0),
            timeout: Duration::from_secs(60),
            max_concurrency: 8,
            requests_per_minute: Some(90),
            tokens_per_minute: None,
            circuit: CircuitRules {
                failures: 5,
                wait: Duration::from_secs(4),
            },
            retry: Vec::new(),
            fallback: Some("local".into()),
            price_list: PriceList::default(),
            price: Some(TokenPrice {
                input: 0.0,
                output: 0.6,
                cached: None,
            }),
            context_tokens: Some(128_000),
            history_share: 50,
            reads_text_calls: false,
            tier: Some(ProviderTier { tier: 2, place: 1 }),
        },
    };
    let swarm = SwarmRules {
        max_myses: 32,
        default_provider: "cloud".into(),
        turn_pause: Duration::from_millis(500),
        max_model_calls: 100,
        context_window: 1000,
        context_budget: 1 << 20,
        nudges: vec!["go".into()],
        no_progress_turns: 7,
        tools: ToolRules {
            search_others: false,
            ..ToolRules::default()
        },
        roles: Arc::new(RoleBook {
            default: Some("scout".into()),
            ..RoleBook::default()
        }),
        ..SwarmRules::default()
    };
    let expected = Settings {
        roles: expected_roles(),
        swarm: SwarmSettings {
            rules: swarm,
            resume: true,
        },
        providers: [
            ("local".into(), ProviderSettings::default()),
            ("cloud".into(), cloud),
        ]
        .into(),
        mcp: McpSettings {
            upstream: None,
            command: Vec::new(),
            variables: Vec::new(),
            inherited: Vec::new(),
            tools: ToolRules {
                answer_timeout: Duration::from_secs(600),
                timeout: Duration::from_secs(5400),
                retry: vec![Duration::from_secs(1)],
                logins_per_minute: Some(1),
                logins_address: Some("office".into()),
                search_others: true,
                filters: Arc::new(ToolFilters {
                    swarm: ToolFilter {
                        allow: Some(vec!["get_*".into()]),
                        deny: vec!["get_map".into()],
                    },
                    ..ToolFilters::default()
                }),
                login: LoginWay::Link,
                list: ToolListMode::All,
                repeat: RepeatRules {
                    repeatable: vec!["read_*".into()],
                    trust_annotations: true,
                },
                number: NamedNumber::parse("count_notes/total"),
            },
            token_source: KeySource::None,
            token: None,
            headers: Vec::new(),
            registration_code_source: KeySource::None,
            registration_code: None,
        },
        supervision: SupervisionRules {
            relaunch: RelaunchPolicy::Transient,
            first_wait: Duration::from_secs(2),
            longest_wait: Duration::from_secs(2),
            max_relaunches: 0,
            within: Duration::from_secs(3600),
        },
        budget: BudgetRules {
            raised: None,
            default_cap: DefaultCap {
                cost_micros: None,
                ..DefaultCap::WHOLE
            },
            mysis: BudgetLimits {
                tokens: Some(2_000_000),
                cost_micros: None,
            },
            swarm: BudgetLimits {
                tokens: None,
                cost_micros: Some(5_000_000),
            },
        },
        progress: ProgressRules {
            is_on: false,
            turns: 9,
            at_least: Duration::ZERO,
            provider: Some("cloud".into()),
            parks: false,
        },
        value: ValueRules {
            park_below: Some(500),
            window: Duration::from_secs(3600),
        },
        routines: RoutineRules {
            mode: CircleMode::Auto,
        },
        control: ControlSettings {
            listen: "[::1]:7000".parse().unwrap(),
        },
        reports: ReportSettings {
            daily: Some(ReportFormat::Html),
        },
        alerts: AlertSettings {
            webhook: Some(Secret::new("https://hooks.test/secret/")),
            token_env: Some("HOOK_TOKEN".to_owned()),
            token: None,
            command: Some(vec!["tell".to_owned(), "me".to_owned()]),
            timeout: Duration::from_secs(3),
            cool_down: Duration::from_secs(3600),
            inherited: Vec::new(),
        },
        traces: TraceSettings {
            endpoint: Some("http://collector:4318/".to_owned()),
            protocol: Some(TraceProtocol::Json),
            compression: false,
            headers_env: Some("COLLECTOR_HEADERS".to_owned()),
            contents: true,
            service: Some("belt".to_owned()),
            collector: None,
            headers: Vec::new(),
            resource: Vec::new(),
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
            keymap: Keymap::new(BTreeMap::from([
                ("quit".to_owned(), vec![ctrl('q')]),
                ("graphs".to_owned(), vec![key(KeyCode::F(5)), letter('Y')]),
            ])),
            colours: {
                let mut colours = ColourChoices::default();
                colours.choose(ThemePart::Dim, ChosenColour::Rgb(0x88_99aa));
                let own = ChosenColour::Own(TerminalColour::BrightRed);
                colours.choose(ThemePart::Fault, own);
                colours
            },
        },
        missing_secrets: Vec::new(),
        myses: vec![
            DeclaredMysis {
                name: "alpha".into(),
                provider: Some("local".into()),
                role: Some("miner".into()),
                tools: ToolFilter {
                    allow: Some(Vec::new()),
                    deny: Vec::new(),
                },
            },
            DeclaredMysis {
                name: "Zoë.9_-".into(),
                provider: None,
                role: None,
                tools: ToolFilter::default(),
            },
        ],
    };
    assert_eq!(parse(text), Ok(expected));
}
