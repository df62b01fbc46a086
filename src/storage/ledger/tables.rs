//! All tables: what becomes of the rows of a Mysis that is deleted, and how exports hold them. A test
//! compares them with the schema of both databases, so that no table is without an answer.

use actors::domain::ids::MysisId;
use sea_orm::DbErr;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::writer::Tx;

pub(super) enum WhenDeleted {
    /// They go; this column names the Mysis.
    Go(&'static str),
    /// They are free again: this column names no Mysis any more.
    Freed(&'static str),
    /// The database removes them with the row of the Mysis, or with that of a message.
    Follow,
    Stay,
}

/// The kinds of lines of an export, in the order in which it has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum LineKind {
    Mission,
    Mysis,
    Row,
    Samples,
    Memo,
    Sighting,
}

#[derive(PartialEq)]
pub(super) enum InExports {
    As(LineKind),
    /// A Mysis makes it again by playing, other lines bring it about, or it belongs to this database only.
    No,
}

use InExports::{As, No};
use WhenDeleted::{Follow, Freed, Go, Stay};

/// Each table with its answers, in the order in which the rows of a deleted Mysis go: those that refer to calls
/// before the calls, so that each check of a foreign key is a short look-up.
pub(super) static TABLES: [(&str, WhenDeleted, InExports); 27] = [
    // Passwords are exported by `zoea accounts export` alone.
    ("account", Freed("assigned_to"), No),
    ("message", Go("mysis_id"), As(LineKind::Row)),
    ("tool_call", Go("mysis_id"), As(LineKind::Row)),
    ("sighting", Go("mysis_id"), As(LineKind::Sighting)),
    // It is as secret as a password.
    ("kept_session", Go("mysis_id"), No),
    ("removed", Go("mysis_id"), No),
    ("watch", Go("mysis_id"), No),
    ("routine", Go("mysis_id"), No),
    ("memo", Go("mysis_id"), As(LineKind::Memo)),
    ("mysis", Go("id"), As(LineKind::Mysis)),
    ("message_text", Follow, No),
    ("lease", Follow, No),
    ("mysis_status", Follow, No),
    ("fleet_order", Follow, No),
    ("mission", Stay, As(LineKind::Mission)),
    // What was earned and spent is true of the swarm, also when the Mysis is gone. Rows bring the sums about.
    ("sample", Stay, As(LineKind::Samples)),
    ("sample_hour", Stay, As(LineKind::Samples)),
    ("spending", Stay, No),
    ("spared", Stay, No),
    // The log of the swarm.
    ("event", Stay, No),
    // A server refuses these texts from every Mysis.
    ("held_text", Stay, No),
    ("trial", Stay, No),
    ("outage", Stay, No),
    ("allowance", Stay, No),
    ("process", Stay, No),
    ("indexed", Stay, No),
    ("seaql_migrations", Stay, No),
];

pub(crate) fn exported_kinds() -> impl Iterator<Item = LineKind> {
    let kinds = LineKind::VARIANTS.iter().copied();
    kinds.filter(|kind| TABLES.iter().any(|(.., exported)| *exported == As(*kind)))
}

pub(super) async fn delete_mysis(tx: &Tx, mysis: MysisId) -> Result<(), DbErr> {
    for (table, when_deleted, _) in &TABLES {
        let table = Alias::new(*table);
        match *when_deleted {
            Go(column) => {
                let is_its = Expr::col(Alias::new(column)).eq(mysis.0);
                tx.later_built(Query::delete().from_table(table).and_where(is_its))
                    .await?;
            }
            Freed(column) => {
                let column = Alias::new(column);
                let is_its = Expr::col(column.clone()).eq(mysis.0);
                let mut freed = Query::update();
                freed.table(table).value(column, Option::<i64>::None);
                tx.later_built(freed.and_where(is_its)).await?;
            }
            Follow | Stay => {}
        }
    }
    Ok(())
}
