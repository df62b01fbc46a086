//! The commands of the palette: each with its arguments, its help and what it does.

mod naming;
mod orders;
mod screen;

use std::sync::LazyLock;

use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::selector::SelectorWord;
use actors::domain::state::LifeState;

use super::takes::Takes;
use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Appearance;
use crate::dashboard::views::OPENING_KEYS;
use naming::{CommandArgs, Complaint};

#[derive(Clone, Copy, Debug)]
pub struct PaletteCommand {
    pub name: &'static str,
    /// The arguments.
    pub takes: &'static [Takes],
    pub help: &'static str,
    run: Run,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    /// It takes nothing.
    Once(fn(&mut Dashboard)),
    Myses(fn(&mut Dashboard, Vec<MysisId>)),
    /// It takes Myses, each of which gets this order. What it is called is first.
    Order(&'static str, &'static MysisOrder),
    /// It takes Myses and a word, which makes an order for each.
    Set(fn(String) -> Result<MysisOrder, Complaint>),
    /// It takes a word, which changes how the screen looks. Whether it is one of its values.
    Look(fn(&mut Appearance, &str) -> bool),
    /// It reads its arguments itself.
    Line(fn(&mut Dashboard, CommandArgs<'_>) -> Result<(), Complaint>),
}

const fn command(
    name: &'static str,
    takes: &'static [Takes],
    run: Run,
    help: &'static str,
) -> PaletteCommand {
    PaletteCommand {
        name,
        takes,
        help,
        run,
    }
}

/// All commands. Each view is opened by the name of its key.
pub static PALETTE: LazyLock<Vec<PaletteCommand>> = LazyLock::new(|| {
    // `search` takes its text in the same line.
    let views = OPENING_KEYS.iter().filter(|key| key.name != "search_swarm");
    let views = views.map(|key| command(key.name, &[], Run::Once(key.gesture.0), key.help));
    let own = orders::ORDERS.iter().chain(screen::SCREEN).copied();
    own.chain(views).collect()
});

/// The argument of `:columns` that shows the columns that fit.
pub const AUTOMATIC: &str = "auto";

/// The words of a selector, beside names.
pub const MYSIS_WORDS: [SelectorWord; 7] = [
    SelectorWord::All,
    SelectorWord::Marked,
    SelectorWord::InHand,
    SelectorWord::State(LifeState::Running),
    SelectorWord::State(LifeState::Idle),
    SelectorWord::State(LifeState::Stopped),
    SelectorWord::State(LifeState::Errored),
];

#[must_use]
pub fn find_command(name: &str) -> Option<&'static PaletteCommand> {
    PALETTE.iter().find(|command| command.name == name)
}

impl Dashboard {
    pub(in crate::dashboard) fn run_command(&mut self, line: &str) -> Result<(), Complaint> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = find_command(name).ok_or_else(|| format!("there is no command `{name}`"))?;
        let mut words = CommandArgs::new(command, rest);
        match command.run {
            Run::Once(run) => run(self),
            Run::Myses(run) => {
                let ids = words.myses(self)?;
                run(self, ids);
            }
            Run::Order(what, order) => {
                let ids = words.myses(self)?;
                self.order_myses(what, &ids, order);
            }
            Run::Set(order_of) => {
                let ids = words.myses(self)?;
                let order = order_of(words.next()?.to_string())?;
                self.order_myses("configure", &ids, &order);
            }
            Run::Look(change) => {
                let word = words.next()?;
                if !change(&mut self.appearance, word) {
                    let takes = command.takes.first().copied();
                    return Err(takes.unwrap_or(Takes::Text).refuse(word));
                }
            }
            Run::Line(run) => return run(self, words),
        }
        Ok(())
    }

    /// Gives an order to the whole swarm.
    fn order_swarm(&mut self, what: &'static str, order: Order) {
        self.order_once(what, "the swarm", order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::tests::{Desk, orders_of, status};
    use crossterm::event::KeyCode;

    fn desk() -> Desk {
        Desk::with(vec![
            status(1, "alpha", LifeState::Running),
            status(2, "bravo", LifeState::Idle),
            status(3, "carol", LifeState::Idle),
        ])
    }

    /// Who gets the order of a line.
    fn started_by(desk: &mut Desk, line: &str) -> Vec<String> {
        desk.types(&format!(":{line}"));
        let effects = desk.key(KeyCode::Enter);
        let orders = orders_of(&effects).into_iter();
        orders.map(|(_, order)| order.name().to_string()).collect()
    }

    #[test]
    fn a_line_means_those_whom_it_names_once() {
        for (line, names) in [
            ("start bravo,alpha", vec!["bravo", "alpha"]),
            ("start idle,bravo", vec!["bravo", "carol"]),
            ("start all", vec!["alpha", "bravo", "carol"]),
            ("start .", vec!["alpha"]),
            ("start where state=idle", vec!["bravo", "carol"]),
            ("start where state=idle, name=c*", vec!["carol"]),
        ] {
            assert_eq!(started_by(&mut desk(), line), names, "{line}");
        }
        let mut desk = desk();
        assert_eq!(started_by(&mut desk, "mark carol,bravo"), [""; 0]);
        assert_eq!(started_by(&mut desk, "start marked"), ["bravo", "carol"]);
    }

    #[test]
    fn who_is_nobody_is_refused() {
        let no_column = "is not one of need, name, state, doing, process, place, credits, earned, \
             trend, cargo, fuel, words, account, role, provider, model, nudges, turns, tokens, cost, \
             value, call, seen";
        for (line, why) in [
            ("start zulu", "no mysis is called `zulu`"),
            ("delete interrupted", "no mysis is called `interrupted`"),
            ("stop alpha,Idle", "no mysis is called `Idle`"),
            ("start marked", "no Mysis matches `marked`"),
            ("start ,", "no Mysis matches `,`"),
            (
                "stop where state=errored",
                "no Mysis matches `where state=errored`",
            ),
            (
                "stop where colour=red",
                "`colour` is not one of state, name, provider, model, role, account, system, process, credits, earned, earned_last_hour, cost, cost_today, turns, tokens_in, tokens_out, nudges, tick, fuel, cargo, hull, spared_calls; conditions are such as state=errored,provider!=local,name=scout-*,credits>5000",
            ),
            ("stop where", "no mysis is called `where`"),
            (
                "state marked",
                "`marked` is not one of all, running, waiting, paused, idle, stopped, errored",
            ),
            (
                "group colour",
                "`colour` is not one of place, role, model, state, off",
            ),
            (
                "theme pink",
                "`pink` is not one of dark, light, contrast, terminal, none",
            ),
            ("columns", "columns what? COLUMNS|auto"),
            ("columns , ,", "columns what? COLUMNS|auto"),
            ("columns name,shoe", &format!("`shoe` {no_column}")),
            ("sort auto", &format!("`auto` {no_column}")),
        ] {
            let mut desk = desk();
            assert_eq!(started_by(&mut desk, line), [""; 0], "{line}");
            assert_eq!(desk.board.run_command(line), Err(why.to_string()));
        }
    }

    #[test]
    fn columns_are_named_with_commas_or_blanks_between_them_and_once() {
        for line in [
            "columns cost,name",
            "columns cost name",
            "columns cost, name ,cost",
        ] {
            let mut desk = desk();
            assert_eq!(desk.board.run_command(line), Ok(()));
            let chosen = desk.board.table().chosen_columns();
            let chosen = chosen.map(|chosen| chosen.iter().map(|one| one.word()).collect());
            assert_eq!(chosen, Some(vec!["cost", "name"]), "{line}");
            assert_eq!(desk.board.run_command("columns auto "), Ok(()));
            assert_eq!(desk.board.table().chosen_columns(), None);
        }
    }

    #[test]
    fn every_command_is_named_once() {
        for (place, command) in PALETTE.iter().enumerate() {
            let before = &PALETTE[..place];
            assert!(before.iter().all(|other| other.name != command.name));
        }
        let names: Vec<&str> = PALETTE.iter().map(|command| command.name).collect();
        zoea_golden::hold("palette.txt", &names.join("\n"));
    }

    #[test]
    fn what_is_named_by_an_id_or_is_gone_by_now_gets_its_order() {
        for (line, order) in [
            (
                "cancel-reminder alpha:3",
                MysisOrder::CancelReminder(3).for_mysis("alpha"),
            ),
            (
                "undelete dora",
                Order::Undelete {
                    name: "dora".to_string(),
                },
            ),
        ] {
            let mut desk = desk();
            desk.types(&format!(":{line}"));
            let effects = desk.key(KeyCode::Enter);
            let given: Vec<_> = orders_of(&effects)
                .into_iter()
                .map(|(_, order)| order)
                .collect();
            assert_eq!(given, [order]);
        }
        let why = "`alpha` is not an id of a reminder; `zoea reminders` lists them";
        assert_eq!(
            desk().board.run_command("cancel-reminder alpha"),
            Err(why.to_string())
        );
    }
}
