//! The map of systems: reads the newest results that tell of systems.
//!
//! The newest rows of the whole swarm are looked through by their number, so the cost does not grow
//! with the number of Myses. Which results tell of systems is seen from their calls; only the texts
//! of these are read, a few at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::Timestamp;
use actors::domain::message::{CallStatus, RowKind};
use actors::domain::system_map::{SystemMap, SystemMapBuilder, SystemMapQuery};
use actors::domain::tool::command_of_call;
use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    RelationDef,
};
use zoea_spacemolt::systems;

use crate::LedgerInner;
use crate::entity::{message, tool_call};
use crate::index::newest_row;

/// The newest rows that are looked through.
const MAX_ROWS: i64 = 50_000;
const MAX_RESULTS: u64 = 4_000;
/// The most maps of the whole galaxy that are read. They say the same, and each has hundreds of systems.
const MAX_WHOLE_MAPS: usize = 4;
/// How many texts are in memory at once.
const RESULTS_AT_ONCE: usize = 16;
const MAP_COMMAND: &str = "get_map";
/// The only parameter of the map: one system.
const ONE_SYSTEM: &str = "system_id";

struct MapSource {
    row: i64,
    at: Timestamp,
    command: Arc<str>,
}

impl LedgerInner {
    pub(super) async fn system_map(&self, query: SystemMapQuery) -> Result<SystemMap, DbErr> {
        let mut builder = SystemMapBuilder::new(&query);
        for sources in self.map_sources().await?.chunks(RESULTS_AT_ONCE) {
            let rows = sources.iter().map(|source| source.row);
            let texts: Vec<(i64, String)> = message::Entity::find()
                .select_only()
                .column(message::Column::Id)
                .column(message::Column::Content)
                .filter(message::Column::Id.is_in(rows))
                // Longer ones are no answers of this game.
                .filter(Expr::cust("length(content) <= 1000000"))
                .into_tuple()
                .all(&self.readers)
                .await?;
            let texts: BTreeMap<i64, String> = texts.into_iter().collect();
            for source in sources {
                if let Some(text) = texts.get(&source.row) {
                    builder.add_result(&source.command, text, source.at);
                }
            }
        }
        // Laying out a thousand systems takes longer than others on this thread can wait.
        let map = tokio::task::spawn_blocking(move || builder.finish());
        map.await.map_err(|error| DbErr::Custom(error.to_string()))
    }

    async fn map_sources(&self) -> Result<Vec<MapSource>, DbErr> {
        let newest = newest_row(&self.readers).await?;
        let call: RelationDef = message::Entity::belongs_to(tool_call::Entity)
            .from((
                message::Column::MysisId,
                message::Column::CallSeq,
                message::Column::CallPosition,
            ))
            .to((
                tool_call::Column::MysisId,
                tool_call::Column::Seq,
                tool_call::Column::Position,
            ))
            .into();
        let found: Vec<(i64, i64, String, String)> = message::Entity::find()
            .join(JoinType::InnerJoin, call)
            .select_only()
            .column(message::Column::Id)
            .column(message::Column::At)
            .column_as(tool_call::Column::Name, "tool")
            .column_as(tool_call::Column::Arguments, "arguments")
            .filter(message::Column::Id.gt(newest.saturating_sub(MAX_ROWS)))
            .filter(message::Column::Kind.eq(RowKind::Result.as_str()))
            .filter(tool_call::Column::Status.eq(CallStatus::Done.as_str()))
            // Of a tool that is no game's nothing is read.
            .filter(message::Column::Metadata.not_like("%\"game\":\"any\"%"))
            .filter(mentions_systems())
            .order_by_desc(message::Column::Id)
            .limit(MAX_RESULTS)
            .into_tuple()
            .all(&self.readers)
            .await?;
        Ok(keep_few_whole_maps(found))
    }
}

/// Calls of these commands, by their tool or by the action of a tool.
fn mentions_systems() -> Condition {
    let tools = systems::COMMANDS.iter().copied();
    // The first interface's status tells nothing of systems, and is the most frequent call of all.
    let tools = tools.filter(|command| *command != "get_status");
    let mut is_action = Condition::any();
    for command in systems::COMMANDS {
        let named = format!("%\"{command}\"%");
        is_action = is_action.add(tool_call::Column::Arguments.like(named));
    }
    let grouped = Condition::all()
        .add(tool_call::Column::Name.starts_with("spacemolt"))
        .add(is_action);
    Condition::any()
        .add(tool_call::Column::Name.is_in(tools))
        .add(grouped)
}

fn keep_few_whole_maps(found: Vec<(i64, i64, String, String)>) -> Vec<MapSource> {
    let mut whole_maps = 0;
    let mut sources = Vec::new();
    for (row, at, tool, arguments) in found {
        let command = command_of_call(&tool.into(), &arguments);
        if &*command == MAP_COMMAND && !arguments.contains(ONE_SYSTEM) {
            whole_maps += 1;
            if whole_maps > MAX_WHOLE_MAPS {
                continue;
            }
        }
        sources.push(MapSource {
            row,
            at: Timestamp(at),
            command,
        });
    }
    sources
}
