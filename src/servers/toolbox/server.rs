//! What all links to one server share: its tools, and what the operator was told
//! about them.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::hash::RandomState;
use std::sync::{Arc, Weak};
use std::time::Duration;

use actors::domain::game::GameRef;
use actors::domain::tool::{ToolSpec, Toolset};
use actors::ports::LinkCall;
use actors::session::own_tools;
use tokio::time::Instant;

use zoea_mcp::{ListedTool, Listing};

use super::pins::ToolPins;
use super::tool_order::ToolOrder;
use super::{McpUpstream, NotifyOperator, registration};

/// The shortest time after which a list is asked for again, whatever the server says.
pub(super) const MIN_LIST_AGE: Duration = Duration::from_secs(1);
const MAX_LIST_AGE: Duration = Duration::from_secs(3600);
/// How long the same reason for the end of a process is not told again.
const TOLD_END_INTERVAL: Duration = Duration::from_secs(60);
/// The number of changes of tools that are remembered, so that each is told once for all Myses.
const MAX_REPORTED_CHANGES: usize = 16;

pub(super) struct McpServer {
    /// The registration code of the game, if it needs one.
    registration_code: Option<Arc<str>>,
    notify: Option<NotifyOperator>,
    key: RandomState,
    known: Mutex<KnownLists>,
}

#[derive(Default)]
struct KnownLists {
    server_name: Option<Arc<str>>,
    /// The lists in use, which Myses with equal lists share.
    lists: Vec<Weak<KnownTools>>,
    /// What the last list was made of. Most Myses get the same one.
    last: Option<(Weak<Listing>, Weak<KnownTools>)>,
    /// The newest list that is for every client, until it is too old.
    public: Option<(Arc<KnownTools>, Instant)>,
    /// Counts how often `public` changed.
    public_changes: u64,
    reported_left_out: Option<Arc<str>>,
    /// Why a process was ended last, and when.
    reported_end: Option<(Arc<str>, Instant)>,
    reported_changes: VecDeque<(ToolPins, ToolPins)>,
    order: ToolOrder,
}

pub(super) struct KnownTools {
    pub(super) tools: Arc<Toolset>,
    pins: ToolPins,
}

impl KnownTools {
    pub(super) fn is_empty(&self) -> bool {
        self.pins.is_empty()
    }
}

/// A request for the tools that is under way, from before it leaves.
#[derive(Clone, Copy)]
pub(super) struct ListRequest {
    /// The changes of the shared list when it left.
    public_changes: u64,
}

/// A list and the time until which it is valid, if the server names one.
pub(super) struct DatedList {
    pub(super) list: Arc<KnownTools>,
    pub(super) valid_until: Option<Instant>,
}

impl McpUpstream {
    /// What the server calls itself, once a session was opened.
    pub fn server_name(&self) -> Option<Arc<str>> {
        self.server.as_ref()?.0.known.lock().server_name.clone()
    }
}

impl McpServer {
    pub(super) fn new(
        registration_code: Option<Arc<str>>,
        notify: Option<NotifyOperator>,
    ) -> McpServer {
        McpServer {
            registration_code,
            notify,
            key: RandomState::new(),
            known: Mutex::default(),
        }
    }

    /// A call with the registration code, where it needs one.
    pub(super) fn complete(&self, call: LinkCall) -> LinkCall {
        match &self.registration_code {
            Some(code) => registration::with_code(call, code),
            None => call,
        }
    }

    /// Notes what the server calls itself, if anything.
    pub(super) fn note_name(&self, name: Option<&Arc<str>>) {
        self.known.lock().server_name = name.cloned();
    }

    /// The newest list that is for every client, while it is valid.
    pub(super) fn public_list(&self) -> Option<DatedList> {
        let known = self.known.lock();
        let (list, until) = known.public.as_ref()?;
        (*until > Instant::now()).then(|| DatedList {
            list: list.clone(),
            valid_until: Some(*until),
        })
    }

    pub(super) fn request_list(&self) -> ListRequest {
        let public_changes = self.known.lock().public_changes;
        ListRequest { public_changes }
    }

    /// Makes a list usable, tells the operator about it once for all Myses, and keeps it for other
    /// Myses if it is for all.
    ///
    /// Of several lists for all that are asked for at the same time, nobody can say which one is the
    /// newest: the one that arrives first is taken for all of them, until it is too old. Otherwise a
    /// list that was overtaken on its way would be told as a change back.
    pub(super) fn take_listing(
        &self,
        request: ListRequest,
        listing: &Arc<Listing>,
        before: Option<&Arc<KnownTools>>,
    ) -> DatedList {
        let list = self.last_list(listing).unwrap_or_else(|| {
            let list = self.make_list(listing);
            let last = (Arc::downgrade(listing), Arc::downgrade(&list));
            self.known.lock().last = Some(last);
            list
        });
        let age = listing.ttl.map(|ttl| ttl.clamp(MIN_LIST_AGE, MAX_LIST_AGE));
        let valid_until = age.map(|age| Instant::now() + age);
        let taken = match (listing.is_public, valid_until) {
            (true, Some(until)) if !list.is_empty() => self.publish_list(request, list, until),
            _ => DatedList { list, valid_until },
        };
        self.notify_change(before, &taken.list);
        taken
    }

    /// The usable list that was made of this one, if that was the last.
    fn last_list(&self, listing: &Arc<Listing>) -> Option<Arc<KnownTools>> {
        let known = self.known.lock();
        let (of, list) = known.last.as_ref()?;
        let is_same = std::ptr::eq(of.as_ptr(), Arc::as_ptr(listing));
        list.upgrade().filter(|_| is_same)
    }

    fn make_list(&self, listing: &Listing) -> Arc<KnownTools> {
        let left_out: Option<Arc<str>> = listing.left_out().map(Into::into);
        let pins = ToolPins::new(&listing.tools, &self.key);
        let own = own_tools();
        let is_code_known = self.registration_code.is_some();
        let tools = self.known.lock().order.arrange(listing.tools.clone());
        let tools = tools.into_iter().map(|tool| match is_code_known {
            true => to_tool_spec(registration::without_code(tool)),
            false => to_tool_spec(tool),
        });
        let tools = Toolset::new(tools.chain(own.tools().iter().cloned()));
        self.notify_left_out(&tools, left_out.as_ref());
        let tools = tools.leaving_out(left_out);
        self.share_list(tools, pins)
    }

    /// Makes a list the one for all, unless that has changed since the list was asked for. Returns
    /// the list to use.
    fn publish_list(
        &self,
        request: ListRequest,
        list: Arc<KnownTools>,
        until: Instant,
    ) -> DatedList {
        let mut known = self.known.lock();
        let taken = if known.public_changes == request.public_changes {
            known.public_changes += 1;
            known.public.insert((list, until)).clone()
        } else {
            // There is none where the server has contradicted the last one in the meantime.
            known.public.clone().unwrap_or((list, until))
        };
        DatedList {
            list: taken.0,
            valid_until: Some(taken.1),
        }
    }

    /// Forgets the list for all, because the server says that its tools have changed.
    pub(super) fn forget_public_list(&self) {
        let mut known = self.known.lock();
        known.public = None;
        known.public_changes += 1;
    }

    /// Myses with equal tools share one set, because a set can be large.
    fn share_list(&self, tools: Toolset, pins: ToolPins) -> Arc<KnownTools> {
        let mut known = self.known.lock();
        known.lists.retain(|list| list.strong_count() > 0);
        let mut live = known.lists.iter().filter_map(Weak::upgrade);
        let same = live.find(|list| list.pins == pins && *list.tools == tools);
        drop(live);
        same.unwrap_or_else(|| {
            let tools = Arc::new(tools);
            let list = Arc::new(KnownTools { tools, pins });
            known.lists.push(Arc::downgrade(&list));
            list
        })
    }

    fn notify_left_out(&self, tools: &Toolset, left_out: Option<&Arc<str>>) {
        let Some(text) = left_out else {
            return;
        };
        if self
            .known
            .lock()
            .reported_left_out
            .replace(text.clone())
            .as_ref()
            == Some(text)
        {
            return;
        }
        let server = server_words(tools);
        self.notify("tools_left_out", &format!("of {server}'s tools {text}"));
    }

    /// Reports what changes for a Mysis that had another list before.
    pub(super) fn notify_change(&self, before: Option<&Arc<KnownTools>>, after: &KnownTools) {
        let Some(before) = before else {
            return;
        };
        let Some(change) = before.pins.change_to(&after.pins) else {
            return;
        };
        let pair = (before.pins.clone(), after.pins.clone());
        let mut known = self.known.lock();
        if known.reported_changes.contains(&pair) {
            return;
        }
        // A change that is taken back can come again, and is told again then.
        let (from, to) = &pair;
        known
            .reported_changes
            .retain(|(one, other)| (one, other) != (to, from));
        known.reported_changes.push_back(pair);
        if known.reported_changes.len() > MAX_REPORTED_CHANGES {
            known.reported_changes.pop_front();
        }
        drop(known);
        let server = server_words(&after.tools);
        let text = format!("{server}'s tools have changed: {change}");
        self.notify("tools_changed", &text);
    }

    /// Tells that a process was ended, once for all Myses in a while.
    pub(super) fn notify_end(&self, text: &str) {
        let now = Instant::now();
        let previous = self.known.lock().reported_end.replace((text.into(), now));
        let is_known = |(before, at): (Arc<str>, Instant)| {
            *before == *text && now.duration_since(at) < TOLD_END_INTERVAL
        };
        if !previous.is_some_and(is_known) {
            self.notify("server_ended", text);
        }
    }

    fn notify(&self, code: &'static str, text: &str) {
        if let Some(notify) = &self.notify {
            notify(code, text);
        }
    }
}

fn server_words(tools: &Toolset) -> &'static str {
    let game = tools.game();
    game.unwrap_or(GameRef::AnyTools).server()
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn listing(names: &[&str], is_public: bool) -> Arc<Listing> {
        let tool = |name: &&str| ListedTool {
            name: (*name).into(),
            description: "".into(),
            schema: "{}".into(),
            read_only_hint: None,
            annotations: "".into(),
        };
        let mut listing = Listing::default();
        listing.tools = names.iter().map(tool).collect();
        listing.ttl = Some(Duration::from_secs(60));
        listing.is_public = is_public;
        Arc::new(listing)
    }

    /// A server, and what the operator is told about it.
    fn server() -> (McpServer, Arc<Mutex<Vec<String>>>) {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let sink = notices.clone();
        let notify: NotifyOperator = Box::new(move |_, text: &str| {
            sink.lock().push(text.to_string());
        });
        (McpServer::new(None, Some(notify)), notices)
    }

    #[test]
    fn a_list_that_is_overtaken_on_its_way_is_not_told_as_a_change_back() {
        let (server, notices) = server();
        let first = server.take_listing(server.request_list(), &listing(&["mine"], true), None);
        let overtaken = server.request_list();
        let newer = server.request_list();
        let new = server.take_listing(newer, &listing(&["mine", "jump"], true), Some(&first.list));
        let late = server.take_listing(overtaken, &listing(&["mine"], true), Some(&first.list));
        assert!(Arc::ptr_eq(&new.list, &late.list), "the one for all");
        let public = server.public_list().expect("a list for all");
        server.notify_change(Some(&late.list), &public.list);
        let notices = notices.lock();
        let text = "the game server's tools have changed: +1 (jump)";
        assert_eq!(*notices, [text]);
    }

    #[test]
    fn a_list_that_was_asked_for_before_the_server_contradicted_it_is_not_for_all() {
        let (server, _) = server();
        let before = server.request_list();
        server.forget_public_list();
        let taken = server.take_listing(before, &listing(&["mine"], true), None);
        assert!(taken.list.tools.get("mine").is_some());
        assert!(server.public_list().is_none());
    }

    #[test]
    fn tools_keep_the_order_in_which_they_were_first_known() {
        let (server, notices) = server();
        let take = |names: &[&str]| {
            let taken = server.take_listing(server.request_list(), &listing(names, false), None);
            taken.list
        };
        let first = take(&["mine", "sell", "jump"]);
        let shuffled = take(&["jump", "mine", "sell"]);
        assert!(Arc::ptr_eq(&first, &shuffled), "it is the same list");
        let grown = take(&["dock", "jump", "mine"]);
        let names = grown.tools.tools().iter().map(|tool| tool.name.to_string());
        let names: Vec<String> = names.take(3).collect();
        assert_eq!(names, ["mine", "jump", "dock"]);
        assert!(notices.lock().is_empty());
    }

    #[test]
    fn a_list_for_one_client_stays_its_own() {
        let (server, _) = server();
        let (one, other) = (server.request_list(), server.request_list());
        server.take_listing(one, &listing(&["mine"], false), None);
        let taken = server.take_listing(other, &listing(&["sell"], false), None);
        assert!(taken.list.tools.get("sell").is_some());
    }
}
