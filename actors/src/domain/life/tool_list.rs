//! The tools of a Mysis' requests: which are offered, and how they change with what it calls.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::event::LinkState;
use crate::memo::MemoKind;
use crate::message::{CallStatus, Severity};
use crate::role_list::{ListKey, ListNews, RoleLists};
use crate::routine::{ROUTINE_START, speaks_of_routines};
use crate::tool::Toolset;
use crate::tool_filter::ToolPermit;
use crate::tool_offer::{ToolOffer, ToolSelection};
use crate::tool_search;
use crate::working_set::SetChange;

use super::record::WriteDraft;
use super::{Effect, Life, ToolOutcome};

impl Life {
    #[must_use]
    pub fn tool_permit(&self) -> ToolPermit {
        let permit = self.rules.tools.filters.of_mysis(&self.profile.name);
        match self.role() {
            Some(role) => permit.narrowed(&role.tools),
            None => permit,
        }
    }

    pub(super) fn choose_tools(&mut self) {
        self.choose_tools_by(self.tool_selection());
    }

    /// Takes the state of the connection. A change of it, or of the tools, ends a long pause.
    pub(super) fn on_linked(
        &mut self,
        (link, fault): (LinkState, Option<Arc<str>>),
        tools: Arc<Toolset>,
        account: Option<Arc<str>>,
    ) {
        let is_other_link = link != self.session.link;
        if is_other_link || tools != self.session.tools {
            self.end_wait();
        }
        if is_other_link {
            self.session.link_since = self.now.wall;
        }
        (self.session.link, self.session.link_fault) = (link, fault);
        self.take_tools(tools);
        self.plays_as(account);
    }

    /// Takes another list of the server, or the first one. What its tools are chosen by stays until
    /// the next turn.
    pub(super) fn take_tools(&mut self, tools: Arc<Toolset>) {
        let game = tools.game().unwrap_or(self.session.game);
        if game != self.session.game && !game.tells_facts() {
            // What another server told is true of nothing here.
            self.game.forget();
            self.samples.forget_game();
        }
        self.session.game = game;
        self.session.is_game_known |= tools.game().is_some();
        self.session.tools = tools;
        let selection = match self.stage.turn() {
            Some(_) => self.session.offer.selection().clone(),
            None => self.tool_selection(),
        };
        self.choose_tools_by(selection);
    }

    fn choose_tools_by(&mut self, selection: ToolSelection) {
        let permit = self.tool_permit();
        self.session.allowed = permit.filter(&self.session.tools);
        self.session.offer = ToolOffer::choose(&self.session.tools, &permit, selection);
    }

    fn tool_selection(&self) -> ToolSelection {
        ToolSelection {
            list: self.rules.tools.list,
            commands: self.offered_commands(),
            of_role: self.tools_of_role(),
            routines: self.routines_of_role(),
            may_end: self.may_end(),
            left_out: self.tools_left_out(),
            only: None,
        }
    }

    /// Leaves out what its model's server refuses by now, also within a turn.
    pub(super) fn renew_tools_left_out(&mut self) {
        let left_out = self.tools_left_out();
        if self.session.offer.selection().left_out != left_out {
            let selection = self.session.offer.selection().clone();
            self.choose_tools_by(ToolSelection {
                left_out,
                ..selection
            });
        }
    }

    /// The commands of the list, and behind them the tool that starts routines where the mission speaks
    /// of them.
    fn offered_commands(&self) -> Vec<Arc<str>> {
        let mut commands = self.session.working_set.offered().to_vec();
        let mission = self.mission.as_ref();
        let is_named = mission.is_some_and(|mission| speaks_of_routines(&mission.text));
        if is_named && !commands.iter().any(|known| **known == *ROUTINE_START) {
            commands.push(ROUTINE_START.into());
        }
        commands
    }

    /// The tools that the configuration names for it, and the one that starts routines where its role
    /// has or names any.
    fn tools_of_role(&self) -> Vec<Arc<str>> {
        let role = self.role();
        let of_role = role.into_iter().flat_map(|role| role.tools.named());
        let mut tools: Vec<Arc<str>> = of_role.cloned().collect();
        let speaks = role.is_some_and(|role| speaks_of_routines(&role.prompt));
        let names_it = |name: &Arc<str>| **name == *ROUTINE_START;
        let mut of_swarm = self.rules.tools.filters.swarm.named();
        if !tools.iter().any(names_it)
            && (speaks || !self.routines_of_role().is_empty() || of_swarm.any(names_it))
        {
            tools.push(ROUTINE_START.into());
        }
        tools
    }

    pub fn set_lists(&mut self, lists: Arc<RoleLists>) {
        self.session.lists = lists;
    }

    pub(super) fn emit_list_news(&mut self, news: ListNews) {
        let key = self.list_key();
        self.effects.push(Effect::ToolNews(key, news));
    }

    fn list_key(&self) -> ListKey {
        ListKey {
            provider: self.profile.provider.clone(),
            role: self.profile.role.clone(),
        }
    }

    fn take_list(&mut self) -> Option<SetChange> {
        let lists = self.session.lists.clone();
        let list = lists.commands(&self.list_key());
        if let Some(known) = self.session.working_set.unknown_to(list) {
            self.emit_list_news(ListNews::Offered(known));
            return None;
        }
        self.session.working_set.take_list(list.unwrap_or_default())
    }

    /// Offers what the list of its role has now, where a turn begins.
    pub(super) fn renew_working_set(&mut self) {
        if let Some(change) = self.take_list() {
            let mut draft = WriteDraft::default();
            let text = change.describe();
            self.add_host_notice(&mut draft, Severity::Info, "tools_offered", &text);
            self.store_working_set(&mut draft);
            self.record_draft(draft);
        }
        if *self.session.offer.selection() != self.tool_selection() {
            self.choose_tools();
        }
    }

    pub(super) fn note_tool_use(
        &mut self,
        draft: &mut WriteDraft,
        command: &Arc<str>,
        status: CallStatus,
    ) {
        let is_made = status != CallStatus::NotExecuted;
        let is_known = || self.session.allowed.tool_of_command(command).is_some();
        if is_made
            && self.session.working_set.note_use(command)
            && !self.session.offer.is_given(command)
            && **command != *ROUTINE_START
            && is_known()
        {
            self.emit_list_news(ListNews::Called(command.clone()));
        }
        self.store_working_set(draft);
    }

    /// Answers a search for tools. What it finds may be called at once. Where that does not happen, it is
    /// part of the requests of its role from now on.
    pub(super) fn find_tools(&mut self, arguments: &str) -> ToolOutcome {
        let arguments = serde_json::from_str::<Map<String, Value>>(arguments);
        let query = arguments
            .as_ref()
            .ok()
            .and_then(|arguments| arguments.get("query")?.as_str())
            .unwrap_or_default();
        if query.trim().is_empty() {
            return ToolOutcome::new(CallStatus::Failed, "Error: query cannot be empty");
        }
        let found = tool_search::find_tools(&self.session.allowed, query);
        let is_new = |command: &&Arc<str>| !self.session.offer.is_given(command);
        let new: Vec<Arc<str>> = found.commands.iter().filter(is_new).cloned().collect();
        let is_closed = self.session.lists.is_closed(&self.list_key());
        let missed = self.session.working_set.note_found(&new);
        if !missed.is_empty() || is_closed && !new.is_empty() {
            self.session.working_set.offer(&new);
            self.emit_list_news(ListNews::Missed(new));
            self.choose_tools();
        }
        ToolOutcome::new(CallStatus::Done, found.text)
    }

    fn store_working_set(&mut self, draft: &mut WriteDraft) {
        if let Some(memo) = self.session.working_set.take_change() {
            self.add_memo(draft, MemoKind::WorkingSet, &memo);
        }
    }
}
