//! The measure of costs in a small form. `cargo run --release --example economy` prints the table.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actors::domain::price::TokenPrice;
use tokio_util::sync::CancellationToken;
use zoea_measures::economy::{
    EconomyOptions, EconomyReport, LEVERS, Lever, RealModel, find_lever, measure,
};
use zoea_pilot::PilotOptions;
use zoea_provider::{ProviderEndpoint, Providers};

pub(super) fn options() -> EconomyOptions {
    EconomyOptions {
        seed: 1,
        length: Duration::from_secs(900),
        players: 5,
        only: None,
        mission: None,
        thinking: Duration::from_secs(4),
        price: TokenPrice {
            input: 0.25,
            output: 2.0,
            cached: None,
        },
        parts: zoea::wiring::simulated::adapters(),
    }
}

fn small(levers: &[&Lever]) -> EconomyReport {
    measure(&options(), levers, None).expect("the simulation can be set up, and keeps its promises")
}

/// The figures without a lever.
fn today() -> &'static EconomyReport {
    static TODAY: OnceLock<EconomyReport> = OnceLock::new();
    TODAY.get_or_init(|| small(&[]))
}

fn with(name: &str) -> EconomyReport {
    small(&[find_lever(name).expect("there is such a lever")])
}

#[test]
fn a_swarm_is_measured_the_same_each_time_and_its_figures_agree() {
    let today = today();
    assert_eq!(*today, small(&[]));
    let names: Vec<&str> = today.roles.iter().map(|role| role.name).collect();
    assert_eq!(
        names,
        ["miner", "trader", "contractor", "explorer", "talker"]
    );
    let players: Vec<usize> = today.roles.iter().map(|role| role.players).collect();
    assert_eq!(players, [1; 5]);
    for role in &today.roles {
        let used = &role.used;
        assert!(used.calls > 20 && used.tokens.output > 0, "{role:?}");
        assert!(used.tokens.cached < used.tokens.input, "{role:?}");
        assert!(used.discounted < used.dollars, "{role:?}");
    }
    for miners in [0, 4] {
        assert!(today.roles[miners].gained() > 0, "miners gain: {today:?}");
    }
    let used = today.used();
    let cached = used.tokens.cached as f64 / used.tokens.input as f64;
    assert!((0.3..0.99).contains(&cached), "{cached}");
    assert!(today.requests > today.mutations && today.mutations > 50);
}

#[test]
fn levers_change_what_they_say() {
    let today = today();
    let all_tools = with("all-tools");
    let a_call = |report: &EconomyReport| report.used().tokens.input / report.used().calls;
    let (few, many) = (a_call(today), a_call(&all_tools));
    assert!(few * 2 < many, "{few} of {many} tokens a call");
    let slower = with("slow-turns");
    assert!(slower.used().calls < today.used().calls);
}

#[test]
fn every_lever_has_a_name_of_its_own() {
    for lever in LEVERS {
        let found = find_lever(lever.name).map(|found| found.what);
        assert_eq!(found, Some(lever.what));
        assert!(!lever.name.contains('+'), "it joins levers");
    }
    assert!(find_lever("nonsense").is_none());
}

/// What comes of playing with a model server of these options over HTTP.
pub(super) fn served<T>(options: PilotOptions, play: impl FnOnce(RealModel) -> T) -> T {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let stop = CancellationToken::new();
    let (real, serving) = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(zoea_pilot::serve(listener, options, stop.child_token()));
        let endpoint = ProviderEndpoint {
            url,
            ..ProviderEndpoint::default()
        };
        let http = zoea_http::build_client().expect("a client");
        let models = Arc::new(Providers::new(&http, [("pilot".into(), endpoint)]));
        let runtime = tokio::runtime::Handle::current();
        (RealModel { models, runtime }, serving)
    });
    let came = play(real);
    stop.cancel();
    runtime
        .block_on(serving)
        .expect("it ends")
        .expect("it served");
    came
}

#[test]
fn a_model_behind_http_plays_with_an_account_while_the_simulated_clock_stands() {
    let options = EconomyOptions {
        only: Some("miner"),
        players: 1,
        ..options()
    };
    // Longer than a step of the simulated game takes to compute, so that a clock that goes on is seen.
    let slow = PilotOptions {
        latency: Duration::from_millis(30),
        ..PilotOptions::default()
    };
    let by_itself = measure(&options, &[], None).expect("it plays");
    let real = served(slow, |real| {
        measure(&options, &[], Some(real)).expect("it plays behind HTTP")
    });
    let (asked, known) = (real.used().calls, by_itself.used().calls);
    assert!(
        asked * 5 >= known * 4,
        "{asked} of {known} answers in the same simulated time"
    );
    assert!(real.roles[0].earned > 0, "{real:?}");
}
