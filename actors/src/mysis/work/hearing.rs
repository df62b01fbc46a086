//! Hearing a model out: how long its answer is waited for, and what is told of it meanwhile.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::domain::model::{Arrived, ModelAnswer, ModelFault};

/// How often it is told at most how much is there. What takes less is told when it is over.
const TELLING: Duration = Duration::from_secs(1);
/// The longest that an answer may take which comes in pieces, in silences that it may have.
const SILENCES: u32 = 6;

type Answer = Result<ModelAnswer, ModelFault>;

/// Waits for an answer: as long as `silence` for one that comes in one piece, as long as that from
/// piece to piece for another, though not for ever. `tell` hears how much is there.
pub(super) async fn hear_out(
    mut answer: BoxFuture<'static, Answer>,
    mut face: watch::Receiver<Arrived>,
    silence: Duration,
    mut tell: impl FnMut(Arrived),
) -> Answer {
    let begun = Instant::now();
    let end = begun + silence * SILENCES;
    let (mut heard, mut told) = (begun, begun);
    let mut untold: Option<Arrived> = None;
    let alarm = tokio::time::sleep(silence);
    tokio::pin!(alarm);
    loop {
        // All of them can be dropped and asked again without a loss.
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            Ok(()) = face.changed() => {
                heard = Instant::now();
                // The alarm is moved once a telling, not with each piece.
                if untold.replace(*face.borrow_and_update()).is_none() {
                    let telling = (told + TELLING).max(heard);
                    alarm.as_mut().reset(telling.min(heard + silence).min(end));
                }
            }
            () = &mut alarm => {
                let now = Instant::now();
                if now >= end.min(heard + silence) {
                    return Err(too_late(now >= end, silence, *face.borrow()));
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

fn too_late(is_endless: bool, silence: Duration, arrived: Arrived) -> ModelFault {
    let bytes = arrived.words.saturating_add(arrived.thoughts);
    let text = match bytes {
        0 => format!("no answer within {silence:?}"),
        _ if is_endless => format!("no end of the answer within {:?}", silence * SILENCES),
        _ => format!("nothing more of the answer for {silence:?}, after {bytes} bytes"),
    };
    ModelFault::Transient {
        text,
        retry_after: None,
    }
}
