//! Waits for a model's answer, limits the wait, and reports progress meanwhile.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::domain::model::{AnswerProgress, ModelAnswer, ModelFault};
use crate::ports::AnswerMeter;

/// The shortest interval between two progress reports. A shorter answer is only reported when it is
/// complete.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
/// The longest time for a streamed answer, as a multiple of the longest silence.
const MAX_SILENCES: u32 = 6;

type ModelResult = Result<ModelAnswer, ModelFault>;

/// Waits for an answer. An answer that is not streamed may take `silence`. A streamed one may be
/// silent for as long between two deltas, and has `MAX_SILENCES` times that in all. `tell` receives
/// the progress.
pub(super) async fn await_answer(
    mut answer: BoxFuture<'static, ModelResult>,
    meter: &AnswerMeter,
    silence: Duration,
    mut tell: impl FnMut(AnswerProgress),
) -> ModelResult {
    let mut progress = meter.subscribe();
    let begun = Instant::now();
    let end = begun + silence * MAX_SILENCES;
    let (mut heard, mut told) = (begun, begun);
    let mut untold: Option<AnswerProgress> = None;
    let alarm = tokio::time::sleep(silence);
    tokio::pin!(alarm);
    loop {
        // Cancel-safe: each of these futures can be dropped and polled again without a loss.
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            Ok(()) = progress.changed() => {
                heard = Instant::now();
                // The timer is set once for each report and not with each delta, of which there may
                // be many.
                if untold.replace(*progress.borrow_and_update()).is_none() {
                    let telling = (told + PROGRESS_INTERVAL).max(heard);
                    alarm.as_mut().reset(telling.min(heard + silence).min(end));
                }
            }
            () = &mut alarm => {
                let now = Instant::now();
                if now >= end.min(heard + silence) {
                    meter.give_up();
                    return Err(too_late(now >= end, silence, *progress.borrow()));
                }
                if let Some(arrived) = untold.take() {
                    told = now;
                    tell(arrived);
                }
                alarm.as_mut().reset(end.min(heard + silence));
            }
        }
    }
}

fn too_late(is_endless: bool, silence: Duration, arrived: AnswerProgress) -> ModelFault {
    let bytes = arrived.words.saturating_add(arrived.thoughts);
    let text = match bytes {
        0 => format!("no answer within {silence:?}"),
        _ if is_endless => format!("no end of the answer within {:?}", silence * MAX_SILENCES),
        _ => format!("nothing more of the answer for {silence:?}, after {bytes} bytes"),
    };
    ModelFault::Transient {
        text,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::sync::{Arc, Mutex};

    const SILENCE: Duration = Duration::from_secs(60);

    fn yes() -> ModelResult {
        Ok(ModelAnswer {
            text: "yes".to_string(),
            ..ModelAnswer::default()
        })
    }

    /// A model that sends a byte after each pause and then its answer. Returns the answer, the time
    /// that it took, and the reports with their seconds.
    async fn heard(pauses: Vec<Duration>) -> (ModelResult, Duration, Vec<(u64, u64)>) {
        let shared = AnswerMeter::default();
        let meter = shared.clone();
        let model = async move {
            for (words, pause) in (1..).zip(pauses) {
                tokio::time::sleep(pause).await;
                meter.stands_at(AnswerProgress { words, thoughts: 0 });
            }
            yes()
        };
        let begun = Instant::now();
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = |arrived: AnswerProgress| {
            let at = begun.elapsed().as_secs();
            told.lock().unwrap().push((at, arrived.words));
        };
        let answer = await_answer(model.boxed(), &shared, SILENCE, tell).await;
        assert_eq!(shared.is_given_up(), answer.is_err());
        let told = told.lock().unwrap().clone();
        (answer, begun.elapsed(), told)
    }

    fn text(answer: &ModelResult) -> &str {
        answer.as_ref().expect_err("it is too late").text()
    }

    #[tokio::test(start_paused = true)]
    async fn who_speaks_slowly_is_heard_out_and_who_falls_silent_is_not() {
        let (answer, took, _) = heard(vec![SILENCE.mul_f64(0.9); 6]).await;
        assert_eq!((answer, took.as_secs()), (yes(), 324));
        let (answer, took, _) = heard(vec![SILENCE * 2]).await;
        assert_eq!(
            (text(&answer), took.as_secs()),
            ("no answer within 60s", 60)
        );
        let pauses = vec![Duration::from_secs(50), Duration::from_secs(5), SILENCE * 2];
        let (answer, took, _) = heard(pauses).await;
        let expected = "nothing more of the answer for 60s, after 2 bytes";
        assert_eq!((text(&answer), took.as_secs()), (expected, 115));
    }

    #[tokio::test(start_paused = true)]
    async fn who_never_ends_is_not_heard_for_ever() {
        let (answer, took, told) = heard(vec![Duration::from_millis(10); 100_000]).await;
        let expected = "no end of the answer within 360s";
        assert_eq!((text(&answer), took.as_secs()), (expected, 360));
        assert!((350..=360).contains(&told.len()), "{}", told.len());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_is_told_once_a_second_and_not_of_what_is_over_by_then() {
        let (_, _, told) = heard(vec![Duration::from_millis(9); 100]).await;
        assert_eq!(told, []);
        let (_, _, told) = heard(vec![Duration::from_millis(300); 10]).await;
        assert_eq!(told, [(1, 3), (2, 6)]);
        // After a long silence the first delta is reported at once.
        let second = Duration::from_millis(1);
        let (_, _, told) = heard(vec![Duration::from_secs(7), second, second]).await;
        assert_eq!(told, [(7, 1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_any_progress_the_time_is_that_of_the_whole() {
        let (meter, begun) = (AnswerMeter::default(), Instant::now());
        let model = tokio::time::sleep(SILENCE / 2).map(|()| yes()).boxed();
        let answer = await_answer(model, &meter, SILENCE, |_| panic!("nothing is there")).await;
        assert_eq!((answer, begun.elapsed()), (yes(), SILENCE / 2));
    }
}
