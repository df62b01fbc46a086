//! The tools of requests as a server of models reads them, once for each set.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::model::ModelRequest;
use actors::domain::tool::Toolset;
use serde_json::value::RawValue;

use zoea_pilot::{ToolList, ToolListCache};

const MAX_SETS: usize = 512;

#[derive(Debug)]
pub struct ToolReader {
    request_text: fn(&ModelRequest) -> Option<String>,
    lists: ToolListCache,
    known: Mutex<Vec<KnownSet>>,
}

/// A set that was read. It is held, so that no other one gets its address.
#[derive(Debug)]
struct KnownSet {
    set: Arc<Toolset>,
    list: Option<Arc<ToolList>>,
}

impl ToolReader {
    pub fn new(request_text: fn(&ModelRequest) -> Option<String>) -> ToolReader {
        ToolReader {
            request_text,
            lists: ToolListCache::default(),
            known: Mutex::default(),
        }
    }

    /// The tools that the request offers; none where it has no list.
    pub fn read(&self, request: &ModelRequest) -> Option<Arc<ToolList>> {
        let mut known = self.known.lock();
        let found = known
            .iter()
            .find(|known| Arc::ptr_eq(&known.set, &request.tools));
        if let Some(known) = found {
            return known.list.clone();
        }
        let list = self.read_anew(request);
        if known.len() >= MAX_SETS {
            known.clear();
        }
        known.push(KnownSet {
            set: request.tools.clone(),
            list: list.clone(),
        });
        list
    }

    fn read_anew(&self, request: &ModelRequest) -> Option<Arc<ToolList>> {
        let text = (self.request_text)(request)?;
        let body: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text).ok()?;
        Some(self.lists.look_up(body.get("tools")?.get()))
    }
}
