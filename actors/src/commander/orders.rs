//! Orders: carries some out itself and passes the others on.

use std::sync::Arc;

use ractor::{ActorProcessingErr, ActorRef};

use crate::domain::event::{EventKind, MysisRef, SwarmEvent};
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::order::{CompletedOrder, MysisOrder, Order, OrderRefusal, check_name};
use crate::domain::record::{MysisProfile, MysisRecord, NewMysis, PoolAccount, ProfileChange};
use crate::domain::state::{LifeState, Totals};
use crate::domain::write::{Author, Batch, Write};
use crate::mysis::MysisMsg;
use crate::ports::LedgerFault;
use crate::reply::{OrderReply, OrderRequest};

use super::members::{SpawnReason, SwarmMember};
use super::{CommanderMsg, CommanderState, store_refusal};

/// How long an actor has to stop before it is killed.
const ACTOR_STOP_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(1);

impl CommanderState {
    pub(super) fn carry_out_order(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        request: OrderRequest,
    ) {
        let OrderRequest {
            order,
            source,
            reply,
        } = request;
        if self.closing.is_some() {
            return reply.answer(Err(OrderRefusal::Closing));
        }
        let reply = self.recording_reply(&order, source, reply);
        match order {
            Order::Create {
                name,
                provider,
                model,
                start,
            } => self.create_mysis(myself, name, provider, model, start, reply),
            Order::ForMysis { name, order } => self.order_mysis(&name, order, reply),
            Order::Delete { name } => self.delete_mysis(myself, &name, reply),
            Order::Broadcast { text } => self.broadcast_mission(myself, &text, reply),
            Order::ClearMission => self.clear_mission(myself, reply),
            Order::ShowRequest { name } => match self.find_member(&name) {
                // A dead actor drops the reply, which answers the order.
                Ok(member) => drop(member.actor.cast(MysisMsg::ShowRequest(reply))),
                Err(refusal) => reply.answer(Err(refusal)),
            },
            Order::PoolAccounts(accounts) => self.pool_accounts(accounts, reply),
            Order::Reload => self.reload_configuration(reply),
        }
    }

    /// Reads the configuration again and applies its rules.
    fn reload_configuration(&mut self, reply: OrderReply) {
        let Some(configuration) = self.configuration.clone() else {
            let why = "there is none here that could be read again".to_string();
            return reply.answer(Err(OrderRefusal::Configuration(vec![why])));
        };
        self.jobs.spawn(async move {
            let reloaded = configuration.reload().await;
            reply.answer(
                reloaded
                    .map(CompletedOrder::Reloaded)
                    .map_err(OrderRefusal::Configuration),
            );
        });
    }

    /// Adds accounts to the pool. Their passwords are made known as secrets before anybody can use
    /// them.
    fn pool_accounts(&mut self, accounts: Vec<PoolAccount>, reply: OrderReply) {
        let passwords = accounts.iter().map(|pooled| &pooled.account.password);
        self.learn_secrets(passwords.cloned().collect::<Vec<_>>());
        let (count, now) = (accounts.len(), self.now());
        let writes = (0..)
            .map(std::time::Duration::from_millis)
            .zip(accounts)
            .map(|(later, account)| Write::PoolAccount {
                account,
                // Distinct times keep the accounts in order, because the oldest one is given first.
                at: now.plus(later),
            })
            .collect();
        let batch = Batch {
            author: Author::Commander,
            writes,
        };
        let store = self.store_handle();
        self.jobs.spawn(async move {
            let stored = store.write(batch).await;
            reply.answer(match stored {
                Ok(()) => Ok(CompletedOrder::AccountsPooled(count)),
                Err(fault) => Err(store_refusal(&fault)),
            });
        });
    }

    fn find_member(&mut self, name: &str) -> Result<&mut SwarmMember, OrderRefusal> {
        self.members
            .values_mut()
            .find(|member| &*member.standing.name == name && !member.is_deleting)
            .ok_or_else(|| OrderRefusal::UnknownMysis(name.to_string()))
    }

    /// Passes an order on to its Mysis.
    fn order_mysis(&mut self, name: &str, order: MysisOrder, reply: OrderReply) {
        let order = if let MysisOrder::Configure(change) = order {
            self.known_change(change).map(MysisOrder::Configure)
        } else {
            Ok(order)
        };
        let order = order.and_then(|order| Ok((order, self.find_member(name)?)));
        match order {
            Ok((order, member)) => {
                // The operator takes over, so earlier relaunches no longer count.
                if matches!(order, MysisOrder::Start | MysisOrder::Stop) {
                    member.forget_relaunches();
                }
                member.send_order(order, reply);
            }
            Err(refusal) => reply.answer(Err(refusal)),
        }
    }

    fn create_mysis(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        name: String,
        provider: Option<String>,
        model: Option<String>,
        start: bool,
        reply: OrderReply,
    ) {
        let model = model.map(|model| self.secrets.clean(&model).into_owned());
        let profile = match self.new_profile(&name, provider, model) {
            Ok(profile) => profile,
            Err(refusal) => return reply.answer(Err(refusal)),
        };
        let record = MysisRecord {
            id: self.new_id(),
            profile: profile.clone(),
            state: LifeState::Idle,
            reason: None,
            fault: None,
            is_called: false,
            incarnation: Incarnation(0),
            totals: Totals::default(),
            account: None,
            created_at: self.now(),
        };
        self.expected.push(name);
        let batch = Batch {
            author: Author::Commander,
            writes: vec![Write::Create(Box::new(NewMysis {
                id: record.id,
                profile,
                at: record.created_at,
            }))],
        };
        let (store, commander) = (self.store_handle(), myself.clone());
        self.jobs.spawn(async move {
            let stored = store.write(batch).await;
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::Created {
                record: Box::new(record),
                start,
                stored,
                reply,
            });
        });
    }

    fn new_profile(
        &self,
        name: &str,
        provider: Option<String>,
        model: Option<String>,
    ) -> Result<MysisProfile, OrderRefusal> {
        check_name(name)?;
        let is_taken = self
            .members
            .values()
            .any(|member| &*member.standing.name == name)
            || self.expected.iter().any(|expected| expected == name);
        if is_taken {
            return Err(OrderRefusal::NameTaken(name.to_string()));
        }
        if self.members.len() + self.expected.len() >= self.rules.max_myses {
            return Err(OrderRefusal::SwarmFull(self.rules.max_myses));
        }
        let provider = self.known_provider(provider.map(Into::into))?;
        Ok(MysisProfile {
            name: name.into(),
            provider: provider.unwrap_or_else(|| self.rules.default_provider.clone()),
            model: model.map(Into::into),
            temperature: None,
        })
    }

    fn known_provider(&self, name: Option<Arc<str>>) -> Result<Option<Arc<str>>, OrderRefusal> {
        let Some(name) = name else {
            return Ok(None);
        };
        if let Some((known, _)) = self.rules.providers.get_key_value(&name) {
            return Ok(Some(known.clone()));
        }
        let known = self.rules.providers.keys().map(ToString::to_string);
        Err(OrderRefusal::UnknownProvider {
            name: name.to_string(),
            known: known.collect(),
        })
    }

    fn new_id(&mut self) -> MysisId {
        loop {
            let id = MysisId(self.rng.i64(1..));
            if !self.members.contains_key(&id) {
                return id;
            }
        }
    }

    pub(super) async fn on_mysis_created(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        record: MysisRecord,
        start: bool,
        stored: Result<(), LedgerFault>,
        reply: OrderReply,
    ) -> Result<(), ActorProcessingErr> {
        let name = record.profile.name.clone();
        self.expected.retain(|expected| **expected != *name);
        if let Err(fault) = stored {
            reply.answer(Err(store_refusal(&fault)));
            return Ok(());
        }
        let id = record.id;
        if self.closing.is_some() {
            reply.answer(Ok(CompletedOrder::Created(id)));
            return Ok(());
        }
        self.spawn_mysis(myself, record, SpawnReason::AsStored)
            .await?;
        let at = self.now();
        self.tell_all(SwarmEvent {
            at,
            mysis: Some(MysisRef { id, name }),
            what: EventKind::Created,
        });
        if let Some(member) = self.members.get_mut(&id) {
            let event = SwarmEvent {
                at,
                mysis: Some(member.mysis_ref()),
                what: EventKind::StatusChanged(member.standing.clone()),
            };
            if start {
                member.send_start(OrderReply::to_nobody());
            }
            self.tell_all(event);
        }
        reply.answer(Ok(CompletedOrder::Created(id)));
        Ok(())
    }

    fn delete_mysis(&mut self, myself: &ActorRef<CommanderMsg>, name: &str, reply: OrderReply) {
        let member = match self.find_member(name) {
            Ok(member) => member,
            Err(refusal) => return reply.answer(Err(refusal)),
        };
        member.is_deleting = true;
        member.forget_relaunches();
        let (actor, mysis) = (member.actor.clone(), member.record.id);
        let (store, commander) = (self.store_handle(), myself.clone());
        self.jobs.spawn(async move {
            if actor
                .stop_and_wait(None, Some(ACTOR_STOP_TIMEOUT))
                .await
                .is_err()
            {
                actor.kill();
            }
            let batch = Batch {
                author: Author::Commander,
                writes: vec![Write::Delete { mysis }],
            };
            let stored = store.write(batch).await;
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::Deleted {
                mysis,
                stored,
                reply,
            });
        });
    }

    /// Handles the store's answer to a deletion. If the store refused, the Mysis is started again.
    pub(super) async fn on_mysis_deleted(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        mysis: MysisId,
        stored: Result<(), LedgerFault>,
        reply: OrderReply,
    ) -> Result<(), ActorProcessingErr> {
        if let Err(fault) = stored {
            reply.answer(Err(store_refusal(&fault)));
            let record = self.members.get(&mysis).map(|member| member.record.clone());
            if let Some(record) = record {
                self.spawn_mysis(myself, record, SpawnReason::AsStored)
                    .await?;
            }
            return Ok(());
        }
        if let Some(member) = self.members.remove(&mysis) {
            let at = self.now();
            self.tell_all(SwarmEvent {
                at,
                mysis: Some(member.mysis_ref()),
                what: EventKind::Deleted,
            });
        }
        reply.answer(Ok(CompletedOrder::Deleted));
        Ok(())
    }

    /// Checks a profile change and removes known secrets from it.
    fn known_change(&self, change: ProfileChange) -> Result<ProfileChange, OrderRefusal> {
        let temperature = change.temperature;
        if temperature.is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            return Err(OrderRefusal::BadTemperature);
        }
        Ok(ProfileChange {
            provider: self.known_provider(change.provider)?,
            model: change.model,
            temperature,
        })
    }
}
