//! What all links to one server share: its endpoint, its tools, and what the operator was told
//! about them.

use std::collections::VecDeque;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use actors::domain::tool::{ToolSpec, Toolset};
use actors::session::own_tools;
use tokio::time::Instant;

use zoea_mcp::{ListedTool, Listing, UpstreamEndpoint};

use super::pins::ToolPins;
use super::{TellOperator, registration};

/// The shortest time after which a list is asked for again, whatever the server says.
const MIN_LIST_AGE: Duration = Duration::from_secs(1);
/// The longest time for which a list is believed to be valid.
const MAX_LIST_AGE: Duration = Duration::from_secs(3600);
/// The number of changes of tools that are remembered, so that each is told once for all Myses.
const MAX_TOLD_CHANGES: usize = 16;

/// A server.
pub(super) struct McpServer {
    pub(super) endpoint: UpstreamEndpoint,
    /// The registration code of the game, if it needs one.
    pub(super) registration_code: Option<Arc<str>>,
    tell: Option<TellOperator>,
    /// The key of the hashes of tools.
    key: RandomState,
    known: Mutex<KnownLists>,
}

#[derive(Default)]
struct KnownLists {
    /// The lists in use, which Myses with equal lists share.
    lists: Vec<Weak<ToolList>>,
    /// The newest list that is for every client, until it is too old.
    public: Option<(Arc<ToolList>, Instant)>,
    /// The last report about tools that are left out.
    told_left_out: Option<Arc<str>>,
    /// The changes that were told.
    told_changes: VecDeque<(ToolPins, ToolPins)>,
}

/// A list of tools, with our own.
pub(super) struct ToolList {
    pub(super) tools: Arc<Toolset>,
    pins: ToolPins,
}

/// A list and the time until which it is valid, if the server names one.
pub(super) struct DatedList {
    pub(super) list: Arc<ToolList>,
    pub(super) valid_until: Option<Instant>,
}

impl McpServer {
    pub(super) fn new(
        endpoint: UpstreamEndpoint,
        registration_code: Option<Arc<str>>,
        tell: Option<TellOperator>,
    ) -> McpServer {
        McpServer {
            endpoint,
            registration_code,
            tell,
            key: RandomState::new(),
            known: Mutex::default(),
        }
    }

    /// Locks what is known. The lock is never held across an await.
    fn known(&self) -> MutexGuard<'_, KnownLists> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest list that is for every client, while it is valid.
    pub(super) fn public_list(&self) -> Option<DatedList> {
        let known = self.known();
        let (list, until) = known.public.as_ref()?;
        (*until > Instant::now()).then(|| DatedList {
            list: list.clone(),
            valid_until: Some(*until),
        })
    }

    /// Makes a list usable, tells the operator about it once for all Myses, and keeps it for other
    /// Myses if it is for all.
    pub(super) fn take_listing(
        &self,
        mut listing: Listing,
        before: Option<&Arc<ToolList>>,
    ) -> DatedList {
        let left_out: Option<Arc<str>> = listing.left_out().map(Into::into);
        self.tell_left_out(left_out.as_ref());
        let pins = ToolPins::new(&listing.tools, &self.key);
        let own = own_tools();
        let is_code_known = self.registration_code.is_some();
        let tools = std::mem::take(&mut listing.tools).into_iter();
        let tools = tools.map(|tool| match is_code_known {
            true => to_tool_spec(registration::without_code(tool)),
            false => to_tool_spec(tool),
        });
        let tools = Toolset::new(tools.chain(own.tools().iter().cloned())).leaving_out(left_out);
        let list = self.share_list(tools, pins);
        self.tell_change(before, &list);
        let age = listing.ttl.map(|ttl| ttl.clamp(MIN_LIST_AGE, MAX_LIST_AGE));
        let valid_until = age.map(|age| Instant::now() + age);
        if let (true, Some(until)) = (listing.is_public, valid_until) {
            self.known().public = Some((list.clone(), until));
        }
        DatedList { list, valid_until }
    }

    /// Forgets the list for all, because the server says that its tools have changed.
    pub(super) fn forget_public_list(&self) {
        self.known().public = None;
    }

    /// Myses with equal tools share one set, because a set can be large.
    fn share_list(&self, tools: Toolset, pins: ToolPins) -> Arc<ToolList> {
        let mut known = self.known();
        known.lists.retain(|list| list.strong_count() > 0);
        let mut live = known.lists.iter().filter_map(Weak::upgrade);
        let same = live.find(|list| list.pins == pins && *list.tools == tools);
        drop(live);
        same.unwrap_or_else(|| {
            let tools = Arc::new(tools);
            let list = Arc::new(ToolList { tools, pins });
            known.lists.push(Arc::downgrade(&list));
            list
        })
    }

    /// Reports the tools that are left out.
    fn tell_left_out(&self, left_out: Option<&Arc<str>>) {
        let Some(text) = left_out else {
            return;
        };
        if self.known().told_left_out.replace(text.clone()).as_ref() == Some(text) {
            return;
        }
        self.tell(
            "tools_left_out",
            &format!("of the game server's tools {text}"),
        );
    }

    /// Reports what changes for a Mysis that had another list before.
    pub(super) fn tell_change(&self, before: Option<&Arc<ToolList>>, after: &ToolList) {
        let Some(before) = before else {
            return;
        };
        let Some(change) = before.pins.change_to(&after.pins) else {
            return;
        };
        let pair = (before.pins.clone(), after.pins.clone());
        let mut known = self.known();
        if known.told_changes.contains(&pair) {
            return;
        }
        known.told_changes.push_back(pair);
        if known.told_changes.len() > MAX_TOLD_CHANGES {
            known.told_changes.pop_front();
        }
        drop(known);
        let text = format!("the game server's tools have changed: {change}");
        self.tell("tools_changed", &text);
    }

    fn tell(&self, code: &'static str, text: &str) {
        if let Some(tell) = &self.tell {
            tell(code, text);
        }
    }
}

fn to_tool_spec(tool: ListedTool) -> ToolSpec {
    let ListedTool {
        name,
        description,
        schema,
        read_only_hint,
        annotations: _,
    } = tool;
    ToolSpec {
        name,
        description,
        schema,
        read_only_hint,
    }
}
