//! The shared cache: reference data of the game, fetched once for the whole swarm.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;

use actors::domain::bounds::MAX_TREE_BYTES;
use actors::domain::ids::MysisId;
use actors::ports::{LinkAnswer, LinkCall, LinkFault};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use serde_json::Value;
use tokio::time::Instant;
use zoea_spacemolt::commands;

use super::tick_cache::arguments;

/// How long an answer is used, and how long after a session was lost.
const MAX_ANSWER_AGE: Duration = Duration::from_secs(30 * 60);
const MAX_DISTRUSTED_AGE: Duration = Duration::from_secs(60);

/// The most answers and bytes in the cache. Beyond that the oldest answers are dropped.
const MAX_CACHED_TABLES: usize = 64;
const MAX_CACHED_BYTES: usize = 4 << 20;

/// The tools whose answers are the same for every player. Of the map's answer, only the visits are
/// the caller's own.
const REFERENCE_TOOLS: [&str; 6] = [
    "catalog",
    "get_commands",
    "get_guide",
    "get_recipes",
    "get_version",
    "help",
];

/// The cache's key: a tool and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CacheKey {
    tool: String,
    arguments: String,
}

/// The key of a call; `None` if the cache cannot answer it.
pub(super) fn key(call: &LinkCall) -> Option<CacheKey> {
    let mut of_all = call.clone();
    of_all.arguments.remove("session_id");
    // Only the first interface's map tells in a known form who was where.
    let is_map = &*call.tool == "get_map" && of_all.arguments.is_empty();
    let command = commands::command(&call.tool, &call.arguments);
    (is_map || REFERENCE_TOOLS.contains(&command)).then(|| CacheKey {
        tool: call.tool.to_string(),
        arguments: arguments(&of_all),
    })
}

type Fetched = Shared<BoxFuture<'static, Result<LinkAnswer, LinkFault>>>;

#[derive(Default)]
pub(super) struct SharedCache(Mutex<BTreeMap<CacheKey, Entry>>);

struct Entry {
    by: MysisId,
    at: Instant,
    fetched: Fetched,
}

impl SharedCache {
    /// Returns the cached answer or fetches it. However many ask at once, one fetches and all wait
    /// for it.
    pub(super) async fn look_up(
        &self,
        key: CacheKey,
        who: MysisId,
        fetch: impl FnOnce() -> BoxFuture<'static, Result<LinkAnswer, LinkFault>>,
    ) -> Result<LinkAnswer, LinkFault> {
        let is_map = key.tool == "get_map";
        let (by, at, fetched) = self.entry(&key, who, fetch);
        let answer = fetched.await;
        let is_good = answer.as_ref().is_ok_and(|answer| !answer.is_error);
        if !is_good {
            self.remove(&key, at);
            return match answer {
                // The session that was lost or has no access is the fetching Mysis' own. This Mysis'
                // session may still be open.
                Err(LinkFault::SessionLost(why) | LinkFault::NoAccess(why)) if by != who => {
                    Err(LinkFault::Unreachable(why))
                }
                answer => answer,
            };
        }
        let answer = answer?;
        let age = at.elapsed().as_secs();
        if by == who && age == 0 {
            return Ok(answer);
        }
        let head = if is_map {
            format!("[fetched {age} s ago for your whole swarm; it does not tell who was where]")
        } else {
            format!("[fetched {age} s ago for your whole swarm]")
        };
        let text = if is_map && by != who {
            without_visits(&answer.text)
        } else {
            answer.text
        };
        Ok(LinkAnswer {
            structured: None,
            text: format!("{head}\n{text}"),
            is_error: false,
        })
    }

    fn entry(
        &self,
        key: &CacheKey,
        who: MysisId,
        fetch: impl FnOnce() -> BoxFuture<'static, Result<LinkAnswer, LinkFault>>,
    ) -> (MysisId, Instant, Fetched) {
        // This lock is never held across an await.
        let mut entries = self.0.lock();
        entries.retain(|_, entry| entry.at.elapsed() < MAX_ANSWER_AGE);
        while entries.len() >= MAX_CACHED_TABLES || bytes(&entries) > MAX_CACHED_BYTES {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.at);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            entries.remove(&oldest);
        }
        let entry = entries.entry(key.clone()).or_insert_with(|| Entry {
            by: who,
            at: Instant::now(),
            fetched: fetch().shared(),
        });
        (entry.by, entry.at, entry.fetched.clone())
    }

    fn remove(&self, key: &CacheKey, at: Instant) {
        let mut entries = self.0.lock();
        if entries.get(key).is_some_and(|entry| entry.at == at) {
            entries.remove(key);
        }
    }

    /// Drops everything, because the server may be of another version after a restart.
    pub(super) fn clear(&self) {
        let mut entries = self.0.lock();
        entries.clear();
    }

    /// Drops older answers after a lost session, because the server may have restarted.
    pub(super) fn distrust(&self) {
        let mut entries = self.0.lock();
        entries.retain(|_, entry| entry.at.elapsed() < MAX_DISTRUSTED_AGE);
    }
}

fn bytes(entries: &BTreeMap<CacheKey, Entry>) -> usize {
    let texts = entries.values().filter_map(|entry| entry.fetched.peek());
    texts.flatten().map(|answer| answer.text.len()).sum()
}

/// The map without the visits of the player that fetched it.
fn without_visits(text: &str) -> String {
    // A larger map is not parsed, because its values would take many times the memory of its text.
    let map = (text.len() <= MAX_TREE_BYTES).then(|| serde_json::from_str::<Value>(text));
    let Some(Ok(mut map)) = map else {
        return text.to_string();
    };
    let systems = map.get_mut("systems").and_then(Value::as_array_mut);
    for system in systems
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        system.retain(|key, _| !key.starts_with("visited"));
    }
    map.to_string()
}
