//! The Myses that keys, orders and words mean.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::selector::{Candidate, Selector, SelectorWord};
use actors::domain::state::LifeState;
use zoea_contract::{Conditions, MysisStatusJson, to_value};

use super::facts::Facts;

pub const MYSIS_WORDS: [SelectorWord; 7] = [
    SelectorWord::All,
    SelectorWord::Marked,
    SelectorWord::InHand,
    SelectorWord::State(LifeState::Running),
    SelectorWord::State(LifeState::Idle),
    SelectorWord::State(LifeState::Stopped),
    SelectorWord::State(LifeState::Errored),
];

/// The word before conditions that select Myses.
pub const WHERE: &str = "where";

#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Those that orders go to: the one in focus, else the marked ones, else the selected one or those of the selected
    /// group.
    pub in_hand: Vec<MysisId>,
    pub marked: Arc<BTreeSet<MysisId>>,
    /// The one in focus, else the selected one.
    pub selected: Option<MysisId>,
    /// Whether the operator opened or marked them.
    pub are_chosen: bool,
    /// How many of those in hand the filter of the table hides. A key acts upon them after a question only.
    pub hidden: usize,
}

impl Targets {
    pub fn candidates<'a>(&self, facts: &'a Facts) -> Vec<Candidate<'a, MysisId>> {
        let mut candidates = Vec::new();
        for (id, member) in facts.roster.members() {
            candidates.push(Candidate {
                is_marked: self.marked.contains(id),
                is_in_hand: self.in_hand.contains(id),
                ..Candidate::of(*id, &member.status)
            });
        }
        candidates
    }

    /// Parses a selector: names of Myses and [`MYSIS_WORDS`], separated by commas, or `where` and conditions.
    ///
    /// # Errors
    /// Why it names no Mysis.
    pub fn parse(&self, facts: &Facts, words: &str) -> Result<Vec<MysisId>, String> {
        let conditions = words.strip_prefix(WHERE).map(str::trim_start);
        let ids = match conditions.filter(|text| !text.is_empty() && *text != &words[WHERE.len()..])
        {
            Some(conditions) => myses_that_meet(facts, &Conditions::parse(conditions)?),
            None => {
                let selector = Selector::parse(words, &MYSIS_WORDS);
                let ids = selector.resolve(&self.candidates(facts));
                ids.map_err(|refusal| refusal.to_string())?
            }
        };
        if ids.is_empty() {
            return Err(format!("no Mysis matches `{words}`"));
        }
        Ok(ids)
    }
}

fn myses_that_meet(facts: &Facts, conditions: &Conditions) -> Vec<MysisId> {
    let members = facts.roster.members().values();
    let statuses = members.map(|member| &member.status);
    let fitting = statuses.filter(|status| {
        let reported = MysisStatusJson::new(status, true, &facts.outages, facts.now);
        conditions.fit(&to_value(&reported))
    });
    fitting.map(|status| status.id).collect()
}
