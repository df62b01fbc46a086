//! Lines of needs: what each says, and which troubles are one line.

use std::sync::Arc;

use super::{NeedCause, NeedRemedy, is_of_one};
use crate::ids::{Lane, MysisId, Timestamp};
use crate::message::Severity;
use crate::outages::{ServerLabel, ServerOutage};
use crate::standing::StandingKind;

pub(super) const GAME_AWAY: &str = "game away";
const MODEL_AWAY: &str = "model away";
const ACCOUNT: &str = "account";
/// What stands in the provider's advice where its account is the reason.
pub const ACCOUNT_WORDS: &str = "; the account";

/// A line of needs: a cause, and all Myses that it holds up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedNeed {
    pub cause: NeedCause,
    /// The condition of the whole program that it is, if it is one.
    pub standing: Option<StandingKind>,
    /// The provider whose server it is, if it is the server of one.
    pub(super) provider: Option<Arc<str>>,
    pub what: &'static str,
    /// The problem in full, of the Mysis that has it since last.
    pub why: Arc<str>,
    /// Since when, over short ends.
    pub since: Timestamp,
    pub severity: Severity,
    pub remedy: NeedRemedy,
    pub myses: Vec<NeedingMysis>,
    pub(super) newest: Timestamp,
}

impl ListedNeed {
    /// Whom it is about: the one Mysis, how many of them, or the program.
    pub fn whose(&self) -> String {
        match &self.myses[..] {
            [] => "zoea".to_string(),
            [one] => one.name.to_string(),
            more => format!("{} Myses", more.len()),
        }
    }

    /// This need, of one of those that have it.
    pub(super) fn single(&self, holder: NeedHolder, name: Option<Arc<str>>) -> SingleNeed {
        SingleNeed {
            holder,
            name,
            since: self.since,
            what: self.what,
            why: self.why.clone(),
            remedy: self.remedy,
        }
    }

    /// How many it concerns: the Myses, or the program.
    pub fn count(&self) -> usize {
        self.myses.len().max(1)
    }
}

/// Whose need it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeedHolder {
    Mysis(MysisId),
    /// A server that no Mysis waits for now: that of a provider, or the game's.
    Server(NeedCause, Option<Arc<str>>),
}

/// A need of one holder, as alerts tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleNeed {
    pub holder: NeedHolder,
    /// The Mysis; `None` for a server.
    pub name: Option<Arc<str>>,
    pub since: Timestamp,
    pub what: &'static str,
    pub why: Arc<str>,
    pub remedy: NeedRemedy,
}

impl SingleNeed {
    /// Whether its reason stands for no other one.
    pub fn is_its_own(&self) -> bool {
        is_of_one(self.what)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeedingMysis {
    pub name: Arc<str>,
    pub id: MysisId,
    pub process: Option<Arc<str>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NeedLineKey {
    Standing(StandingKind),
    Swarm(NeedCause, Option<Arc<str>>),
    Alike(&'static str, String),
    Own(MysisId),
}

/// The text without what differs between equal troubles: the Mysis' name, and words with digits.
pub(super) fn without_names(text: &str, name: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let is_its_own = word.contains(|letter: char| letter.is_ascii_digit())
            || word.trim_matches(|letter: char| !letter.is_alphanumeric()) == name;
        if is_its_own { "#" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(super) fn line_of(away: &ServerOutage) -> (NeedCause, Option<Arc<str>>) {
    match &away.lane {
        Lane::Game | Lane::Logins => (NeedCause::Game, None),
        Lane::Provider(name) if away.needs_operator && away.text.contains(ACCOUNT_WORDS) => {
            (NeedCause::Account, Some(name.clone()))
        }
        Lane::Provider(name) => (NeedCause::Model, Some(name.clone())),
    }
}

pub(super) fn outage_line(away: &ServerOutage, cause: NeedCause, since: Timestamp) -> ListedNeed {
    let what = match &away.lane {
        Lane::Game | Lane::Logins => GAME_AWAY,
        Lane::Provider(_) if cause == NeedCause::Account => ACCOUNT,
        Lane::Provider(_) => MODEL_AWAY,
    };
    ListedNeed {
        cause,
        standing: None,
        provider: line_of(away).1,
        what,
        why: outage_text(away).into(),
        since,
        severity: match away.needs_operator {
            true => Severity::Error,
            false => Severity::Warn,
        },
        remedy: NeedRemedy::TryNow,
        myses: Vec::new(),
        // Its own words are better than what each Mysis has of it.
        newest: Timestamp(i64::MAX),
    }
}

/// Which server is away and why, with the address near the beginning, since lines are cut.
fn outage_text(away: &ServerOutage) -> String {
    let text = away.text.strip_prefix("the server at ");
    let text = text.unwrap_or(&away.text);
    match &away.lane {
        Lane::Provider(name) => format!("{name}: {text}"),
        Lane::Game | Lane::Logins => format!("{}: {text}", ServerLabel(&away.lane)),
    }
}

pub(super) fn standing_line(kind: StandingKind, text: &Arc<str>, since: Timestamp) -> ListedNeed {
    let cause = match kind {
        StandingKind::StoreTrouble => NeedCause::Store,
        StandingKind::LittleRoom => NeedCause::Disk,
        StandingKind::SecretMissing => NeedCause::Key,
        // Calls are to the game and to models; the lights say whose do not end.
        StandingKind::NothingMoves => NeedCause::Model,
    };
    ListedNeed {
        cause,
        standing: Some(kind),
        provider: None,
        what: kind.code(),
        why: text.clone(),
        since,
        severity: kind.severity(),
        remedy: NeedRemedy::Nothing,
        myses: Vec::new(),
        newest: since,
    }
}
