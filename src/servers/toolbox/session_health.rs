//! The health of a session: servers say in many ways that they do not know one any more.
//!
//! Whatever the words are, two refusals in a row are a reason to ask, and a new session that cures
//! them is the proof. One that does not is an outage of the server: the next one is opened after
//! waits that double. A server may check sessions only where a tool is called: where it says that it knows
//! the session, a new one is tried all the same, and one that cures nothing makes the next trial
//! later. A server that seems to be away may have forgotten the session, too: where one does not list its tools
//! in it twice in a row, a new one is opened beside it. No call is made again for a doubt.

use std::time::Duration;

use actors::domain::backoff::Backoff;
use actors::domain::bounds::{self, MAX_REFUSAL_BYTES};
use actors::ports::LinkReply;
use tokio::time::Instant;
use zoea_mcp::{COMMAND_FAILED_CODE, McpFailure};

use super::REQUEST_CODES;

/// The refusals in a row after which a session is in doubt.
const DOUBTFUL: u32 = 2;
/// The first wait for another session after one that cured nothing, and the longest.
const FIRST_WAIT: Duration = Duration::from_secs(4);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// The first wait before a session is tried again that the server says it knows.
const TRIAL_WAIT: Duration = Duration::from_secs(10);
const SESSION_WORD: &str = "session";

#[derive(Debug, Default)]
pub(super) struct SessionHealth {
    /// The refusals in a row.
    refused: u32,
    /// Whether they mean the session, unless they mean the whole server. Otherwise they may be the
    /// game's words about the calls.
    is_certain: bool,
    /// The new sessions in a row that cured nothing.
    in_vain: u32,
    not_before: Option<Instant>,
    trial: SessionTrial,
    why: String,
    /// The lists of tools in a row that did not come.
    unlisted: u32,
}

/// Trials of new sessions in place of one that the server says it knows.
#[derive(Debug, Default)]
struct SessionTrial {
    is_due: bool,
    /// Whether the first answer in it has not come yet.
    is_open: bool,
    /// Those in a row that cured nothing.
    in_vain: u32,
    not_before: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hint {
    Known,
    /// The server may not know it.
    Refused {
        is_certain: bool,
    },
    /// The server does not know it.
    Lost,
    Nothing,
}

impl SessionHealth {
    /// Takes the answer to a call, or why there is none.
    pub(super) fn on_answer(&mut self, answer: &Result<LinkReply, McpFailure>) {
        match hint_of(answer.as_ref()) {
            Hint::Known => {
                let trial = std::mem::take(&mut self.trial).after(true);
                *self = SessionHealth {
                    trial,
                    ..SessionHealth::default()
                };
            }
            Hint::Refused { is_certain } => {
                self.trial = std::mem::take(&mut self.trial).after(false);
                self.is_certain = is_certain && (self.refused == 0 || self.is_certain);
                self.refused = self.refused.saturating_add(1);
            }
            Hint::Lost => {
                self.is_certain = true;
                self.refused = DOUBTFUL;
            }
            Hint::Nothing => return,
        }
        let why = match answer {
            Ok(LinkReply::Answer(answer)) if answer.is_error => answer.text.clone(),
            Ok(LinkReply::Answer(_) | LinkReply::Task(_)) => String::new(),
            Err(failure) => failure.to_string(),
        };
        self.why = bounds::bounded_text(why, MAX_REFUSAL_BYTES);
    }

    /// Notes that the tools are asked for in this session. Returns whether that failed so often before that
    /// a new session is to be opened beside it: the second time, and ever more seldom.
    pub(super) fn on_listing(&mut self) -> bool {
        let before = self.unlisted;
        self.unlisted = before.saturating_add(1);
        before >= DOUBTFUL && before.is_power_of_two()
    }

    pub(super) fn on_listed(&mut self) {
        self.unlisted = 0;
    }

    /// Whether the session has to be tried before the next call.
    pub(super) fn is_doubtful(&self) -> bool {
        self.refused >= DOUBTFUL
    }

    /// Why the session counts as lost without being asked for; `None` if it does not.
    pub(super) fn reason(&self) -> Option<String> {
        let is_lost = self.is_doubtful() && (self.is_certain || self.trial.is_due);
        is_lost.then(|| format!("the session may be lost: {}", self.why))
    }

    /// Notes that the server says it knows the session. Unless its refusals spoke of the session, they may
    /// have meant the calls: then a new session is tried, or nothing is done if that cured nothing lately.
    pub(super) fn on_known(&mut self, now: Instant, has_session: bool) {
        if !self.is_doubtful() || self.is_certain {
            return;
        }
        match has_session && self.trial.not_before.is_none_or(|at| now >= at) {
            true => self.trial.is_due = true,
            false => self.refused = 0,
        }
    }

    /// Notes that the server does not know the session.
    pub(super) fn on_lost(&mut self, why: &str) {
        self.refused = DOUBTFUL;
        self.is_certain = true;
        self.why = why.to_string();
    }

    /// Why no new session is opened now; `None` if it may be.
    pub(super) fn hindrance(&self, now: Instant) -> Option<String> {
        let wait = self.not_before?.checked_duration_since(now)?;
        let is_in_vain = self.is_doubtful() && !wait.is_zero();
        is_in_vain.then(|| {
            format!(
                "the server refuses all calls, in a new session, too ({}); another one is opened in {} s",
                self.why,
                wait.as_secs() + 1
            )
        })
    }

    pub(super) fn on_opened(&mut self, now: Instant) {
        if self.is_doubtful() && self.trial.is_due {
            self.trial.begin(now);
        } else if self.is_doubtful() {
            let waits = Backoff::new(FIRST_WAIT, LONGEST_WAIT);
            self.not_before = Some(now + waits.nth_wait(self.in_vain));
            self.in_vain = self.in_vain.saturating_add(1);
        }
        self.refused = 0;
        self.is_certain = false;
    }
}

impl SessionTrial {
    fn begin(&mut self, now: Instant) {
        let waits = Backoff::new(TRIAL_WAIT, LONGEST_WAIT);
        *self = SessionTrial {
            is_due: false,
            is_open: true,
            in_vain: self.in_vain.saturating_add(1),
            not_before: Some(now + waits.nth_wait(self.in_vain)),
        };
    }

    /// The same after an answer.
    fn after(mut self, is_served: bool) -> SessionTrial {
        if std::mem::take(&mut self.is_open) && is_served {
            self.in_vain = 0;
        }
        self.is_due = false;
        self
    }
}

/// Whether a failure of a request that changes nothing means that the server refuses the session. What
/// cannot be read does not: a server that is away may have such a page.
pub(super) fn is_refused(failure: &McpFailure) -> bool {
    let says_so = match hint_of(Err(failure)) {
        Hint::Refused { .. } | Hint::Lost => true,
        Hint::Known | Hint::Nothing => false,
    };
    says_so && !matches!(failure, McpFailure::Broken(_))
}

fn hint_of(answer: Result<&LinkReply, &McpFailure>) -> Hint {
    let names_it = |text: &str| text.to_ascii_lowercase().contains(SESSION_WORD);
    match answer {
        // Some servers refuse by a result.
        Ok(LinkReply::Answer(answer)) if answer.is_error && names_it(&answer.text) => {
            Hint::Refused { is_certain: false }
        }
        Ok(LinkReply::Answer(_) | LinkReply::Task(_)) => Hint::Known,
        Err(McpFailure::SessionGone) => Hint::Lost,
        // Early SpaceMolt told so that a command failed.
        Err(McpFailure::Refused {
            code: Some(COMMAND_FAILED_CODE),
            status: 200..=299,
            ..
        }) => Hint::Known,
        Err(McpFailure::Refused {
            code,
            message,
            status,
        }) => {
            let is_about_request = code.is_some_and(|code| REQUEST_CODES.contains(&code));
            let names_it = names_it(message);
            match is_about_request && !names_it {
                true => Hint::Nothing,
                false => Hint::Refused {
                    is_certain: names_it || *status >= 400,
                },
            }
        }
        // These speak of access, of time, of too much, or of a gateway.
        Err(McpFailure::Status { status, .. }) => match status {
            401 | 403 | 408 | 413 | 414 | 429 | 431 => Hint::Nothing,
            300..=501 => Hint::Refused { is_certain: true },
            _ => Hint::Nothing,
        },
        // As to a page that asks who one is.
        Err(McpFailure::Http { error, .. }) if error.is_redirect() => {
            Hint::Refused { is_certain: true }
        }
        // A page in the place of an answer, or nothing.
        Err(McpFailure::Broken(_)) => Hint::Refused { is_certain: false },
        Err(
            McpFailure::RefusedAfterAsking { .. }
            | McpFailure::Http { .. }
            | McpFailure::TooLate(_),
        ) => Hint::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use actors::ports::LinkAnswer;

    use super::*;

    fn served() -> Result<LinkReply, McpFailure> {
        said(false, "5 ore")
    }

    fn said(is_error: bool, text: &str) -> Result<LinkReply, McpFailure> {
        Ok(LinkReply::Answer(LinkAnswer {
            text: text.to_string(),
            structured: None,
            is_error,
        }))
    }

    fn refused(message: &str, status: u16) -> Result<LinkReply, McpFailure> {
        Err(McpFailure::Refused {
            code: Some(-32000),
            message: message.to_string(),
            status,
        })
    }

    fn status(status: u16) -> Result<LinkReply, McpFailure> {
        Err(McpFailure::Status {
            status,
            why: String::new(),
            retry_after: None,
        })
    }

    #[test]
    fn two_refusals_in_a_row_are_a_doubt_whatever_they_say() {
        for first in [
            refused("Session not found", 200),
            refused("gone", 400),
            status(500),
            status(410),
            status(418),
        ] {
            for second in [
                refused("no such session", 200),
                refused("?", 400),
                status(500),
                status(404),
            ] {
                let mut doubt = SessionHealth::default();
                doubt.on_answer(&first);
                assert!(!doubt.is_doubtful());
                doubt.on_answer(&second);
                assert!(doubt.is_doubtful() && doubt.reason().is_some());
                doubt.on_answer(&served());
                assert!(!doubt.is_doubtful());
            }
        }
        let mut doubt = SessionHealth::default();
        for _ in 0..2 {
            doubt.on_answer(&refused("not enough fuel", 200));
        }
        assert!(doubt.is_doubtful(), "the session is tried");
        assert_eq!(doubt.reason(), None, "but it is not known to be lost");
        doubt.on_known(Instant::now(), false);
        assert!(!doubt.is_doubtful(), "there is no session");
        let page = || Err(McpFailure::Broken("a page".to_string()));
        for unclear in [said(true, "Session expired. Please reconnect."), page()] {
            doubt.on_answer(&unclear);
            doubt.on_answer(&unclear);
            assert!(doubt.is_doubtful() && doubt.reason().is_none());
            doubt.on_answer(&said(true, "not enough fuel"));
            assert!(!doubt.is_doubtful(), "it answers");
        }
        for nothing in [status(429), status(401), status(503), status(502)] {
            doubt.on_answer(&nothing);
            doubt.on_answer(&nothing);
            assert!(!doubt.is_doubtful());
        }
    }

    #[test]
    fn beside_a_session_in_which_nothing_is_listed_a_new_one_is_opened_ever_more_seldom() {
        let mut doubt = SessionHealth::default();
        let opened = (1..100).filter(|_| doubt.on_listing()).count();
        assert_eq!(opened, 6, "after 2, 4, 8, 16, 32 and 64");
        doubt.on_listed();
        assert!(!doubt.on_listing());
    }

    #[test]
    fn a_session_that_the_server_says_it_knows_is_tried_anew_less_often_if_that_cures_nothing() {
        let begin = Instant::now();
        let (mut doubt, mut at, mut opened) = (SessionHealth::default(), begin, Vec::new());
        for second in 0..400 {
            at = begin + Duration::from_secs(second);
            doubt.on_answer(&refused("no such client", 200));
            if doubt.is_doubtful() {
                doubt.on_known(at, true);
            }
            if doubt.reason().is_some() {
                assert_eq!(doubt.hindrance(at), None, "calls go on meanwhile");
                doubt.on_opened(at);
                opened.push(second);
            }
        }
        assert!(
            opened.len() <= 6 && opened[0] == 1,
            "{opened:?} for words that may be the game's"
        );
        // One that cures is tried again soon.
        doubt.on_answer(&refused("no such client", 200));
        doubt.on_answer(&refused("no such client", 200));
        at += LONGEST_WAIT;
        doubt.on_known(at, true);
        doubt.on_opened(at);
        doubt.on_answer(&served());
        for _ in 0..2 {
            doubt.on_answer(&refused("no such client", 200));
        }
        doubt.on_known(at + LONGEST_WAIT, true);
        doubt.on_opened(at + LONGEST_WAIT);
        doubt.on_answer(&served());
        for _ in 0..2 {
            doubt.on_answer(&refused("no such client", 200));
        }
        doubt.on_known(at + LONGEST_WAIT + TRIAL_WAIT, true);
        assert!(doubt.reason().is_some());
    }

    #[test]
    fn a_new_session_that_cures_nothing_is_followed_later_each_time() {
        let now = Instant::now();
        let mut doubt = SessionHealth::default();
        let mut waits = Vec::new();
        for _ in 0..8 {
            doubt.on_answer(&status(500));
            doubt.on_answer(&status(500));
            let at = waits.iter().sum::<u64>();
            let at = now + Duration::from_secs(at);
            assert_eq!(doubt.hindrance(at), None);
            doubt.on_opened(at);
            assert_eq!(
                doubt.hindrance(at),
                None,
                "a session is opened for other reasons, too"
            );
            doubt.on_answer(&status(500));
            doubt.on_answer(&status(500));
            assert!(doubt.hindrance(at).is_some());
            let wait =
                (1..1000).find(|secs| doubt.hindrance(at + Duration::from_secs(*secs)).is_none());
            waits.push(wait.expect("an end"));
            doubt.on_known(at, true);
        }
        assert_eq!(waits, [4, 8, 16, 32, 64, 128, 256, 300]);
        doubt.on_answer(&served());
        doubt.on_answer(&status(500));
        doubt.on_answer(&status(500));
        assert_eq!(doubt.hindrance(now), None, "one that cures is forgotten");
    }
}
