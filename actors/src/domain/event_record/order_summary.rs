//! Order summaries: what an order and its refusal are recorded as.

use crate::order::{
    Order, OrderRefusal, describe_role, describe_settings, quote_beginning, with_details,
};
use crate::record::PoolAccount;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSummary {
    /// A short stable word for the order.
    pub code: &'static str,
    /// The name of the Mysis it is for, if it is for one.
    pub name: Option<String>,
    pub text: String,
}

impl OrderSummary {
    /// The summary of an order; `None` for one that changes nothing.
    pub fn of(order: &Order) -> Option<OrderSummary> {
        let (code, name, text) = match order {
            Order::Create {
                name,
                provider,
                model,
                role,
                start,
            } => {
                let settings = describe_settings(provider.as_deref(), model.as_deref(), None);
                let text = describe_creation(settings, role.as_deref(), *start);
                ("create", Some(name), text)
            }
            Order::ForMysis { name, order } => {
                let (code, text) = order.summary()?;
                (code, Some(name), text)
            }
            Order::Delete { name, now } => {
                let copy = now.then(|| "no copy is kept".to_string());
                let text = with_details("deleted", copy.into_iter());
                ("delete", Some(name), text)
            }
            Order::Undelete { name } => ("undelete", Some(name), "brought back".to_string()),
            Order::Broadcast { text } => (
                "mission",
                None,
                format!("the mission: {}", quote_beginning(text)),
            ),
            Order::ClearMission => ("clear_mission", None, "the mission is cleared".to_string()),
            Order::PoolAccounts(accounts) => ("accounts", None, describe_accounts(accounts)),
            Order::Reload => (
                "reload",
                None,
                "the configuration was read again".to_string(),
            ),
            Order::RaiseBudget(to) => {
                let text = format!("today's cap is raised to {}", to.describe());
                ("raise_budget", None, text)
            }
            Order::Freeze => ("freeze", None, "the swarm is frozen".to_string()),
            Order::Thaw => ("thaw", None, "the swarm is thawed".to_string()),
            Order::ForgetHeld { id } => {
                let text = format!("held texts may be tried again: {id}");
                ("forget_held", None, text)
            }
            Order::Drain {
                process,
                is_draining,
            } => {
                let (code, text) = describe_drain(process, *is_draining);
                (code, None, text)
            }
            Order::ShowRequest { .. } => return None,
        };
        Some(OrderSummary {
            code,
            name: name.cloned(),
            text,
        })
    }

    #[must_use]
    pub fn refused(self, why: &OrderRefusal) -> OrderSummary {
        let what = self.code.replace('_', " ");
        // Why an answer does not fit may quote its values, which are stored nowhere.
        let text = match matches!(why, OrderRefusal::BadAnswer(_)) {
            true => "an answer that does not fit was refused".to_string(),
            false => format!("{what} was refused: {why}"),
        };
        OrderSummary { text, ..self }
    }
}

fn describe_creation(
    settings: impl Iterator<Item = String>,
    role: Option<&str>,
    is_started: bool,
) -> String {
    let role = role.map(|role| describe_role(Some(role)));
    let started = is_started.then(|| "started".to_string());
    with_details("created", settings.chain(role).chain(started))
}

/// The word for a process that drains or takes Myses again, and the order in words.
fn describe_drain(process: &str, is_draining: bool) -> (&'static str, String) {
    let (code, what) = match is_draining {
        true => ("drain", "gives its Myses back and takes none"),
        false => ("undrain", "takes Myses again"),
    };
    (code, format!("the process {process} {what}"))
}

/// The names of accounts. Nothing else about them is recorded.
fn describe_accounts(accounts: &[PoolAccount]) -> String {
    let names = accounts.iter().map(|pooled| {
        let name = &pooled.account.username;
        let assigned = pooled.owner.map(|_| " (assigned)");
        format!("{name}{}", assigned.unwrap_or_default())
    });
    let names: Vec<String> = names.collect();
    let text = format!("{} accounts taken: {}", names.len(), names.join(", "));
    quote_beginning(&text)
}
