//! Orders between processes, as `src/storage/ledger/fleet/orders.rs` keeps them by SQL.

use std::sync::Arc;

use actors::domain::ids::{FleetOrderId, MysisId};
use actors::ports::{FleetOrder, FleetOrders, FleetReport, OrderOutcome};

use super::super::sabotage::Sabotage;
use super::{FleetDatabase, FleetTables};

const MAX_ORDERS: usize = 200;

pub(super) struct OrderRow {
    order: FleetOrder,
    giver: Arc<str>,
    doer: Option<Arc<str>>,
    is_done: bool,
    answer: Option<Arc<str>>,
}

impl FleetTables {
    /// Marks an order as done, with what its Mysis wrote for it.
    pub(super) fn mark_done(&mut self, order: FleetOrderId, owner: &Arc<str>) {
        let mut rows = self.orders.iter_mut();
        if let Some(row) = rows.find(|row| row.order.id == order && !row.is_done) {
            row.is_done = true;
            row.doer = Some(owner.clone());
        }
    }

    pub(super) fn forget_orders(&mut self, mysis: MysisId) {
        self.orders.retain(|row| row.order.mysis != mysis);
    }

    fn is_held_by(&self, row: &OrderRow, owner: &str) -> bool {
        let lease = self.leases.get(&row.order.mysis);
        lease.is_some_and(|lease| *lease.owner == *owner)
    }

    fn answer(&mut self, id: FleetOrderId, answer: &Arc<str>, owner: &Arc<str>) {
        let place = self.orders.iter().position(|row| row.order.id == id);
        let Some(place) = place.filter(|place| self.orders[*place].answer.is_none()) else {
            return;
        };
        let row = &self.orders[place];
        let is_doer = row.doer.as_ref() == Some(owner);
        if is_doer || !row.is_done && self.is_held_by(row, owner) {
            let row = &mut self.orders[place];
            row.answer = Some(answer.clone());
            row.doer = Some(owner.clone());
            row.is_done = true;
        }
    }
}

impl FleetDatabase {
    pub(in super::super) fn share_orders(&self, owner: &Arc<str>, report: &FleetReport) {
        let mut tables = self.tables.lock();
        for order in &report.given {
            let is_known = tables.orders.iter().any(|row| row.order.id == order.id)
                || self.is_sabotaged(Sabotage::ForgetsOrders);
            if !is_known && self.memory.look(|swarm| swarm.has(order.mysis)) {
                tables.orders.push(OrderRow {
                    order: FleetOrder::clone(order),
                    giver: owner.clone(),
                    doer: None,
                    is_done: false,
                    answer: None,
                });
            }
        }
        for (id, answer) in &report.answers {
            tables.answer(*id, answer, owner);
        }
        let is_settled =
            |row: &OrderRow| row.giver == *owner && report.settled.contains(&row.order.id);
        tables.orders.retain(|row| !is_settled(row));
    }

    /// The orders that nobody has carried out or refused, in words.
    pub(in super::super) fn undone_orders(&self) -> Vec<String> {
        let tables = self.tables.lock();
        let undone = tables.orders.iter().filter(|row| !row.is_done);
        let words = undone.map(|row| {
            let OrderRow { order, giver, .. } = row;
            let holder = tables.leases.get(&order.mysis).map(|lease| &*lease.owner);
            let holder = holder.unwrap_or("nobody");
            let (mysis, content) = (order.mysis, &order.content);
            format!("{giver} gave {content} for {mysis}, which {holder} holds, and it is neither done nor refused")
        });
        words.collect()
    }

    /// The orders that this process is to carry out, and what came of those that it gave.
    pub(in super::super) fn orders_for(
        &self,
        owner: &str,
        awaited: &[FleetOrderId],
    ) -> FleetOrders {
        let tables = self.tables.lock();
        let is_open = |row: &&OrderRow| {
            let is_undone = !row.is_done || self.is_sabotaged(Sabotage::RepeatsOrders);
            is_undone && tables.is_held_by(row, owner)
        };
        let open = tables.orders.iter().filter(is_open).take(MAX_ORDERS);
        let outcome = |id: &FleetOrderId| {
            let is_it = |row: &&OrderRow| row.order.id == *id && *row.giver == *owner;
            let Some(row) = tables.orders.iter().find(is_it) else {
                return Some(OrderOutcome::Missing(*id));
            };
            let answer = row.answer.clone()?;
            Some(OrderOutcome::Answered(*id, answer))
        };
        FleetOrders {
            open: open.map(|row| row.order.clone()).collect(),
            outcomes: awaited.iter().filter_map(outcome).collect(),
            ..FleetOrders::default()
        }
    }
}
