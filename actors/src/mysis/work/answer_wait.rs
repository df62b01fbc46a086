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
/// The longest time without a part of the answer while there are signs of life, likewise. A server
/// that reads a long prompt sends comments meanwhile.
const MAX_WORDLESS_SILENCES: u32 = 4;

type ModelResult = Result<ModelAnswer, ModelFault>;

/// Waits for an answer. Without a sign of life it may take `silence`; with them
/// `MAX_WORDLESS_SILENCES` times that between two parts of the answer, and `MAX_SILENCES` times in all.
/// `tell` receives the progress, `hear` each sign of life.
pub(super) async fn await_answer(
    mut answer: BoxFuture<'static, ModelResult>,
    meter: &AnswerMeter,
    silence: Duration,
    (mut emit, on_sign): (impl FnMut(AnswerProgress), impl Fn()),
) -> ModelResult {
    let (mut progress, mut signs) = (meter.subscribe(), meter.subscribe_to_signs());
    let mut limit = WaitLimit::of(silence);
    let mut emitted_at = limit.begun;
    let mut pending: Option<AnswerProgress> = None;
    let alarm = tokio::time::sleep(silence);
    tokio::pin!(alarm);
    loop {
        // Cancel-safe: each of these futures can be dropped and polled again without a loss.
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            Ok(()) = progress.changed() => {
                limit.last_words = Instant::now();
                limit.alive = limit.last_words;
                on_sign();
                // The timer is set once for each report and not with each delta, of which there may
                // be many.
                if pending.replace(*progress.borrow_and_update()).is_none() {
                    let telling = (emitted_at + PROGRESS_INTERVAL).max(limit.last_words);
                    alarm.as_mut().reset(telling.min(limit.end()));
                }
            }
            () = &mut alarm => {
                let now = Instant::now();
                if now >= limit.end() {
                    meter.give_up();
                    return Err(limit.too_late(now, *progress.borrow()));
                }
                if let Some(arrived) = pending.take() {
                    emitted_at = now;
                    emit(arrived);
                }
                alarm.as_mut().reset(limit.end());
            }
            // The timer is set anew when it goes off.
            Ok(()) = signs.changed() => {
                signs.borrow_and_update();
                limit.alive = Instant::now();
                on_sign();
            }
        }
    }
}

/// How long an answer is still waited for.
struct WaitLimit {
    silence: Duration,
    begun: Instant,
    /// When a part of the answer came last.
    last_words: Instant,
    /// When anything came last.
    alive: Instant,
}

impl WaitLimit {
    fn of(silence: Duration) -> WaitLimit {
        let begun = Instant::now();
        WaitLimit {
            silence,
            begun,
            last_words: begun,
            alive: begun,
        }
    }

    fn end(&self) -> Instant {
        let of_all = self.begun + self.silence * MAX_SILENCES;
        let wordless = self.last_words + self.silence * MAX_WORDLESS_SILENCES;
        of_all.min(wordless).min(self.alive + self.silence)
    }

    fn too_late(&self, now: Instant, arrived: AnswerProgress) -> ModelFault {
        let silence = self.silence;
        let bytes = arrived.words.saturating_add(arrived.thoughts);
        let is_endless = now >= self.begun + silence * MAX_SILENCES;
        let is_alive = self.alive > self.last_words;
        let waited = (now - self.last_words).as_secs();
        let text = match bytes {
            0 if is_alive => format!(
                "no answer within {waited}s, though the server gave signs of life: it may read a long \
                 prompt; give its provider a longer timeout"
            ),
            0 => format!("no answer within {silence:?}"),
            _ if is_endless => format!("no end of the answer within {:?}", silence * MAX_SILENCES),
            _ => format!("nothing more of the answer for {waited}s, after {bytes} bytes"),
        };
        ModelFault::Transient {
            text,
            retry_after: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use parking_lot::Mutex;
    use std::sync::Arc;

    const SILENCE: Duration = Duration::from_secs(60);

    fn yes() -> ModelResult {
        Ok(ModelAnswer {
            text: "yes".to_string(),
            ..ModelAnswer::default()
        })
    }

    /// A model that sends a byte after each pause and then its answer. Returns the answer, the time
    /// that it took, and the reports with their seconds.
    async fn answer_after(pauses: Vec<Duration>) -> (ModelResult, Duration, Vec<(u64, u64)>) {
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
        let reports = Arc::new(Mutex::new(Vec::new()));
        let emit = |arrived: AnswerProgress| {
            let at = begun.elapsed().as_secs();
            reports.lock().push((at, arrived.words));
        };
        let answer = await_answer(model.boxed(), &shared, SILENCE, (emit, || {})).await;
        assert_eq!(shared.is_given_up(), answer.is_err());
        let reports = reports.lock().clone();
        (answer, begun.elapsed(), reports)
    }

    fn text(answer: &ModelResult) -> &str {
        answer.as_ref().expect_err("it is too late").text()
    }

    #[tokio::test(start_paused = true)]
    async fn who_speaks_slowly_is_heard_out_and_who_falls_silent_is_not() {
        let (answer, took, _) = answer_after(vec![SILENCE.mul_f64(0.9); 6]).await;
        assert_eq!((answer, took.as_secs()), (yes(), 324));
        let (answer, took, _) = answer_after(vec![SILENCE * 2]).await;
        assert_eq!(
            (text(&answer), took.as_secs()),
            ("no answer within 60s", 60)
        );
        let pauses = vec![Duration::from_secs(50), Duration::from_secs(5), SILENCE * 2];
        let (answer, took, _) = answer_after(pauses).await;
        let expected = "nothing more of the answer for 60s, after 2 bytes";
        assert_eq!((text(&answer), took.as_secs()), (expected, 115));
    }

    /// A model of which this comes before it answers, each after a pause: whether it is a part of the
    /// answer, or just a sign of life.
    async fn alive(pauses: Vec<(bool, Duration)>) -> (ModelResult, u64) {
        let shared = AnswerMeter::default();
        let meter = shared.clone();
        let model = async move {
            for (words, (is_part, pause)) in (1..).zip(pauses) {
                tokio::time::sleep(pause).await;
                meter.gives_sign_of_life();
                if is_part {
                    meter.stands_at(AnswerProgress { words, thoughts: 0 });
                }
            }
            yes()
        };
        let begun = Instant::now();
        let answer = await_answer(model.boxed(), &shared, SILENCE, (|_| {}, || {})).await;
        (answer, begun.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn comments_are_signs_of_life_within_a_bound_of_their_own() {
        let pause = Duration::from_secs(50);
        // A long prompt is read, and its end is told.
        let (answer, took) = alive(vec![(false, pause); 4]).await;
        assert_eq!((answer, took), (yes(), 200));
        let (answer, took) = alive(vec![(false, pause); 100]).await;
        assert!(text(&answer).contains("signs of life"), "{answer:?}");
        assert_eq!(took, 240);
        // Each part of the answer begins the bound anew, up to that of the whole.
        let (answer, took) = alive([[(false, pause); 3], [(true, pause); 3]].concat()).await;
        assert_eq!((answer, took), (yes(), 300));
        let parts = [vec![(true, pause)], vec![(false, pause); 100]].concat();
        let (answer, took) = alive(parts).await;
        let expected = "nothing more of the answer for 240s, after 1 bytes";
        assert_eq!((text(&answer), took), (expected, 290));
        // Without them, nothing is waited for longer than before.
        let (answer, took) = alive(vec![(false, pause), (false, SILENCE * 2)]).await;
        assert!(answer.is_err() && took == 110, "{took}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_never_ends_is_not_heard_for_ever() {
        let (answer, took, reports) = answer_after(vec![Duration::from_millis(10); 100_000]).await;
        let expected = "no end of the answer within 360s";
        assert_eq!((text(&answer), took.as_secs()), (expected, 360));
        assert!((350..=360).contains(&reports.len()), "{}", reports.len());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_there_is_told_once_a_second_and_not_of_what_is_over_by_then() {
        let (_, _, reports) = answer_after(vec![Duration::from_millis(9); 100]).await;
        assert_eq!(reports, []);
        let (_, _, reports) = answer_after(vec![Duration::from_millis(300); 10]).await;
        assert_eq!(reports, [(1, 3), (2, 6)]);
        // After a long silence the first delta is reported at once.
        let second = Duration::from_millis(1);
        let (_, _, reports) = answer_after(vec![Duration::from_secs(7), second, second]).await;
        assert_eq!(reports, [(7, 1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_any_progress_the_time_is_that_of_the_whole() {
        let (meter, begun) = (AnswerMeter::default(), Instant::now());
        let model = tokio::time::sleep(SILENCE / 2).map(|()| yes()).boxed();
        let answer = await_answer(
            model,
            &meter,
            SILENCE,
            (|_| panic!("nothing is there"), || {}),
        )
        .await;
        assert_eq!((answer, begun.elapsed()), (yes(), SILENCE / 2));
    }
}
