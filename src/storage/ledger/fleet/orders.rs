//! Orders between processes: each is a row, from the process that gave it to the one that holds the
//! lease of its Mysis, and an answer on the way back.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event_record::OrderSource;
use actors::domain::ids::{FleetOrderId, MysisId};
use actors::ports::{FleetOrder, FleetOrders, FleetReport, OrderOutcome};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde_json::{Value, json};

use super::super::leases::LeaseHolder;
use super::super::server::on_server;
use super::super::writer::Tx;
use super::{FleetView, within_time};

/// The most orders that one step takes up. The next step goes on.
const MAX_ORDERS: i64 = 200;

/// An order of a Mysis that was deleted is not stored.
const GIVE: &str = "\
    INSERT INTO fleet_order (id, mysis_id, giver, source, content, given_at) \
    SELECT given.id, mysis.id, $1, given.source, given.content, clock_timestamp() \
    FROM json_to_recordset($2::json) AS given (id BIGINT, mysis BIGINT, source TEXT, content TEXT, number BIGINT) \
    JOIN mysis ON mysis.id = given.mysis ORDER BY given.number ON CONFLICT (id) DO NOTHING";

/// A process answers what it did, and refuses only for a Mysis that is still its own.
const ANSWER: &str = "\
    UPDATE fleet_order SET answer = given.answer, doer = $1, \
        done_at = coalesce(fleet_order.done_at, clock_timestamp()) \
    FROM json_to_recordset($2::json) AS given (id BIGINT, answer TEXT) \
    WHERE fleet_order.id = given.id AND fleet_order.answer IS NULL \
        AND (fleet_order.doer = $1 OR (fleet_order.done_at IS NULL AND EXISTS (SELECT FROM lease \
            WHERE lease.mysis_id = fleet_order.mysis_id AND lease.owner = $1)))";

const OPEN: &str = "\
    SELECT fleet_order.id, fleet_order.mysis_id, fleet_order.source, fleet_order.content \
    FROM fleet_order JOIN lease ON lease.mysis_id = fleet_order.mysis_id AND lease.owner = $1 \
    WHERE fleet_order.done_at IS NULL ORDER BY fleet_order.place LIMIT $2";

const GIVEN: &str = "SELECT id, answer FROM fleet_order WHERE giver = $1 \
    AND id IN (SELECT value::bigint FROM json_array_elements_text($2::json))";

const SETTLE: &str = "DELETE FROM fleet_order WHERE giver = $1 \
    AND id IN (SELECT value::bigint FROM json_array_elements_text($2::json))";

const MARK_DONE: &str = "UPDATE fleet_order SET done_at = clock_timestamp(), doer = $1 \
    WHERE id = $2 AND done_at IS NULL";

#[derive(Debug, FromQueryResult)]
struct OpenRow {
    id: i64,
    mysis_id: i64,
    source: String,
    content: String,
}

#[derive(Debug, FromQueryResult)]
struct GivenRow {
    id: i64,
    answer: Option<String>,
}

impl LeaseHolder {
    pub(super) async fn exchange_orders(
        &self,
        report: &FleetReport,
        view: &FleetView,
    ) -> Result<FleetOrders, DbErr> {
        let asks_nothing = report.given.is_empty() && report.awaited.is_empty();
        if view.orders == 0 && asks_nothing {
            return Ok(FleetOrders::default());
        }
        within_time(self.share_orders(report)).await?;
        let open = within_time(self.open_orders()).await?;
        let outcomes = within_time(self.outcomes(&report.awaited)).await?;
        Ok(FleetOrders {
            open,
            outcomes,
            ..FleetOrders::default()
        })
    }

    async fn share_orders(&self, report: &FleetReport) -> Result<(), DbErr> {
        let given = report.given.iter().enumerate().map(|(number, order)| {
            json!({
                "number": number,
                "id": order.id.0,
                "mysis": order.mysis.0,
                "source": order.source.map(OrderSource::as_str),
                "content": *order.content,
            })
        });
        let answers = report.answers.iter();
        let answers = answers.map(|(id, answer)| json!({"id": id.0, "answer": **answer}));
        let settled = report.settled.iter().map(|id| json!(id.0));
        for (sql, listed) in [
            (GIVE, Value::from_iter(given)),
            (ANSWER, Value::from_iter(answers)),
            (SETTLE, Value::from_iter(settled)),
        ] {
            if listed.as_array().is_some_and(|listed| !listed.is_empty()) {
                let values = [self.owner.as_str().into(), listed.to_string().into()];
                self.writer.execute_raw(on_server(sql, values)).await?;
            }
        }
        Ok(())
    }

    async fn open_orders(&self) -> Result<Vec<FleetOrder>, DbErr> {
        let values = [self.owner.as_str().into(), MAX_ORDERS.into()];
        let rows = OpenRow::find_by_statement(on_server(OPEN, values));
        let rows = rows.all(&self.writer).await?;
        let order = |row: OpenRow| FleetOrder {
            id: FleetOrderId(row.id),
            mysis: MysisId(row.mysis_id),
            source: OrderSource::parse(&row.source),
            content: row.content.into(),
        };
        Ok(rows.into_iter().map(order).collect())
    }

    async fn outcomes(&self, awaited: &[FleetOrderId]) -> Result<Vec<OrderOutcome>, DbErr> {
        if awaited.is_empty() {
            return Ok(Vec::new());
        }
        let ids = Value::from_iter(awaited.iter().map(|id| id.0)).to_string();
        let values = [self.owner.as_str().into(), ids.into()];
        let rows = GivenRow::find_by_statement(on_server(GIVEN, values));
        let rows = rows.all(&self.writer).await?.into_iter();
        let known: BTreeMap<FleetOrderId, Option<String>> =
            rows.map(|row| (FleetOrderId(row.id), row.answer)).collect();
        let outcome = |id: &FleetOrderId| match known.get(id) {
            None => Some(OrderOutcome::Missing(*id)),
            Some(None) => None,
            Some(Some(answer)) => Some(OrderOutcome::Answered(*id, Arc::from(answer.as_str()))),
        };
        Ok(awaited.iter().filter_map(outcome).collect())
    }

    pub(crate) async fn mark_done(&self, tx: &Tx, order: FleetOrderId) -> Result<(), DbErr> {
        let values = [self.owner.as_str().into(), order.0.into()];
        tx.execute_raw(on_server(MARK_DONE, values)).await.map(drop)
    }
}
