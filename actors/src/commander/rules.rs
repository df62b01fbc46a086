//! Rules: the rules in force, the known secrets, and how both are changed.

use std::sync::Arc;

use crate::domain::books::Day;
use crate::domain::budget::BudgetLimits;
use crate::domain::order::{CompletedAction, CompletedOrder, OrderRefusal};
use crate::domain::record::{MysisProfile, NO_ROLE, ProfileChange};
use crate::domain::rules::SwarmRules;
use crate::fleet::FleetMsg;
use crate::gate::GateMsg;
use crate::mysis::MysisMsg;
use crate::ports::Configuration;
use crate::reply::OrderReply;
use crate::secrets::Secrets;
use zoea_text::redact::Redactor;

use super::CommanderState;
use super::children::gate_rules;

pub(super) struct RulesInForce {
    pub(super) current: Arc<SwarmRules>,
    pub(super) secrets: Secrets,
    /// Reads the rules again. `None` if the configuration cannot be read again.
    pub(super) source: Option<Arc<dyn Configuration>>,
}

impl RulesInForce {
    pub(super) fn redactor(&self) -> Arc<Redactor> {
        self.secrets.redactor()
    }

    /// The profile of a new Mysis, without secrets.
    pub(super) fn new_profile(
        &self,
        name: &str,
        (provider, model): (Option<String>, Option<&str>),
        role: Option<String>,
    ) -> Result<MysisProfile, OrderRefusal> {
        let provider = self.known_provider(provider.map(Into::into))?;
        let change = ProfileChange::default().with_role(role.map(Into::into));
        Ok(MysisProfile {
            model: model.map(|model| self.secrets.clean(model).as_ref().into()),
            role: self.known_role(change.role)?.flatten(),
            follows_role: provider.is_none() && model.is_none(),
            ..MysisProfile::of(
                name,
                provider.as_ref().unwrap_or(&self.current.default_provider),
            )
        })
    }

    pub(super) fn known_change(
        &self,
        change: ProfileChange,
    ) -> Result<ProfileChange, OrderRefusal> {
        let temperature = change.temperature;
        if temperature.is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            return Err(OrderRefusal::BadTemperature);
        }
        Ok(ProfileChange {
            provider: self.known_provider(change.provider)?,
            model: change.model,
            temperature,
            role: self.known_role(change.role)?,
            follows_role: change.follows_role,
        })
    }

    fn known_role(
        &self,
        role: Option<Option<Arc<str>>>,
    ) -> Result<Option<Option<Arc<str>>>, OrderRefusal> {
        let roles = &self.current.roles.roles;
        match role {
            Some(Some(name)) if *name != *NO_ROLE && !roles.contains_key(&name) => {
                Err(OrderRefusal::UnknownRole {
                    name: name.to_string(),
                    known: roles.keys().map(ToString::to_string).collect(),
                })
            }
            role => Ok(role),
        }
    }

    fn known_provider(&self, name: Option<Arc<str>>) -> Result<Option<Arc<str>>, OrderRefusal> {
        let Some(name) = name else {
            return Ok(None);
        };
        if let Some((known, _)) = self.current.providers.get_key_value(&name) {
            return Ok(Some(known.clone()));
        }
        let known = self.current.providers.keys().map(ToString::to_string);
        Err(OrderRefusal::UnknownProvider {
            name: name.to_string(),
            known: known.collect(),
        })
    }
}

impl CommanderState {
    pub(super) fn change_rules(&mut self, mut rules: Arc<SwarmRules>) {
        let budget = rules.budget.keeping_raise_of(&self.rules.current.budget);
        if budget != rules.budget {
            Arc::make_mut(&mut rules).budget = budget;
        }
        let for_gate = gate_rules(&rules);
        self.send_to_fleet(FleetMsg::Capacity(rules.max_myses));
        self.put_in_force(rules, GateMsg::RulesChanged(for_gate));
    }

    fn put_in_force(&mut self, rules: Arc<SwarmRules>, for_gate: GateMsg) {
        self.rules.current = rules;
        // If the gate is gone, its successor starts with the new rules.
        let _ = self.services.gate().cast(for_gate);
        self.terminals.show_rules(&self.rules);
        let rules = &self.rules.current;
        self.members
            .send_to_all(|| MysisMsg::RulesChanged(rules.clone()));
    }

    /// Takes the rules of another configuration. Other limits end what the operator allowed, for a restart, too.
    pub(super) fn take_rules(&mut self, rules: Arc<SwarmRules>) {
        let was_raised = self.rules.current.budget.raised.is_some();
        self.change_rules(rules);
        let budget = self.rules.current.budget;
        let Some(source) = self.rules.source.as_ref().filter(|_| was_raised) else {
            return;
        };
        if budget.raised.is_none() {
            let keeping = source.keep_raise(budget);
            self.jobs.spawn(async move {
                if let Err(why) = keeping.await {
                    tracing::warn!(
                        why,
                        "a restart would allow again what was allowed for other limits"
                    );
                }
            });
        }
    }

    /// Raises the cap on what the swarm spends today. Those that pause for it go on by themselves. It is answered once
    /// a restart would know it.
    pub(super) fn raise_budget(&mut self, to: BudgetLimits, reply: OrderReply) {
        let mut rules = self.rules.current.clone();
        let spent = self.news.budget_on(Day::of(self.now()));
        match rules.budget.raise(to, &spent) {
            Ok(budget) => {
                Arc::make_mut(&mut rules).budget = budget;
                self.put_in_force(rules, GateMsg::BudgetChanged(budget));
                let done = CompletedOrder::Done(CompletedAction::BudgetRaised);
                let Some(source) = &self.rules.source else {
                    return reply.answer(Ok(done));
                };
                let keeping = source.keep_raise(budget);
                self.jobs.spawn(async move {
                    let kept = keeping.await.map(|()| done);
                    reply.answer(kept.map_err(|why| {
                        OrderRefusal::Store(format!(
                            "{why}; today's cap is raised all the same, but a restart would not know it"
                        ))
                    }));
                });
            }
            Err(why) => reply.answer(Err(OrderRefusal::Because(why))),
        }
    }

    /// Adds secrets, so that they are redacted everywhere. Earlier ones stay secret. A Mysis is not
    /// told: it looks at the list before it uses a text, and a swarm that registers teaches as many
    /// secrets as it has Myses.
    pub(super) fn learn_secrets(&mut self, secrets: impl IntoIterator<Item = Arc<str>>) {
        if self.rules.secrets.learn(secrets) {
            self.terminals.show_rules(&self.rules);
        }
    }
}
