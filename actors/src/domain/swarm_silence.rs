//! The silence of a swarm: whether a provider, a swarm or some Myses run and nothing happens, or most
//! of their calls fail. The screen, `status`, the control interface and the alerts share this rule
//! and its text.

use std::collections::BTreeMap;
use std::time::Duration;

use super::event::{Activity, MysisStatus};
use super::failing_calls::{FailingCalls, failing_together};
use super::needs::operator_need;
use super::silence::{NO_ANSWER, SWARM_SILENCE_TIME, Silence, SilenceNotice, SilenceScope};
use super::state::LifeState;

/// The least answers of words alone after which a provider with several Myses is judged.
const MIN_PROVIDER_ANSWERS: u32 = 6;
/// The least answers of words alone after which a provider with a single Mysis is judged.
const MIN_SINGLE_ANSWERS: u32 = 3;

/// What to report about a swarm that runs for so long. `has_succeeded` says whether a tool call
/// succeeded since it runs.
pub fn silence_notice<'a>(
    statuses: impl Iterator<Item = &'a MysisStatus>,
    has_succeeded: bool,
    running_for: Duration,
) -> Option<SilenceNotice> {
    let running: Vec<&MysisStatus> = statuses
        .filter(|status| status.state == LifeState::Running)
        .collect();
    let report = |scope, text: String| {
        let text = text.into();
        Some(SilenceNotice { scope, text })
    };
    if let Some(text) = silent_provider(&running) {
        return report(SilenceScope::Provider, text);
    }
    if !has_succeeded
        && running_for >= SWARM_SILENCE_TIME
        && let Some(text) = silent_swarm(&running)
    {
        return report(SilenceScope::Swarm, text);
    }
    let failing: Vec<(&str, &FailingCalls)> = running
        .iter()
        .filter_map(|status| Some((&*status.name, status.failing.as_deref()?)))
        .collect();
    if let Some(text) = failing_swarm(&failing, running.len()) {
        return report(SilenceScope::Swarm, text);
    }
    let text = silent_myses(&running).or_else(|| failing_myses(&failing))?;
    report(SilenceScope::Myses, text)
}

/// A swarm in which most calls fail for at least half of the running Myses.
fn failing_swarm(failing: &[(&str, &FailingCalls)], running: usize) -> Option<String> {
    let count = failing.len();
    if count == 0 || count * 2 < running {
        return None;
    }
    let calls = failing.iter().map(|(_, calls)| *calls);
    let text = failing_together(calls);
    let names: Vec<&str> = failing.iter().map(|(name, _)| *name).take(3).collect();
    let more = if count > names.len() { ", …" } else { "" };
    Some(format!(
        "most calls fail: {count} of {running} Myses ({}{more}): {text}",
        names.join(", ")
    ))
}

fn failing_myses(failing: &[(&str, &FailingCalls)]) -> Option<String> {
    let (name, calls) = failing.first()?;
    let others = others_in_words(failing.len() - 1);
    Some(format!("{name}{others}: {}", calls.why()))
}

fn others_in_words(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    }
}

/// A provider whose answers were words alone for all its Myses.
fn silent_provider(running: &[&MysisStatus]) -> Option<String> {
    let mut providers: BTreeMap<&str, Vec<&MysisStatus>> = BTreeMap::new();
    for status in running {
        let source = status.silence.as_deref().and_then(Silence::source);
        let provider = source.map_or(&status.profile.provider, |source| &source.provider);
        providers.entry(provider).or_default().push(status);
    }
    providers
        .values()
        .find_map(|myses| words_of_provider(myses))
}

fn words_of_provider(myses: &[&MysisStatus]) -> Option<String> {
    let mut speaking: Vec<&Silence> = Vec::new();
    for status in myses {
        // One that has called, in vain or not, shows that the provider makes calls.
        let silence = status.silence.as_deref()?;
        if silence.has_called() {
            return None;
        }
        if silence.answers() > 0 {
            speaking.push(silence);
        }
    }
    let answers: u32 = speaking.iter().map(|silence| silence.answers()).sum();
    let is_clear = match speaking[..] {
        [] => false,
        [one] => one.answers() >= MIN_SINGLE_ANSWERS && one.since().is_some(),
        [_, _, ..] => answers >= MIN_PROVIDER_ANSWERS,
    };
    let example = speaking.first().filter(|_| is_clear)?;
    let source = example.source()?;
    let finding = example.finding()?;
    Some(format!(
        "nothing happens: model {} of provider {} {}",
        source.model,
        source.provider,
        finding.strip_prefix("it ").unwrap_or(&finding)
    ))
}

/// A swarm in which no tool call succeeded.
fn silent_swarm(running: &[&MysisStatus]) -> Option<String> {
    let waiting = || {
        running.iter().filter(|status| {
            let is_paused = matches!(status.activity, Activity::Paused(_));
            let silence = status.silence.as_deref();
            !is_paused && silence.is_some_and(|silence| silence.is_expected())
        })
    };
    waiting().next()?;
    let mut findings = waiting().filter_map(|status| {
        let need = || operator_need(status).map(|need| need.why.to_string());
        let finding = status.silence.as_deref()?.finding().or_else(need)?;
        Some(format!("{}: {finding}", status.name))
    });
    let finding = findings.next().unwrap_or_else(|| NO_ANSWER.to_string());
    let minutes = SWARM_SILENCE_TIME.as_secs() / 60;
    Some(format!(
        "nothing happens: no tool call succeeded in the first {minutes} minutes; {finding}"
    ))
}

/// Myses whose first turns brought nothing, while others play.
fn silent_myses(running: &[&MysisStatus]) -> Option<String> {
    let mut silent = running.iter().filter_map(|status| {
        let silence = status.silence.as_deref()?;
        silence.since()?;
        Some((&status.name, silence))
    });
    let (name, silence) = silent.next()?;
    let others = others_in_words(silent.count());
    Some(format!("{name}{others}: {}", silence.why()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::ids::{MysisId, Timestamp};
    use super::super::record::{MysisProfile, MysisRecord};
    use super::super::rules::SwarmRules;
    use super::super::silence::ModelSource;
    use super::*;

    const SHORT: Duration = Duration::from_secs(299);

    fn running(id: i64, silence: Option<Silence>) -> MysisStatus {
        let profile = MysisProfile::of(&format!("m{id}"), "local");
        let record = MysisRecord::new(MysisId(id), profile, Timestamp(0));
        MysisStatus {
            state: LifeState::Running,
            silence: silence.map(Arc::new),
            ..MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(0))
        }
    }

    fn speaking(turns: u32) -> Silence {
        let mut silence = Silence::default();
        for turn in 0..turns {
            silence.begin_turn(true);
            let source = ModelSource {
                provider: "local".into(),
                model: "qwen".into(),
            };
            silence.record_words("let us go", false, source);
            silence.end_turn(Timestamp(i64::from(turn)));
        }
        silence
    }

    fn waiting(is_expected: bool) -> Silence {
        let mut silence = Silence::default();
        silence.begin_turn(is_expected);
        silence
    }

    fn failing(turns: u32) -> Silence {
        let mut silence = Silence::default();
        for turn in 0..turns {
            silence.begin_turn(true);
            silence.record_failure(&"mine".into(), "Error: no");
            silence.end_turn(Timestamp(i64::from(turn)));
        }
        silence
    }

    fn scope(silences: &[Option<Silence>], time: Duration) -> Option<SilenceScope> {
        let statuses: Vec<MysisStatus> = (1..)
            .zip(silences)
            .map(|(id, silence)| running(id, silence.clone()))
            .collect();
        silence_notice(statuses.iter(), false, time).map(|notice| notice.scope)
    }

    #[test]
    fn a_provider_is_told_of_where_all_its_answers_are_words() {
        let provider = Some(SilenceScope::Provider);
        let [three, two] = [3, 2].map(|turns| Some(speaking(turns)));
        assert_eq!(scope(std::slice::from_ref(&three), SHORT), provider);
        assert_eq!(scope(std::slice::from_ref(&two), SHORT), None);
        assert_eq!(scope(&[three.clone(), three.clone()], SHORT), provider);
        assert_eq!(scope(&[two.clone(), two.clone()], SHORT), None);
        assert_eq!(scope(&[two.clone(), two.clone(), two], SHORT), provider);
        // One that plays, or tries, shows that the provider makes calls.
        let myses = Some(SilenceScope::Myses);
        assert_eq!(scope(&[three.clone(), None], SHORT), myses);
        assert_eq!(scope(&[three.clone(), Some(failing(1))], SHORT), myses);
        let one = running(1, three);
        let notice = silence_notice([&one].into_iter(), true, SHORT).expect("a notice");
        let begin = "nothing happens: model qwen of provider local writes text and calls no tool: \
                     \"let us go\"; ";
        assert!(notice.text.starts_with(begin), "{}", notice.text);
    }

    #[test]
    fn a_swarm_is_told_of_after_five_minutes_without_a_success() {
        let swarm = Some(SilenceScope::Swarm);
        for silence in [waiting(true), failing(1), speaking(1)] {
            let silences = [Some(silence)];
            assert_eq!(scope(&silences, SHORT), None);
            assert_eq!(scope(&silences, SWARM_SILENCE_TIME), swarm);
            let one = running(1, silences[0].clone());
            let notice = silence_notice([&one].into_iter(), true, SWARM_SILENCE_TIME);
            assert_eq!(notice, None, "a call succeeded before");
        }
        assert_eq!(scope(&[Some(waiting(false))], SWARM_SILENCE_TIME), None);
        let paused = MysisStatus {
            activity: Activity::Paused("the budget".into()),
            ..running(1, Some(waiting(true)))
        };
        assert_eq!(
            silence_notice([&paused].into_iter(), false, SWARM_SILENCE_TIME),
            None
        );
        let stopped = MysisStatus {
            state: LifeState::Stopped,
            ..running(1, Some(failing(3)))
        };
        assert_eq!(
            silence_notice([&stopped].into_iter(), false, SWARM_SILENCE_TIME),
            None
        );
        assert_eq!(scope(&[], SWARM_SILENCE_TIME), None);
    }

    fn with_failures(status: MysisStatus) -> MysisStatus {
        let failing = FailingCalls {
            calls: 50,
            errors: [
                ("mine: cargo_full".into(), 13),
                ("sell: invalid_item".into(), 31),
            ]
            .into(),
            since: Timestamp(7),
        };
        MysisStatus {
            failing: Some(Arc::new(failing)),
            ..status
        }
    }

    #[test]
    fn failing_calls_are_reported_of_the_swarm_where_half_of_it_fails() {
        let notice_of = |failing: usize, all: usize| {
            let ids = (1..).take(all);
            let statuses: Vec<MysisStatus> = (0..)
                .zip(ids)
                .map(|(place, id)| match place < failing {
                    true => with_failures(running(id, None)),
                    false => running(id, None),
                })
                .collect();
            silence_notice(statuses.iter(), true, SHORT)
        };
        assert_eq!(notice_of(0, 3), None);
        let notice = notice_of(4, 5).unwrap();
        assert_eq!(notice.scope, SilenceScope::Swarm);
        let begin = "most calls fail: 4 of 5 Myses (m1, m2, m3, …): 88 % of their last 200 calls failed, most often \
                     sell: invalid_item (124 times); ";
        assert!(notice.text.starts_with(begin), "{}", notice.text);
        assert_eq!(notice_of(1, 1).unwrap().scope, SilenceScope::Swarm);
        let notice = notice_of(2, 5).unwrap();
        assert_eq!(notice.scope, SilenceScope::Myses);
        let begin = "m1 (and 1 more): 88 % of its last 50 calls failed, most often sell: ";
        assert!(notice.text.starts_with(begin), "{}", notice.text);
        let stopped = MysisStatus {
            state: LifeState::Stopped,
            ..with_failures(running(1, None))
        };
        assert_eq!(silence_notice([&stopped].into_iter(), true, SHORT), None);
    }

    #[test]
    fn myses_that_fail_beside_others_are_counted() {
        let silences = [Some(failing(3)), None, Some(failing(4))];
        assert_eq!(
            scope(&silences, SWARM_SILENCE_TIME),
            Some(SilenceScope::Swarm)
        );
        let statuses = (1..).zip(&silences);
        let statuses: Vec<MysisStatus> = statuses
            .map(|(id, silence)| running(id, silence.clone()))
            .collect();
        let notice = silence_notice(statuses.iter(), true, SHORT).expect("a notice");
        assert_eq!(notice.scope, SilenceScope::Myses);
        let begin =
            "m1 (and 1 more): no tool call succeeded in its first 3 turns: every call failed";
        assert!(notice.text.starts_with(begin), "{}", notice.text);
    }
}
