//! The stall suite: players that are stuck in one definite way each, and healthy players, under the
//! stall detector (`actors::domain::progress`), on simulated time.
//!
//! Every group is a swarm of its own with one mission. All members play well for ten minutes. Then
//! notes, which the pilot reads, give each member its persona. The results are read from the
//! notices that were stored for the operator.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::message::{Row, RowBody};
use actors::domain::order::{CompletedOrder, MysisOrder, Order};
use actors::domain::progress::EscalationStep;
use actors::domain::rules::ProgressRules;
use anyhow::{Context, anyhow};

use actors::commander::CommanderHandle;
use zoea_pilot::{Persona, STRANDED};
use zoea_simulation::game::GameFault;
use zoea_simulation::{
    ProgramParts, Simulation, SimulationOptions, kill_process, rules, start_listener,
};

/// The time in which all members play well: they get an account, find their way, and play.
const WARM_UP: Duration = Duration::from_secs(600);

/// Players with the same mission.
#[derive(Clone, Debug)]
pub struct CaseGroup {
    /// The mission.
    pub order: &'static str,
    /// The players.
    pub members: Vec<StallCase>,
}

/// One player.
#[derive(Clone, Copy, Debug)]
pub struct StallCase {
    /// Its name in the table.
    pub name: &'static str,
    /// The persona of the pilot.
    pub persona: &'static str,
    /// The game's fault towards it.
    pub mistreatment: Mistreatment,
    /// Whether it makes no progress.
    pub is_stuck: bool,
}

/// The game's fault towards a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistreatment {
    /// No fault.
    None,
    /// The game always answers that the ship is under way.
    InTransit,
    /// The answers to its actions are always lost.
    AnswersLost,
}

#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// The seed of all chance.
    pub seed: u64,
    /// The simulated time after the warm-up.
    pub length: Duration,
    /// The rules of the stall detector.
    pub rules: ProgressRules,
    pub adapters: ProgramParts,
    /// Whether there is a second provider to change to.
    pub has_other_provider: bool,
}

/// The result of one player.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The player.
    pub case: StallCase,
    pub turns: i64,
    /// The turn of the first notice, and its text.
    pub reported: Option<(i64, Arc<str>)>,
    /// The turn in which it first said that it is stranded: no fuel, and no way to get any.
    pub stranded: Option<i64>,
    /// The highest step that was taken.
    pub step: EscalationStep,
}

impl CaseResult {
    /// Whether it got a notice while it could still have gone on.
    pub fn is_false_alarm(&self) -> bool {
        let reported = self.reported.as_ref().map(|(turn, _)| *turn);
        reported.is_some_and(|reported| self.stranded.is_none_or(|stranded| stranded > reported))
    }
}

/// All stuck players: one for each bad persona of the pilot, and one for each fault of the game.
pub fn stuck_cases() -> Vec<StallCase> {
    let personas = Persona::all().filter(|(name, _)| !["steady", "ailing"].contains(name));
    let habits = personas.map(|(name, _)| StallCase {
        name,
        persona: name,
        mistreatment: Mistreatment::None,
        is_stuck: true,
    });
    let mistreatments = [
        ("in transit for ever", Mistreatment::InTransit),
        ("answers are lost", Mistreatment::AnswersLost),
    ];
    let mistreatments = mistreatments.map(|(name, mistreatment)| StallCase {
        name,
        persona: "steady",
        mistreatment,
        is_stuck: true,
    });
    habits.chain(mistreatments).collect()
}

/// Groups of healthy players, this many of each kind.
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
    let group = |(name, persona, order)| CaseGroup {
        order,
        members: vec![
            StallCase {
                name,
                persona,
                mistreatment: Mistreatment::None,
                is_stuck: false,
            };
            each
        ],
    };
    kinds.map(group).to_vec()
}

/// Runs a group. Returns the result of each member.
///
/// # Errors
/// The simulation cannot be set up.
pub fn run_group(options: &SuiteOptions, group: &CaseGroup) -> anyhow::Result<Vec<CaseResult>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .context("build a runtime with a simulated clock")?;
    runtime.block_on(simulate_group(options, group))
}

async fn simulate_group(
    options: &SuiteOptions,
    group: &CaseGroup,
) -> anyhow::Result<Vec<CaseResult>> {
    let simulation = Simulation::new(SimulationOptions {
        seed: options.seed,
        length: options.length,
        myses: group.members.len(),
        wildness: 0.0,
        processes: 1,
        with_all_faults: false,
        thinking: Duration::from_secs(4),
        progress: None,
        is_loud: false,
        adapters: options.adapters,
    })
    .await?;
    let records = CaseRecords::default();
    let recording = records.clone();
    let recorder = start_listener(Box::new(move |event| recording.on_event(event))).await?;
    let _time = simulation.game.start_ticking();
    let mut rules = rules::base_rules(group.members.len());
    rules.progress = options.rules.clone();
    if options.has_other_provider {
        let another = rules.providers[rules::MAIN_PROVIDER].clone();
        rules.providers.insert("another".into(), another);
        rules.progress.provider = Some("another".into());
    }
    let commander = simulation
        .start_commander_with(rules, recorder.watcher())
        .await?;
    let swarm = CommanderHandle::new(commander.clone(), OrderSource::Control);
    let myses = create_myses(&swarm, group).await?;
    tokio::time::sleep(WARM_UP).await;
    records.start_counting();
    assign_personas(&simulation, &swarm, group, &myses).await?;
    tokio::time::sleep(options.length).await;
    kill_process(&commander).await;
    recorder.stop().await;
    Ok(group
        .members
        .iter()
        .enumerate()
        .map(|(place, case)| records.case_result(&mysis_name(place), *case))
        .collect())
}

fn mysis_name(place: usize) -> String {
    format!("m{place}")
}

/// Creates the members and sets the mission.
async fn create_myses(swarm: &CommanderHandle, group: &CaseGroup) -> anyhow::Result<Vec<MysisId>> {
    let mut myses = Vec::new();
    for place in 0..group.members.len() {
        let created = give_order(
            swarm,
            Order::Create {
                name: mysis_name(place),
                provider: None,
                model: None,
                role: None,
                start: false,
            },
        );
        let CompletedOrder::Created(mysis) = created.await? else {
            return Err(anyhow!("a mysis was not created"));
        };
        myses.push(mysis);
    }
    let text = group.order.to_string();
    give_order(swarm, Order::Broadcast { text }).await?;
    Ok(myses)
}

/// Gives each member its persona and its fault.
async fn assign_personas(
    simulation: &Simulation,
    swarm: &CommanderHandle,
    group: &CaseGroup,
    myses: &[MysisId],
) -> anyhow::Result<()> {
    for (place, (case, mysis)) in group.members.iter().zip(myses).enumerate() {
        match case.mistreatment {
            Mistreatment::None => {}
            Mistreatment::InTransit => simulation.game.inject_fault(*mysis, GameFault::InTransit),
            Mistreatment::AnswersLost => {
                simulation.game.inject_fault(*mysis, GameFault::AnswersLost)
            }
        }
        let text = format!("persona: {}", case.persona);
        let name = mysis_name(place);
        give_order(swarm, MysisOrder::Note(text.into()).for_mysis(name)).await?;
    }
    Ok(())
}

async fn give_order(swarm: &CommanderHandle, order: Order) -> anyhow::Result<CompletedOrder> {
    swarm.order(order).await.map_err(|why| anyhow!("{why}"))
}

/// The records of all members, by name.
#[derive(Clone, Debug, Default)]
struct CaseRecords(Arc<Mutex<BTreeMap<String, CaseRecord>>>);

#[derive(Clone, Debug, Default)]
struct CaseRecord {
    /// The newest turn at the end of the warm-up.
    before: i64,
    turns: i64,
    reported: Option<(i64, Arc<str>)>,
    stranded: Option<i64>,
    step: EscalationStep,
}

impl CaseRecords {
    /// Starts counting turns, and forgets the notices of the warm-up.
    fn start_counting(&self) {
        let mut records = self.0.lock();
        for record in records.values_mut() {
            *record = CaseRecord {
                before: record.turns,
                turns: record.turns,
                ..CaseRecord::default()
            };
        }
    }

    fn on_event(&self, event: &SwarmEvent) {
        let (Some(who), EventKind::Stored(row)) = (&event.mysis, &event.what) else {
            return;
        };
        let mut records = self.0.lock();
        let record = records.entry(who.name.to_string()).or_default();
        record.turns = record.turns.max(row.turn.0);
        record.on_row(row);
    }

    fn case_result(&self, name: &str, case: StallCase) -> CaseResult {
        let records = self.0.lock();
        let record = records.get(name).cloned().unwrap_or_default();
        CaseResult {
            case,
            turns: record.turns - record.before,
            reported: record.reported,
            stranded: record.stranded,
            step: record.step,
        }
    }
}

impl CaseRecord {
    fn on_row(&mut self, row: &Row) {
        if matches!(row.body, RowBody::Reply(_)) && row.text().contains(STRANDED) {
            self.stranded.get_or_insert(row.turn.0 - self.before);
        }
        let step = match row.host().map(|meta| &*meta.code) {
            Some("no_progress") => EscalationStep::Notified,
            Some("fresh_start") => EscalationStep::ContextReset,
            Some("other_provider") => EscalationStep::OtherProvider,
            Some("parked") => EscalationStep::Parked,
            Some(_) | None => return,
        };
        self.step = self.step.max(step);
        self.reported
            .get_or_insert_with(|| (row.turn.0 - self.before, row.text().clone()));
    }
}
