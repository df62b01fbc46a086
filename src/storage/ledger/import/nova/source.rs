//! Reads a Zoea-Nova database and never writes to it.
//!
//! The file is opened as immutable, which also creates no files beside it. If its log contains
//! changes that are not in the file yet, a copy of both is opened instead.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use actors::domain::ids::Timestamp;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, QueryResult, Statement, Value};
use serde_json::Value as Json;
use zoea_system::files::open_regular;

use crate::file::{open_reader, open_without_log};
use crate::import::ImportFault;
use crate::paths::{beside, copy_private, remove_database};

use super::convert::{Memory, Names};
use super::moment;

const NOVA_VERSION: i64 = 12;
const PIECE_MEMORIES: i64 = 500;
const SECRET_MEMBERS: [&str; 4] = ["password", "session_id", "token", "api_key"];

pub(super) struct SourceMysis {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) provider: String,
    pub(super) model: Option<String>,
    pub(super) temperature: Option<f32>,
    pub(super) state: String,
    pub(super) created_at: Option<Timestamp>,
}

pub(super) struct SourceAccount {
    pub(super) username: String,
    pub(super) password: Arc<str>,
    pub(super) assigned_to: Option<String>,
    pub(super) created_at: Option<Timestamp>,
}

pub(super) struct SourceSnapshot {
    pub(super) username: String,
    pub(super) tool: String,
    pub(super) content: String,
    pub(super) tick: Option<i64>,
    pub(super) at: Option<Timestamp>,
}

pub(super) struct NovaDatabase {
    database: DatabaseConnection,
    /// The temporary copy, which may not have been made.
    copy: ScratchCopy,
}

/// A copy of a database and its log, which holds passwords. It is removed when this is dropped.
struct ScratchCopy(PathBuf);

impl ScratchCopy {
    /// The copy in a directory that one import at a time uses. What a killed one left is removed.
    fn in_directory(scratch: &Path) -> ScratchCopy {
        let copy = ScratchCopy(scratch.join("zoea.db.import"));
        copy.remove();
        copy
    }

    fn remove(&self) {
        // It may not exist.
        let _ = remove_database(&self.0);
    }
}

impl Drop for ScratchCopy {
    fn drop(&mut self) {
        self.remove();
    }
}

impl NovaDatabase {
    pub(super) async fn open(file: &Path, scratch: &Path) -> Result<NovaDatabase, ImportFault> {
        let log = beside(file, "-wal");
        let has_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
        let copy = ScratchCopy::in_directory(scratch);
        let opened = if has_log {
            copy_with_log(file, &log, &copy.0)?;
            open_reader(&copy.0).await
        } else {
            open_without_log(file).await
        };
        let database = opened.map_err(|error| ImportFault::Source(error.to_string()))?;
        let source = NovaDatabase { database, copy };
        match source.check_version(file).await {
            Ok(()) => Ok(source),
            Err(fault) => {
                source.close().await;
                Err(fault)
            }
        }
    }

    pub(super) async fn close(self) {
        // The database was only read, so an error here changes nothing.
        let _ = self.database.close().await;
        drop(self.copy);
    }

    async fn check_version(&self, file: &Path) -> Result<(), ImportFault> {
        let shown = file.display();
        let tables: BTreeSet<String> = self
            .query_rows("SELECT name FROM sqlite_master WHERE type = 'table'", [])
            .await?
            .iter()
            .filter_map(|row| text_column(row, 0))
            .collect();
        let wanted = ["schema_version", "myses", "memories", "accounts"];
        if let Some(missing) = wanted.into_iter().find(|table| !tables.contains(*table)) {
            return Err(ImportFault::NoNova(format!(
                "{shown} is no Zoea-Nova database: it has no table {missing}"
            )));
        }
        let versions = self
            .query_rows("SELECT CAST(MAX(version) AS TEXT) FROM schema_version", [])
            .await?;
        let version = versions.first().and_then(|row| text_column(row, 0));
        let version = version.and_then(|version| version.parse::<i64>().ok());
        if version == Some(NOVA_VERSION) {
            return Ok(());
        }
        Err(ImportFault::NoNova(format!(
            "{shown} is a Zoea-Nova database of version {}, and only version {NOVA_VERSION} can be \
             imported; open it with the newest Zoea-Nova first",
            version.map_or_else(|| "unknown".to_string(), |version| version.to_string())
        )))
    }

    pub(super) async fn myses(&self) -> Result<Vec<SourceMysis>, ImportFault> {
        let rows = self
            .query_rows(
                "SELECT CAST(id AS BLOB), CAST(name AS BLOB), CAST(provider AS BLOB), \
                 CAST(model AS BLOB), CAST(temperature AS REAL), CAST(state AS BLOB), \
                 CAST(created_at AS BLOB) FROM myses ORDER BY rowid",
                [],
            )
            .await?;
        Ok(rows
            .iter()
            .map(|row| {
                let temperature: Option<f64> = row.try_get_by_index(4).ok().flatten();
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a temperature is from 0 to 2"
                )]
                let temperature = temperature.map(|value| value.clamp(0.0, 2.0) as f32);
                SourceMysis {
                    id: text_column(row, 0).unwrap_or_default(),
                    name: text_column(row, 1).unwrap_or_default(),
                    provider: text_column(row, 2).unwrap_or_default(),
                    model: text_column(row, 3).filter(|model| !model.is_empty()),
                    temperature,
                    state: text_column(row, 5).unwrap_or_default(),
                    created_at: time_column(row, 6),
                }
            })
            .collect())
    }

    /// The memories of a Mysis after one, with their ids.
    pub(super) async fn memories(
        &self,
        mysis: &str,
        after: i64,
    ) -> Result<Vec<(i64, Memory)>, ImportFault> {
        let rows = self
            .query_rows(
                "SELECT id, CAST(role AS BLOB), CAST(source AS BLOB), CAST(sender_id AS BLOB), \
                 CAST(content AS BLOB), CAST(reasoning AS BLOB), CAST(created_at AS BLOB) \
                 FROM memories WHERE CAST(mysis_id AS TEXT) = ? AND id > ? ORDER BY id LIMIT ?",
                [mysis.into(), after.into(), PIECE_MEMORIES.into()],
            )
            .await?;
        Ok(rows
            .iter()
            .map(|row| {
                let memory = Memory {
                    role: text_column(row, 1).unwrap_or_default(),
                    source: text_column(row, 2).unwrap_or_default(),
                    sender: text_column(row, 3),
                    content: text_column(row, 4).unwrap_or_default(),
                    reasoning: text_column(row, 5),
                    at: time_column(row, 6),
                };
                (row.try_get_by_index(0).unwrap_or(i64::MAX), memory)
            })
            .collect())
    }

    /// The distinct texts of the operator's broadcasts and when each was last given, in that order.
    pub(super) async fn missions(
        &self,
        names: &Names,
    ) -> Result<Vec<(String, Option<Timestamp>)>, ImportFault> {
        let rows = self
            .query_rows(
                "SELECT CAST(content AS BLOB), CAST(created_at AS BLOB), CAST(sender_id AS BLOB), \
                 MAX(id) FROM memories WHERE role = 'user' AND source = 'broadcast' \
                 GROUP BY content, sender_id ORDER BY MAX(id)",
                [],
            )
            .await?;
        let mut missions: Vec<(String, Option<Timestamp>)> = Vec::new();
        let is_peers =
            |row: &QueryResult| text_column(row, 2).is_some_and(|id| names.contains_key(&id));
        for row in rows.iter().filter(|row| !is_peers(row)) {
            let content = text_column(row, 0).unwrap_or_default();
            missions.retain(|(text, _)| *text != content);
            missions.push((content, time_column(row, 1)));
        }
        Ok(missions)
    }

    pub(super) async fn accounts(&self) -> Result<Vec<SourceAccount>, ImportFault> {
        let rows = self
            .query_rows(
                "SELECT CAST(username AS BLOB), CAST(password AS BLOB), CAST(assigned_to AS BLOB), \
                 CAST(created_at AS BLOB) FROM accounts ORDER BY rowid",
                [],
            )
            .await?;
        Ok(rows
            .iter()
            .map(|row| SourceAccount {
                username: text_column(row, 0).unwrap_or_default(),
                password: text_column(row, 1).unwrap_or_default().into(),
                assigned_to: text_column(row, 2),
                created_at: time_column(row, 3),
            })
            .filter(|account| !account.username.is_empty())
            .collect())
    }

    /// The snapshots, oldest first; none if the database has no table for them.
    pub(super) async fn snapshots(&self) -> Result<Vec<SourceSnapshot>, ImportFault> {
        let is_there = "SELECT 1 FROM sqlite_master WHERE name = 'game_state_snapshots'";
        if self.query_rows(is_there, []).await?.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self
            .query_rows(
                "SELECT CAST(username AS BLOB), CAST(tool_name AS BLOB), CAST(content AS BLOB), \
                 game_tick, CAST(captured_at AS BLOB) FROM game_state_snapshots ORDER BY rowid",
                [],
            )
            .await?;
        let mut snapshots: Vec<SourceSnapshot> = rows
            .iter()
            .map(|row| SourceSnapshot {
                username: text_column(row, 0).unwrap_or_default(),
                tool: text_column(row, 1).unwrap_or_default(),
                content: text_column(row, 2).unwrap_or_default(),
                tick: row.try_get_by_index(3).ok().flatten(),
                at: time_column(row, 4),
            })
            .collect();
        snapshots.sort_by_key(|snapshot| snapshot.at);
        Ok(snapshots)
    }

    /// The passwords and session ids in calls and results. Zoea-Nova stored them unredacted.
    pub(super) async fn secrets(&self) -> Result<BTreeSet<Arc<str>>, ImportFault> {
        let (mut found, mut after) = (BTreeSet::new(), 0_i64);
        loop {
            let rows = self
                .query_rows(
                    "SELECT id, CAST(content AS BLOB) FROM memories WHERE id > ? ORDER BY id LIMIT ?",
                    [after.into(), PIECE_MEMORIES.into()],
                )
                .await?;
            let Some(last) = rows.last() else {
                return Ok(found);
            };
            after = last.try_get_by_index(0).unwrap_or(i64::MAX);
            for content in rows.iter().filter_map(|row| text_column(row, 1)) {
                found.extend(
                    SECRET_MEMBERS
                        .iter()
                        .flat_map(|member| values_of(member, &content)),
                );
            }
        }
    }

    async fn query_rows<const N: usize>(
        &self,
        query: &str,
        values: [Value; N],
    ) -> Result<Vec<QueryResult>, ImportFault> {
        self.database
            .query_all_raw(Statement::from_sql_and_values(
                DbBackend::Sqlite,
                query,
                values,
            ))
            .await
            .map_err(|error| ImportFault::Source(error.to_string()))
    }
}

/// The values of a member in a text that contains JSON.
fn values_of(member: &str, content: &str) -> Vec<Arc<str>> {
    let label = format!("\"{member}\"");
    content
        .match_indices(&label)
        .filter_map(|(place, _)| {
            let rest = content[place + label.len()..]
                .trim_start()
                .strip_prefix(':')?;
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Json>();
            match values.next()? {
                Ok(Json::String(value)) => Some(value.into()),
                Ok(_) | Err(_) => None,
            }
        })
        .collect()
}

/// Copies a database and its log. Other users cannot read the copies.
fn copy_with_log(file: &Path, log: &Path, copy: &Path) -> Result<(), ImportFault> {
    let copies = [copy.to_path_buf(), beside(copy, "-wal")];
    for (from, to) in [file, log].into_iter().zip(copies) {
        let copied = open_regular(from).and_then(|source| copy_private(source, &to));
        copied.map_err(|cause| ImportFault::Unreadable {
            file: from.to_path_buf(),
            cause,
        })?;
    }
    Ok(())
}

/// A column of text or of bytes, as text. Invalid UTF-8 is replaced and not refused.
fn text_column(row: &QueryResult, column: usize) -> Option<String> {
    let bytes: Option<Vec<u8>> = row.try_get_by_index(column).ok().flatten();
    bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn time_column(row: &QueryResult, column: usize) -> Option<Timestamp> {
    moment::parse_moment(&text_column(row, column)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_wherever_json_gives_them() {
        let text = r#"[TOOL_CALLS]a:login:{"username":"q","password":"p\"w|:é"}|x {"password": "two"} "password": 3"#;
        let found: Vec<Arc<str>> = vec!["p\"w|:é".into(), "two".into()];
        assert_eq!(values_of("password", text), found);
    }
}
