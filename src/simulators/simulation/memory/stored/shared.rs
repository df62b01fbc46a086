//! What the processes of a fleet read of the stored swarm besides their own Myses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::budget::{ProviderSpending, SpentTogether};
use actors::domain::held::HeldText;
use actors::domain::ids::{Incarnation, MysisId};
use actors::domain::record::{Mission, MysisRecord};
use actors::domain::state::LifeState;
use actors::ports::SwarmRecord;

use super::StoredSwarm;

impl StoredSwarm {
    /// All Myses by id, with whether they run.
    pub(crate) fn states(&self) -> impl Iterator<Item = (MysisId, bool)> {
        let myses = self.myses.iter();
        myses.map(|(id, member)| (*id, member.record.state == LifeState::Running))
    }

    pub(crate) fn names(&self) -> BTreeMap<MysisId, Arc<str>> {
        let myses = self.myses.iter();
        myses
            .map(|(id, member)| (*id, member.record.profile.name.clone()))
            .collect()
    }

    pub(crate) fn has(&self, mysis: MysisId) -> bool {
        self.myses.contains_key(&mysis)
    }

    pub(crate) fn incarnations(&self, myses: &BTreeSet<MysisId>) -> Vec<(MysisId, Incarnation)> {
        let known = |id: &MysisId| Some((*id, self.myses.get(id)?.record.incarnation));
        myses.iter().filter_map(known).collect()
    }

    pub(crate) fn records_of(
        &self,
        myses: &BTreeSet<MysisId>,
    ) -> (Vec<MysisRecord>, Vec<Arc<str>>) {
        let swarm = self.swarm_of(myses);
        let mut records = swarm.myses;
        records.sort_by(|a, b| a.profile.name.cmp(&b.profile.name));
        let accounts = myses.iter().filter_map(|id| self.account_of(*id));
        (records, accounts.map(|account| account.password).collect())
    }

    pub(crate) fn swarm_of(&self, myses: &BTreeSet<MysisId>) -> SwarmRecord {
        let mut swarm = self.swarm_record();
        swarm.myses.retain(|record| myses.contains(&record.id));
        swarm
    }

    pub(crate) fn mission_now(&self) -> Option<Mission> {
        self.mission.clone()
    }

    pub(crate) fn held_texts(&self) -> Vec<HeldText> {
        let held = self.held.all().iter();
        held.map(|held| HeldText::clone(held)).collect()
    }

    pub(crate) fn spent_together(&self, day: Day) -> SpentTogether {
        let mut providers: Vec<ProviderSpending> = Vec::new();
        let entries = self.books_since(day).into_iter();
        for entry in entries.filter(|entry| entry.day == day) {
            let known = providers
                .iter()
                .position(|of| of.provider == entry.provider);
            let place = known.unwrap_or_else(|| {
                providers.push(ProviderSpending {
                    provider: entry.provider.clone(),
                    spent: BudgetUse::default(),
                    costless_tokens: 0,
                });
                providers.len() - 1
            });
            let sum = &mut providers[place];
            sum.spent.calls += entry.spent.calls;
            sum.spent.input += entry.spent.input;
            sum.spent.output += entry.spent.output;
            sum.spent.cached += entry.spent.cached;
            sum.spent.cost_micros += entry.spent.cost_micros;
            if entry.spent.cost_micros == 0 {
                sum.costless_tokens += entry.spent.input + entry.spent.output;
            }
        }
        SpentTogether { day, providers }
    }
}
