//! Notices that the whole process stood still: it was stopped, or the machine slept.

use std::time::Duration;

use actors::domain::message::Severity;
use rustix::time::{ClockId, clock_gettime};
use tokio_util::task::AbortOnDropHandle;

use crate::telemetry::operator::Operator;

const STEP: Duration = Duration::from_secs(1);
/// The shortest standstill that the operator is told of. A busy machine delays a step by less.
const SHORTEST: Duration = Duration::from_secs(5);

/// Tells the operator, after each standstill, how long it was. It ends when the handle is dropped.
pub(crate) fn watch(operator: Operator) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut last = Clocks::now();
        loop {
            tokio::time::sleep(STEP).await;
            let now = Clocks::now();
            if let Some(text) = describe(&last, &now) {
                operator.notify(Severity::Warn, "stood_still", &text);
            }
            last = now;
        }
    }))
}

/// Two clocks that only go forward.
struct Clocks {
    /// Goes on while the process is stopped, and stands while the machine sleeps.
    awake: Duration,
    /// Goes on always.
    all: Duration,
}

impl Clocks {
    fn now() -> Clocks {
        let read = |clock| Duration::try_from(clock_gettime(clock)).unwrap_or_default();
        Clocks {
            awake: read(ClockId::Monotonic),
            all: read(ClockId::Boottime),
        }
    }
}

/// The words for a standstill between two steps; `None` if there was none.
fn describe(last: &Clocks, now: &Clocks) -> Option<String> {
    let awake = now.awake.saturating_sub(last.awake).saturating_sub(STEP);
    let all = now.all.saturating_sub(last.all).saturating_sub(STEP);
    let slept = all.saturating_sub(awake);
    let (time, why) = if slept >= SHORTEST {
        (all, "the machine slept")
    } else if awake >= SHORTEST {
        (
            awake,
            "its process was stopped (Ctrl-Z, SIGSTOP) and continued",
        )
    } else {
        return None;
    };
    let time = humantime::format_duration(Duration::from_secs(time.as_secs()));
    Some(format!(
        "the program did not run for {time}: {why}; calls in flight may \
         have an unknown outcome"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(awake: u64, all: u64) -> Option<String> {
        let at = |awake, all| Clocks {
            awake: Duration::from_secs(awake),
            all: Duration::from_secs(all),
        };
        describe(&at(100, 200), &at(100 + awake, 200 + all))
    }

    #[test]
    fn a_standstill_is_told_with_its_length_and_its_cause() {
        assert_eq!(after(1, 1), None);
        assert_eq!(after(5, 5), None, "a busy machine");
        let stopped = after(91, 91).expect("a notice");
        assert!(stopped.starts_with("the program did not run for 1m 30s: its process was stopped"));
        let slept = after(1, 3601).expect("a notice");
        assert!(slept.starts_with("the program did not run for 1h: the machine slept"));
    }
}
