//! The zoo: players that are stuck in one definite way each, and players that are well, under the
//! watch on progress (`actors::domain::progress`), on simulated time.
//!
//! Every party is a swarm of its own with one mission. All play well for ten minutes; then notes,
//! which the pilot reads, make of its members what they are. What came of them is read from the notices that were stored for the operator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::message::{Row, RowBody};
use actors::domain::order::{CompletedOrder, Order};
use actors::domain::progress::EscalationStep;
use actors::domain::rules::ProgressRules;
use anyhow::{Context, anyhow};

use super::game::GameFault;
use super::{ProgramParts, Simulation, SimulationOptions, kill_process, rules, start_listener};
use actors::commander::CommanderHandle;
use zoea_pilot::{PERSONAS, STRANDED};

/// How long all are well: they find an account and their way, and play.
const WARM_UP: Duration = Duration::from_secs(600);

/// Those who share a mission.
#[derive(Clone, Debug)]
pub struct CaseGroup {
    /// The mission.
    pub order: &'static str,
    /// Who.
    pub members: Vec<StallCase>,
}

/// One player.
#[derive(Clone, Copy, Debug)]
pub struct StallCase {
    /// What it is called in the table.
    pub name: &'static str,
    /// The persona of the pilot.
    pub persona: &'static str,
    /// How the game mistreats it.
    pub plight: Mistreatment,
    /// Whether it gets nowhere.
    pub is_stuck: bool,
}

/// How the game mistreats one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistreatment {
    /// Not at all.
    None,
    /// It says for ever that the ship is under way.
    InTransit,
    /// The answers to its actions are lost for ever.
    AnswersLost,
}

/// What is visited.
#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// What all chance follows from.
    pub seed: u64,
    /// How long the players are watched, in simulated time.
    pub length: Duration,
    /// The watch.
    pub rules: ProgressRules,
    /// Parts of the program.
    pub adapters: ProgramParts,
    /// Whether a second provider is there to be asked.
    pub has_other_provider: bool,
}

/// What came of one player.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// Who.
    pub animal: StallCase,
    /// Turns that it took.
    pub turns: i64,
    /// The turn after which it was first told, and the notice.
    pub told: Option<(i64, Arc<str>)>,
    /// The turn in which it first knew itself to be stranded: no fuel, and no way to get any.
    pub stranded: Option<i64>,
    /// How far it was taken.
    pub rung: EscalationStep,
}

impl CaseResult {
    /// Whether it was told that it gets nowhere while it could have gone on.
    #[must_use]
    pub fn is_false_alarm(&self) -> bool {
        let told = self.told.as_ref().map(|(turn, _)| *turn);
        told.is_some_and(|told| self.stranded.is_none_or(|stranded| stranded > told))
    }
}

/// The ways to be stuck: all bad habits of the pilot, and what only the game does to one.
#[must_use]
pub fn stuck_cases() -> Vec<StallCase> {
    let personas = PERSONAS
        .iter()
        .filter(|(_, name, _)| !["steady", "ailing"].contains(name));
    let habits = personas.map(|(_, name, _)| StallCase {
        name,
        persona: name,
        plight: Mistreatment::None,
        is_stuck: true,
    });
    let plights = [
        ("in transit for ever", Mistreatment::InTransit),
        ("answers are lost", Mistreatment::AnswersLost),
    ];
    let plights = plights.map(|(name, plight)| StallCase {
        name,
        persona: "steady",
        plight,
        is_stuck: true,
    });
    habits.chain(plights).collect()
}

/// Parties of players that are well, so many of each kind.
#[must_use]
pub fn healthy_groups(each: usize) -> Vec<CaseGroup> {
    let kinds = [
        (
            "miner",
            "steady",
            "Mine ore, sell it at your station, refuel and go again.",
        ),
        ("trader", "steady", "Trade between stations for profit."),
        ("explorer", "steady", "Explore as many systems as you can."),
        ("contractor", "steady", "Do missions for credits."),
        (
            "waits as ordered",
            "steady",
            "Wait at the station until you hear from me.\n[no gain expected]",
        ),
        (
            "listens as ordered",
            "notifier",
            "Stay docked and monitor the news.\n[no gain expected]",
        ),
    ];
    let party = |(name, persona, order)| CaseGroup {
        order,
        members: vec![
            StallCase {
                name,
                persona,
                plight: Mistreatment::None,
                is_stuck: false,
            };
            each
        ],
    };
    kinds.map(party).to_vec()
}

/// Watches a party.
///
/// # Errors
/// The simulation cannot be set up.
pub fn run_group(visit: &SuiteOptions, party: &CaseGroup) -> anyhow::Result<Vec<CaseResult>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .context("build a runtime with a simulated clock")?;
    runtime.block_on(simulate_group(visit, party))
}

async fn simulate_group(
    visit: &SuiteOptions,
    party: &CaseGroup,
) -> anyhow::Result<Vec<CaseResult>> {
    let simulation = Simulation::new(SimulationOptions {
        seed: visit.seed,
        length: visit.length,
        myses: party.members.len(),
        wildness: 0.0,
        with_all_faults: false,
        thinking: Duration::from_secs(4),
        on_day: None,
        is_loud: false,
        adapters: visit.adapters,
    })
    .await?;
    let book = CaseRecords::default();
    let hears = book.clone();
    let keeper = start_listener(Box::new(move |event| hears.on_event(event))).await?;
    let _time = simulation.game.start_ticking();
    let mut rules = rules::base_rules(party.members.len());
    rules.progress = visit.rules.clone();
    if visit.has_other_provider {
        let another = rules.providers[rules::MAIN_PROVIDER].clone();
        rules.providers.insert("another".into(), another);
        rules.progress.provider = Some("another".into());
    }
    let commander = simulation
        .start_commander_with(rules, keeper.watcher())
        .await?;
    let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
    let myses = create_myses(&swarm, party).await?;
    tokio::time::sleep(WARM_UP).await;
    book.start_counting();
    assign_personas(&simulation, &swarm, party, &myses).await?;
    tokio::time::sleep(visit.length).await;
    kill_process(&commander).await;
    keeper.stop().await;
    Ok(party
        .members
        .iter()
        .enumerate()
        .map(|(place, animal)| book.case_result(&mysis_name(place), *animal))
        .collect())
}

fn mysis_name(place: usize) -> String {
    format!("m{place}")
}

/// Creates the members and gives the mission.
async fn create_myses(swarm: &CommanderHandle, party: &CaseGroup) -> anyhow::Result<Vec<MysisId>> {
    let mut myses = Vec::new();
    for place in 0..party.members.len() {
        let created = give_order(
            swarm,
            Order::Create {
                name: mysis_name(place),
                provider: None,
                model: None,
                start: false,
            },
        );
        let CompletedOrder::Created(mysis) = created.await? else {
            return Err(anyhow!("a mysis was not created"));
        };
        myses.push(mysis);
    }
    let text = party.order.to_string();
    give_order(swarm, Order::Broadcast { text }).await?;
    Ok(myses)
}

/// From here on each is what it is.
async fn assign_personas(
    simulation: &Simulation,
    swarm: &CommanderHandle,
    party: &CaseGroup,
    myses: &[MysisId],
) -> anyhow::Result<()> {
    for (place, (animal, mysis)) in party.members.iter().zip(myses).enumerate() {
        match animal.plight {
            Mistreatment::None => {}
            Mistreatment::InTransit => simulation.game.inject_fault(*mysis, GameFault::InTransit),
            Mistreatment::AnswersLost => {
                simulation.game.inject_fault(*mysis, GameFault::AnswersLost)
            }
        }
        let text = format!("persona: {}", animal.persona);
        let name = mysis_name(place);
        give_order(swarm, Order::AddNote { name, text }).await?;
    }
    Ok(())
}

async fn give_order(swarm: &CommanderHandle, order: Order) -> anyhow::Result<CompletedOrder> {
    swarm.order(order).await.map_err(|why| anyhow!("{why}"))
}

/// What was told of each, by name.
#[derive(Clone, Debug, Default)]
struct CaseRecords(Arc<Mutex<BTreeMap<String, CaseRecord>>>);

#[derive(Clone, Debug, Default)]
struct CaseRecord {
    /// The newest turn before it became what it is.
    before: i64,
    turns: i64,
    told: Option<(i64, Arc<str>)>,
    stranded: Option<i64>,
    rung: EscalationStep,
}

impl CaseRecords {
    /// From here on turns are counted, and what was told before is forgotten.
    fn start_counting(&self) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for page in pages.values_mut() {
            *page = CaseRecord {
                before: page.turns,
                turns: page.turns,
                ..CaseRecord::default()
            };
        }
    }

    fn on_event(&self, event: &SwarmEvent) {
        let (Some(who), EventKind::Stored(row)) = (&event.mysis, &event.what) else {
            return;
        };
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let page = pages.entry(who.name.to_string()).or_default();
        page.turns = page.turns.max(row.turn.0);
        page.on_row(row);
    }

    fn case_result(&self, name: &str, animal: StallCase) -> CaseResult {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let page = pages.get(name).cloned().unwrap_or_default();
        CaseResult {
            animal,
            turns: page.turns - page.before,
            told: page.told,
            stranded: page.stranded,
            rung: page.rung,
        }
    }
}

impl CaseRecord {
    fn on_row(&mut self, row: &Row) {
        if matches!(row.body, RowBody::Reply(_)) && row.text().contains(STRANDED) {
            self.stranded.get_or_insert(row.turn.0 - self.before);
        }
        let rung = match row.host().map(|meta| &*meta.code) {
            Some("no_progress") => EscalationStep::Notified,
            Some("fresh_start") => EscalationStep::ContextReset,
            Some("other_provider") => EscalationStep::OtherProvider,
            Some("parked") => EscalationStep::Parked,
            Some(_) | None => return,
        };
        self.rung = self.rung.max(rung);
        self.told
            .get_or_insert_with(|| (row.turn.0 - self.before, row.text().clone()));
    }
}
