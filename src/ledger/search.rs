//! Search: rows that hold a text, literally.

use std::sync::Arc;

use actors::domain::ids::{MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{Body, Row};
use actors::ports::{Found, Search, SearchIn};
use sea_orm::prelude::Expr;
use sea_orm::sea_query::{ExprTrait, Func, SimpleExpr};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use super::Inner;
use super::entity::{message, mission};

impl Inner {
    pub(super) async fn search(&self, search: &Search) -> Result<Found, DbErr> {
        let rows = match search.within {
            SearchIn::Missions => self.missions_with(search).await?,
            SearchIn::Messages | SearchIn::Reasoning => self.messages_with(search).await?,
        };
        let mut found = Found {
            rows,
            ignoring_case: 0,
        };
        if found.rows.is_empty() && search.case_sensitive {
            let relaxed = Search {
                case_sensitive: false,
                ..search.clone()
            };
            found.ignoring_case = self.count(&relaxed).await?;
        }
        Ok(found)
    }

    async fn messages_with(&self, search: &Search) -> Result<Vec<(MysisId, Arc<Row>)>, DbErr> {
        let mut models = matching_messages(search)
            .order_by_desc(message::Column::Id)
            .limit(search.limit as u64)
            .all(&self.readers)
            .await?;
        models.reverse();
        let owners: Vec<MysisId> = models.iter().map(|model| MysisId(model.mysis_id)).collect();
        let rows = self.complete(models).await?;
        Ok(owners.into_iter().zip(rows).collect())
    }

    async fn missions_with(&self, search: &Search) -> Result<Vec<(MysisId, Arc<Row>)>, DbErr> {
        let mut models = matching_missions(search)
            .order_by_desc(mission::Column::Number)
            .limit(search.limit as u64)
            .all(&self.readers)
            .await?;
        models.reverse();
        Ok(models
            .into_iter()
            .map(|model| {
                let row = Row {
                    seq: Seq(model.number),
                    at: Timestamp(model.at),
                    turn: TurnNumber(0),
                    body: Body::Mission {
                        id: MissionId(model.id),
                        text: model.content.into(),
                    },
                };
                (MysisId(0), Arc::new(row))
            })
            .collect())
    }

    async fn count(&self, search: &Search) -> Result<usize, DbErr> {
        let count = match search.within {
            SearchIn::Missions => matching_missions(search).count(&self.readers).await?,
            SearchIn::Messages | SearchIn::Reasoning => {
                matching_messages(search).count(&self.readers).await?
            }
        };
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

fn matching_messages(search: &Search) -> Select<message::Entity> {
    let column = match search.within {
        SearchIn::Reasoning => message::Column::Reasoning,
        SearchIn::Messages | SearchIn::Missions => message::Column::Content,
    };
    let mut query = message::Entity::find().filter(holds(Expr::col(column), search));
    if let Some(mysis) = search.mysis {
        query = query.filter(message::Column::MysisId.eq(mysis.0));
    }
    query
}

fn matching_missions(search: &Search) -> Select<mission::Entity> {
    mission::Entity::find().filter(holds(Expr::col(mission::Column::Content), search))
}

/// Whether a column holds a text: `instr`, not LIKE, so that `%` and `_` mean themselves.
fn holds(column: SimpleExpr, search: &Search) -> SimpleExpr {
    let (column, text) = if search.case_sensitive {
        (column, search.text.clone())
    } else {
        (Func::lower(column).into(), search.text.to_lowercase())
    };
    Func::cust("instr").arg(column).arg(text).gt(0)
}
