//! What leaves the screen: effects that others carry out, actions of the terminal, orders, and what a view asks of the
//! screen around it. Filling it changes nothing on the screen.

use std::collections::VecDeque;
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::order::{MysisOrder, Order};
use actors::domain::screen::{OrderId, ReadId, StoreQuery, UiEffect};

use super::action::TerminalAction;
use super::appearance::Appearance;
use super::facts::Facts;
use super::orders::{OpenOrder, Receipt};
use super::overlay::composer::ComposeTarget;
use super::overlay::query::QueryScope;
use super::overlay::question::ConfirmDialog;
use super::text::tone::Tone;
use super::view_choices::ViewChoices;

#[derive(Clone, Debug, Default)]
pub struct Outbox {
    pub(super) effects: Vec<UiEffect>,
    pub(super) actions: Vec<TerminalAction>,
    /// The orders that were given, by their receipts.
    pub(super) given: Vec<(Receipt, Vec<(OrderId, OpenOrder)>)>,
    /// What the operator is told by this terminal: the tone, the code and the text.
    pub(super) notices: Vec<(Tone, &'static str, String)>,
    pub(super) requests: VecDeque<Request>,
    /// The reads, orders and receipts that were numbered.
    numbered: u64,
    /// What the operator chose about the views, as the terminal was told to keep it.
    pub(super) kept: ViewChoices,
}

/// What a view or a command asks of the screen around it.
#[derive(Clone, Debug)]
pub(super) enum Request {
    /// Opens a conversation, at a row if there is one. Esc goes back from it to the views that are open.
    Open(MysisId, Option<Seq>),
    /// The same from a list, at a row that has a searched text.
    OpenHit(MysisId, Seq, String),
    /// Opens the view with the key of this name.
    OpenView(&'static str),
    /// Opens a composer with the draft for this target.
    Compose(ComposeTarget),
    Send(ComposeTarget, String),
    Confirm(ConfirmDialog),
    /// Opens the line in which a text is written.
    WriteLine(QueryScope, String),
    /// Shows the Myses of a system in the table.
    ShowSystem(Arc<str>),
    /// The operator has looked at the log.
    LookedAtLog,
    /// Removes the receipt of what was no order.
    Withdraw(u64),
    /// Opens the editor with the routine of this name; without a name with the one that runs, else the newest.
    EditRoutine(MysisId, Option<String>),
    Undo,
    /// Searches a text in the open conversation.
    Find(String),
    /// Searches a text in all conversations.
    SearchSwarm(String),
    ShowHelp,
    DismissErrors,
    ChangeLook(Appearance),
    /// Ends the program, or only the connection of an attached terminal.
    Close,
}

impl Outbox {
    pub(super) fn forget(&mut self) {
        *self = Outbox {
            numbered: self.numbered,
            kept: std::mem::take(&mut self.kept),
            ..Outbox::default()
        };
    }

    /// Has the terminal keep what the operator chose about the views, if that is new.
    pub(super) fn keep_choices(&mut self, choices: ViewChoices) {
        if choices != self.kept {
            self.kept = choices.clone();
            self.actions.push(TerminalAction::KeepChoices(choices));
        }
    }

    pub(super) fn write(&mut self, name: String, text: &str) {
        let text = text.into();
        self.actions.push(TerminalAction::Write { name, text });
    }

    fn next_number(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// Asks the store. Its answer comes with this id.
    pub(super) fn read(&mut self, query: StoreQuery) -> ReadId {
        let id = ReadId(self.next_number());
        self.effects.push(UiEffect::Read { id, query });
        id
    }

    pub(super) fn request(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    pub(super) fn say(&mut self, text: &str) {
        self.notify(Tone::Hint, "said", text);
    }

    /// Tells this operator something.
    pub(super) fn notify(&mut self, tone: Tone, code: &'static str, text: &str) {
        self.notices.push((tone, code, text.to_string()));
    }

    pub(super) fn copy(&mut self, text: &str) {
        let lines = text.lines().count().max(1);
        self.actions.push(TerminalAction::Copy(text.into()));
        self.say(&format!(
            "{lines} line{} sent to the terminal's clipboard",
            if lines == 1 { "" } else { "s" }
        ));
    }

    /// Gives each Mysis its own order, all under one receipt.
    pub(super) fn order_each(
        &mut self,
        facts: &Facts,
        what: &'static str,
        ids: &[MysisId],
        order: impl Fn(String) -> Order,
    ) -> Vec<OrderId> {
        let known = ids.iter().filter_map(|id| facts.roster.get(*id));
        let orders: Vec<(MysisId, Order)> = known
            .map(|member| (member.status.id, order(member.status.name.to_string())))
            .collect();
        let whom = match orders[..] {
            [] => {
                if !ids.is_empty() {
                    self.say("the Mysis was deleted meanwhile; nothing was ordered");
                }
                return Vec::new();
            }
            [(id, _)] => facts.name_of(id),
            _ => format!("{} myses", orders.len()).into(),
        };
        let orders = orders.into_iter().map(|(id, order)| (Some(id), order));
        self.give(facts, what, whom, orders)
    }

    /// Gives the same order to each of these Myses, under one receipt.
    pub(super) fn order_myses(
        &mut self,
        facts: &Facts,
        what: &'static str,
        ids: &[MysisId],
        order: &MysisOrder,
    ) -> Vec<OrderId> {
        self.order_each(facts, what, ids, |name| order.clone().for_mysis(name))
    }

    /// Gives an order that is not for a known Mysis.
    pub(super) fn order(
        &mut self,
        facts: &Facts,
        what: &'static str,
        order: Order,
    ) -> Vec<OrderId> {
        let whom = order.name().into();
        self.give(facts, what, whom, [(None, order)])
    }

    /// Gives orders under one receipt.
    pub(super) fn give(
        &mut self,
        facts: &Facts,
        what: &'static str,
        whom: Arc<str>,
        orders: impl IntoIterator<Item = (Option<MysisId>, Order)>,
    ) -> Vec<OrderId> {
        let number = self.next_number();
        let mut open = Vec::new();
        for (mysis, order) in orders {
            let member = mysis.and_then(|mysis| facts.roster.get(mysis));
            let before = member.map(|member| &*member.status);
            let inverse = order.inverse(before, facts.mission.as_ref());
            let given = OpenOrder::of(number, mysis, &order, inverse);
            open.push((self.ask(order), given));
        }
        let ids = open.iter().map(|(id, _)| *id).collect();
        let receipt = Receipt {
            number,
            what,
            whom,
            at: facts.moment,
            awaited: open.len(),
            ..Receipt::default()
        };
        self.given.push((receipt, open));
        ids
    }

    /// Gives an order of which no receipt is kept: a query.
    pub(super) fn ask(&mut self, order: Order) -> OrderId {
        let id = OrderId(self.next_number());
        self.effects.push(UiEffect::Order { id, order });
        id
    }
}
