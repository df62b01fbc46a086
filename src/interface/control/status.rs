//! The status of the program and its swarm, as the control interface reports it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::MysisStatus;
use actors::domain::ids::{Lane, MysisId, Timestamp};
use actors::domain::outages::{Light, ServerOutages};
use actors::domain::record::MysisRecord;
use actors::domain::samples::CurrentFigures;
use actors::domain::standing::StandingKind;
use actors::ports::Clock;
use serde_json::Value;
use zoea_contract::{
    Conditions, HeldTextJson, MissionJson, MysisStatusJson, NeedJson, NumberJson, OutageJson,
    ProcessJson, ProgramStatusJson, SpendingJson, WarningJson, to_value,
};

use crate::interface::swarm::Swarm;
use zoea_settings::bounds::MAX_INTEGER;
use zoea_system::clock::MachineClock;
use zoea_text::natural::compare_natural;

use super::ProgramInfo;
use super::parameters::{AskStatus, ListMyses, read_count};
use super::short::{self, ControlAnswer, SHORT_ANSWER_BYTES};

/// How long the database may take to say how the Myses of other processes are.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// The Myses that meet the conditions, with the fields that are named. Without a limit as many as fit
/// into a short answer.
pub(super) async fn list_myses(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: &ListMyses,
) -> Result<ControlAnswer, String> {
    let conditions = asked
        .r#where
        .as_deref()
        .map(Conditions::parse)
        .transpose()?;
    let fields = asked.fields.as_deref();
    let fields: Option<Vec<&str>> = fields.map(|fields| fields.split(',').map(str::trim).collect());
    let limit = read_count("limit", asked.limit, MAX_INTEGER, MAX_INTEGER)?;
    let (statuses, outages) = (current_statuses(swarm).await, swarm.outages().await);
    let is_frozen = swarm.frozen_since().await.is_some();
    let name = swarm.process_name().await;
    let listed = list_statuses(&statuses, (about, name.as_deref()), (&outages, is_frozen));
    let listed: Vec<Value> = listed.iter().map(to_value).collect();
    if let (Some(fields), Some(first)) = (&fields, listed.first()) {
        short::check_fields(first, fields)?;
    }
    let is_wanted = |mysis: &&Value| {
        let name = mysis["name"].as_str().unwrap_or_default();
        let comes_after = |after: &str| compare_natural(name, after) == Ordering::Greater;
        asked.after.as_deref().is_none_or(comes_after)
            && conditions.as_ref().is_none_or(|wanted| wanted.fit(mysis))
    };
    let wanted: Vec<&Value> = listed.iter().filter(is_wanted).collect();
    let chosen = wanted.iter().map(|mysis| match &fields {
        Some(fields) => short::choose_fields(mysis, fields),
        None => Value::clone(mysis),
    });
    let shown: Vec<Value> = match asked.limit {
        Some(_) => chosen.take(limit).collect(),
        None => short::as_many_as_fit(chosen, SHORT_ANSWER_BYTES),
    };
    let last = shown
        .len()
        .checked_sub(1)
        .and_then(|last| wanted[last]["name"].as_str());
    let rest = (wanted.len() > shown.len()).then(|| {
        let (left, last) = (wanted.len() - shown.len(), last.unwrap_or_default());
        format!(
            "{left} more Myses: `after` {last} goes on, `limit` asks for more at once (0: all), `fields` and \
             `where` make it shorter"
        )
    });
    let value = Value::Array(shown);
    Ok(ControlAnswer { value, rest })
}

pub(super) async fn read_mission(swarm: &Swarm) -> Value {
    let mission = swarm.mission().await;
    to_value(&MissionJson {
        text: mission.as_ref().map(|mission| mission.text.as_ref().into()),
        at: mission.as_ref().map(|mission| mission.at.to_string()),
    })
}

/// The statuses of all Myses. An order that was acknowledged by another process holds at once: of its
/// Myses, state and profile are those that are stored. The rest is what it told last.
pub(super) async fn current_statuses(swarm: &Swarm) -> Vec<Arc<MysisStatus>> {
    let mut statuses = swarm.statuses().await;
    let elsewhere = statuses.iter().filter(|status| status.elsewhere.is_some());
    let elsewhere: BTreeSet<MysisId> = elsewhere.map(|status| status.id).collect();
    if elsewhere.is_empty() {
        return statuses;
    }
    let stored = tokio::time::timeout(READ_TIMEOUT, swarm.ledger().records(elsewhere)).await;
    let Ok(Ok(stored)) = stored else {
        tracing::warn!("the statuses of other processes are not read; they may be seconds old");
        return statuses;
    };
    let stored = stored.into_iter().map(|record| (record.id, record));
    let mut stored: BTreeMap<MysisId, MysisRecord> = stored.collect();
    statuses.retain_mut(|status| {
        if status.elsewhere.is_none() {
            return true;
        }
        let record = stored.remove(&status.id);
        let is_there = record.is_some();
        let is_other = |record: &MysisRecord| {
            status.state != record.state || *status.own_profile != record.profile
        };
        if let Some(record) = record.filter(is_other) {
            Arc::make_mut(status).take_stored(record);
        }
        is_there
    });
    statuses
}

/// What conditions ask of a Mysis: as in the list of all, but without what servers do.
pub(super) fn one_status(
    about: &ProgramInfo,
    process: Option<&str>,
    status: &Arc<MysisStatus>,
) -> Value {
    let outages = ServerOutages::default();
    let statuses = std::slice::from_ref(status);
    let listed = list_statuses(statuses, (about, process), (&outages, false));
    listed.first().map(to_value).unwrap_or_default()
}

pub(super) async fn program_status(
    swarm: &Swarm,
    about: &ProgramInfo,
    asked: &AskStatus,
) -> ControlAnswer {
    let statuses = current_statuses(swarm).await;
    let mut states: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    for status in &statuses {
        *states.entry(status.state.as_str().into()).or_default() += 1;
    }
    let spending = swarm.budget_status().await;
    let outages = swarm.outages().await;
    let mission = swarm.mission().await;
    let arrival = swarm.login_progress().await;
    let frozen_since = swarm.frozen_since().await;
    let process = swarm.process_name().await;
    let standing = swarm.standing().await;
    let silence = swarm.silence().await;
    let now = MachineClock.now();
    let with_light = |light| {
        let of_light = outages.with_light(light);
        of_light.map(|it| OutageJson::new(it, now)).collect()
    };
    let myses = list_statuses(
        &statuses,
        (about, process.as_deref()),
        (&outages, frozen_since.is_some()),
    );
    let needs = swarm.needs().await.into_iter().map(NeedJson::from);
    let status = to_value(&ProgramStatusJson {
        version: env!("CARGO_PKG_VERSION").into(),
        pid: std::process::id(),
        process: process.as_deref().map(Cow::from),
        started_at: about.started_at.as_str().into(),
        mission: mission.map(|mission| mission.text.to_string()),
        trouble: standing
            .get(StandingKind::StoreTrouble)
            .map(|trouble| trouble.text.as_ref().into()),
        warnings: WarningJson::list(&standing),
        needs: needs.collect(),
        frozen_since: frozen_since.map(|at| at.to_string()),
        silence: silence.as_ref().map(|notice| notice.text.as_ref().into()),
        states,
        arrival: arrival
            // No time can be told while their server is away.
            .filter(|_| frozen_since.is_none() && !is_game_away(&outages))
            .map(|arrival| arrival.to_string()),
        away: with_light(Light::Red),
        doubtful: with_light(Light::Amber),
        proxied: (about.proxied)(),
        credits: sum_of(&statuses, |figures| figures.facts.credits),
        earned_last_hour: sum_of(&statuses, |figures| figures.earned_last_hour(now)),
        number: sum_of_number(&statuses, now),
        today: SpendingJson::new(&spending, now),
        myses,
    });
    match asked.whole {
        true => status.into(),
        false => short::short_status(status),
    }
}

fn is_game_away(outages: &ServerOutages) -> bool {
    outages.away().any(|it| it.is_of_server(&Lane::Game))
}

/// The sum of a figure of all Myses; `None` if it is known of none.
fn sum_of(
    statuses: &[Arc<MysisStatus>],
    figure: impl Fn(&CurrentFigures) -> Option<i64>,
) -> Option<i64> {
    let known = statuses.iter().filter_map(|status| figure(&status.figures));
    known.reduce(i64::saturating_add)
}

/// The sum of the number that the operator named; `None` if no result told of it.
fn sum_of_number(statuses: &[Arc<MysisStatus>], now: Timestamp) -> Option<NumberJson> {
    let named = statuses.iter().filter_map(|of| of.figures.number.as_ref());
    let name = named.map(|number| number.name.to_string()).next()?;
    let level = |figures: &CurrentFigures| Some(figures.number.as_ref()?.level);
    Some(NumberJson {
        name,
        sum: sum_of(statuses, level)?,
        last_hour: sum_of(statuses, |figures| figures.number_last_hour(now))?,
    })
}

/// The texts that are held back from models, by all processes of the database.
pub(super) async fn list_held_texts(swarm: &Swarm) -> Result<Value, String> {
    let held = swarm.archive().held_texts().await;
    let held = held.map_err(|fault| fault.to_string())?;
    let names = swarm.names().await?;
    let name_of = |mysis: MysisId| names.get(&mysis).map(|name| &**name);
    Ok(to_value(&HeldTextJson::list(&held, name_of)))
}

pub(super) async fn list_processes(swarm: &Swarm) -> Result<Value, String> {
    let processes = swarm.archive().processes().await;
    let processes = processes.map_err(|fault| fault.to_string())?;
    let processes = processes.iter().map(ProcessJson::from);
    Ok(to_value(&processes.collect::<Vec<_>>()))
}

fn list_statuses<'a>(
    statuses: &'a [Arc<MysisStatus>],
    (about, process): (&ProgramInfo, Option<&'a str>),
    (outages, is_frozen): (&ServerOutages, bool),
) -> Vec<MysisStatusJson<'a>> {
    let now = MachineClock.now();
    let mut statuses: Vec<&'a Arc<MysisStatus>> = statuses.iter().collect();
    statuses.sort_by(|a, b| compare_natural(&a.name, &b.name));
    statuses
        .into_iter()
        .map(|status| {
            let line = MysisStatusJson::new(status, about.prices.is_known(status), outages, now);
            let line = line.in_process(process);
            match is_frozen {
                true => line.when_frozen(status),
                false => line,
            }
        })
        .collect()
}
