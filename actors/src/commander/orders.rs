//! Orders: carries some out itself and passes the others on.

use ractor::ActorProcessingErr;

use crate::domain::event::{MysisStatus, RosterChange};
use crate::domain::order::{CompletedOrder, MysisOrder, Order, OrderRefusal, check_name};
use crate::domain::outages::ServerOutages;
use crate::domain::record::{MysisProfile, MysisRecord, PoolAccount};
use crate::domain::write::{Batch, Write};
use crate::gate::GateMsg;
use crate::mysis::MysisMsg;
use crate::ports::LedgerFault;
use crate::reply::{OrderReply, OrderRequest};

use super::supervising::SpawnReason;
use super::{CommanderMsg, CommanderState, PendingOrder};

impl CommanderState {
    pub(super) fn carry_out_order(&mut self, request: OrderRequest) {
        if self.closing.is_some() {
            return request.reply.answer(Err(OrderRefusal::Closing));
        }
        let Some(OrderRequest {
            order,
            source,
            reply,
        }) = self.pass_on(request)
        else {
            return;
        };
        let reply = self.recording_reply(&order, source, reply);
        match order {
            Order::Create {
                name,
                provider,
                model,
                role,
                start,
            } => {
                let profile = self.profile_of_order(&name, (provider, model), role);
                self.create_mysis(name, profile, start, reply);
            }
            Order::ForMysis { name, order } => self.order_mysis(&name, order, reply),
            Order::Delete { name, now } => self.delete_mysis(&name, now, reply),
            Order::Undelete { name } => self.undelete_mysis(&name, reply),
            Order::Broadcast { text } => self.broadcast_mission(&text, reply),
            Order::ClearMission => self.clear_mission(reply),
            Order::ShowRequest { name } => match self.members.orderable(&name) {
                // A dead actor drops the reply, which answers the order.
                Ok(member) => drop(member.actor.cast(MysisMsg::ShowRequest(reply))),
                Err(refusal) => reply.answer(Err(self.or_elsewhere(refusal))),
            },
            Order::PoolAccounts(accounts) => self.pool_accounts(accounts, reply),
            Order::Reload => self.reload_configuration(reply),
            Order::RaiseBudget(to) => self.raise_budget(to, reply),
            Order::Freeze => self.order_freeze(true, reply),
            Order::Thaw => self.order_freeze(false, reply),
            Order::ForgetHeld { id } => self.forget_held(&id, reply),
            Order::Drain {
                process,
                is_draining,
            } => self.drain_process(process, is_draining, reply),
        }
    }

    /// Reads the configuration again and applies its rules.
    fn reload_configuration(&mut self, reply: OrderReply) {
        let Some(configuration) = self.rules.source.clone() else {
            let why = "this program was started without a configuration file".to_string();
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
        let batch = Batch::of_commander(writes);
        let store = self.store_handle();
        self.jobs.spawn(async move {
            let stored = store.write(batch).await;
            reply.answer(match stored {
                Ok(()) => Ok(CompletedOrder::AccountsPooled(count)),
                Err(fault) => Err(OrderRefusal::Store(fault.to_string())),
            });
        });
    }

    fn order_mysis(&mut self, name: &str, order: MysisOrder, reply: OrderReply) {
        let order = if let MysisOrder::Configure(change) = order {
            self.rules.known_change(change).map(MysisOrder::Configure)
        } else {
            Ok(order)
        };
        let outages = self.outside.outages();
        let order = order.and_then(|order| Ok((order, self.members.orderable(name)?)));
        match order {
            Ok((MysisOrder::Retry, member)) if waits_its_turn(&member.status, &outages) => {
                reply.answer(Err(OrderRefusal::NothingToRetry));
            }
            Ok((order, member)) => {
                // The operator takes over, so earlier relaunches no longer count.
                if matches!(
                    order,
                    MysisOrder::Start | MysisOrder::Stop | MysisOrder::Retry
                ) {
                    member.relaunching.forget();
                }
                let is_retry = order == MysisOrder::Retry;
                member.send_order(order, reply);
                if is_retry {
                    // A new gate tries at once anyway.
                    let _ = self.services.gate().cast(GateMsg::TryAtOnce);
                }
            }
            Err(refusal) => reply.answer(Err(self.or_elsewhere(refusal))),
        }
    }

    fn profile_of_order(
        &self,
        name: &str,
        (provider, model): (Option<String>, Option<String>),
        role: Option<String>,
    ) -> Result<MysisProfile, OrderRefusal> {
        check_name(name)?;
        let most = self.rules.current.max_myses;
        self.members.check_room(name, most)?;
        self.rules
            .new_profile(name, (provider, model.as_deref()), role)
    }

    fn create_mysis(
        &mut self,
        name: String,
        profile: Result<MysisProfile, OrderRefusal>,
        start: bool,
        reply: OrderReply,
    ) {
        let profile = match profile {
            Ok(profile) => profile,
            Err(refusal) => return reply.answer(Err(refusal)),
        };
        let id = self.members.new_id(&mut self.rng);
        let record = Box::new(MysisRecord::new(id, profile, self.now()));
        self.members.reserve_name(name);
        self.store_order(PendingOrder::Create { record, start }, reply);
    }

    /// Stores what an order asks for. The order continues with [`CommanderMsg::OrderStored`].
    pub(super) fn store_order(&mut self, order: PendingOrder, reply: OrderReply) {
        self.store_order_after(std::future::ready(Ok(())), order, reply);
    }

    /// Stores it after something else, if that did not fail.
    pub(super) fn store_order_after(
        &mut self,
        before: impl Future<Output = Result<(), LedgerFault>> + Send + 'static,
        order: PendingOrder,
        reply: OrderReply,
    ) {
        if order.changes_mission() {
            self.mission.begin_change();
        }
        let batch = Batch::of_commander(vec![order.write(self.now())]);
        let (store, commander) = (self.store_handle(), self.myself.clone());
        self.jobs.spawn(async move {
            let stored = match before.await {
                Ok(()) => store.write(batch).await,
                Err(fault) => Err(fault),
            };
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::OrderStored {
                order,
                stored,
                reply,
            });
        });
    }

    pub(super) async fn on_order_stored(
        &mut self,
        order: PendingOrder,
        stored: Result<(), LedgerFault>,
        reply: OrderReply,
    ) -> Result<(), ActorProcessingErr> {
        if order.changes_mission() {
            self.mission.end_change();
        }
        if let Err(fault) = stored {
            reply.answer(Err(store_refusal(&order, &fault)));
            return self.on_order_not_stored(order).await;
        }
        match order {
            PendingOrder::Create { record, start } => {
                return self.on_mysis_created(*record, start, reply).await;
            }
            PendingOrder::Delete(mysis) => self.on_mysis_deleted(mysis, reply),
            PendingOrder::Broadcast(mission) => self.on_mission_stored(mission, reply),
            PendingOrder::ClearMission(mission) => self.on_mission_cleared(mission, reply),
        }
        Ok(())
    }

    /// Handles a refusal of the store. A Mysis that was to be deleted is started again.
    async fn on_order_not_stored(&mut self, order: PendingOrder) -> Result<(), ActorProcessingErr> {
        match order {
            PendingOrder::Create { record, .. } => self.members.release_name(&record.profile.name),
            PendingOrder::Delete(mysis) => {
                return self.keep_on(mysis).await;
            }
            PendingOrder::Broadcast(_) | PendingOrder::ClearMission(_) => {}
        }
        Ok(())
    }

    async fn on_mysis_created(
        &mut self,
        record: MysisRecord,
        start: bool,
        reply: OrderReply,
    ) -> Result<(), ActorProcessingErr> {
        let id = record.id;
        self.members.release_name(&record.profile.name);
        if self.closing.is_some() {
            reply.answer(Ok(CompletedOrder::Created(id)));
            return Ok(());
        }
        self.spawn_mysis(record, SpawnReason::AsStored).await?;
        let created = move || reply.answer(Ok(CompletedOrder::Created(id)));
        let Some(member) = self.members.get_mut(id) else {
            created();
            return Ok(());
        };
        match start {
            // That it runs is stored before anybody is told that it was created to run.
            true => member.send_order(MysisOrder::Start, OrderReply::new(move |_| created())),
            false => created(),
        }
        self.emit_arrival(id, RosterChange::Created);
        Ok(())
    }
}

/// The refusal of an order because of the ledger.
fn store_refusal(order: &PendingOrder, fault: &LedgerFault) -> OrderRefusal {
    if let (PendingOrder::Create { record, .. }, LedgerFault::NameTaken) = (order, fault) {
        return OrderRefusal::NameTaken(record.profile.name.to_string());
    }
    if let (PendingOrder::Delete(_), LedgerFault::Refused(why)) = (order, fault) {
        return OrderRefusal::Because(why.clone());
    }
    OrderRefusal::Store(fault.to_string())
}

/// Whether a Mysis waits at the gate for a server that is not away.
fn waits_its_turn(status: &MysisStatus, outages: &ServerOutages) -> bool {
    let lane = status.activity.awaited_lane();
    lane.is_some_and(|lane| outages.of(lane).is_none())
}
