//! The commands of the palette: each with its arguments, its help and what it does.

mod naming;
mod orders;
mod screen;

use std::sync::LazyLock;

use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};

use super::takes::Takes;
use crate::dashboard::appearance::Appearance;
use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::{Outbox, Request};
use crate::dashboard::table::MysisTable;
use crate::dashboard::targets::Targets;
use crate::dashboard::views::OPENING_KEYS;
use naming::{CommandArgs, Complaint};

#[derive(Clone, Copy, Debug)]
pub struct PaletteCommand {
    pub name: &'static str,
    pub takes: &'static [Takes],
    pub help: &'static str,
    /// Whether only a game's tools have use for it.
    pub is_of_game: bool,
    run: Run,
}

impl PaletteCommand {
    const fn of_game(mut self) -> PaletteCommand {
        self.is_of_game = true;
        self
    }
}

/// What a command may look at, the table, and where it asks.
pub(crate) struct CommandContext<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) targets: &'a Targets,
    pub(crate) table: &'a mut MysisTable,
    pub(crate) outbox: &'a mut Outbox,
}

#[derive(Clone, Copy, Debug)]
enum Run {
    /// It takes nothing.
    Once(fn(&mut CommandContext<'_>)),
    /// It takes nothing and gives this order. What it is called is first.
    Order(&'static str, &'static Order),
    /// It takes a name that makes an order. What that is called is first.
    Named(&'static str, fn(String) -> Order),
    /// It takes nothing and opens the view of its name.
    Open,
    Myses(fn(&mut CommandContext<'_>, Vec<MysisId>)),
    /// It takes Myses, each of which gets this order. What it is called is first.
    ForEach(&'static str, &'static MysisOrder),
    /// It takes Myses and a word, which makes an order for each.
    Set(fn(String) -> Result<MysisOrder, Complaint>),
    /// It takes a word, which changes how the screen looks. Whether it is one of its values.
    Look(fn(&mut Appearance, &str) -> bool),
    /// It reads its arguments itself.
    Line(fn(&mut CommandContext<'_>, CommandArgs<'_>) -> Result<(), Complaint>),
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
        is_of_game: false,
        run,
    }
}

/// All commands. Each view is opened by the name of its key.
pub static PALETTE: LazyLock<Vec<PaletteCommand>> = LazyLock::new(|| {
    // `search` takes its text in the same line.
    let views = OPENING_KEYS.iter().map(|key| key.action);
    let views = views.filter(|key| key.name != "search_swarm");
    let views = views.map(|key| PaletteCommand {
        is_of_game: key.help_without_game.is_empty(),
        ..command(key.name, &[], Run::Open, key.help)
    });
    let own = orders::ORDERS.iter().chain(screen::SCREEN).copied();
    own.chain(views).collect()
});

/// The argument of `:columns` that shows the columns that fit.
pub const AUTOMATIC: &str = "auto";

/// The command of this name. What the command line calls `send` is a message here, too.
pub fn find_command(name: &str) -> Option<&'static PaletteCommand> {
    let name = match name {
        "send" => "message",
        name => name,
    };
    PALETTE.iter().find(|command| command.name == name)
}

pub(crate) fn run_command(context: &mut CommandContext<'_>, line: &str) -> Result<(), Complaint> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let command = find_command(name).ok_or_else(|| format!("there is no command `{name}`"))?;
    let may_be_game = context.facts.roster.may_tell_facts();
    let mut words = CommandArgs::new(command, rest, may_be_game);
    match command.run {
        Run::Once(run) => {
            words.end()?;
            run(context);
        }
        Run::Order(what, order) => {
            words.end()?;
            (context.outbox).order(context.facts, what, order.clone());
        }
        Run::Named(what, order_of) => {
            let order = order_of(words.last()?.to_string());
            (context.outbox).order(context.facts, what, order);
        }
        Run::Open => {
            words.end()?;
            context.outbox.request(Request::OpenView(command.name));
        }
        Run::Myses(run) => {
            let ids = words.myses(context)?;
            words.end()?;
            run(context, ids);
        }
        Run::ForEach(what, order) => {
            let ids = words.myses(context)?;
            words.end()?;
            (context.outbox).order_myses(context.facts, what, &ids, order);
        }
        Run::Set(order_of) => {
            let ids = words.myses(context)?;
            let order = order_of(words.last()?.to_string())?;
            (context.outbox).order_myses(context.facts, "configure", &ids, &order);
        }
        Run::Look(change) => {
            let word = words.last()?;
            let mut look = context.facts.appearance;
            if !change(&mut look, word) {
                let takes = command.takes.first().copied();
                return Err(takes.unwrap_or(Takes::Text).refuse(word, may_be_game));
            }
            context.outbox.request(Request::ChangeLook(look));
        }
        Run::Line(run) => return run(context, words),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::tests::{Desk, orders_of, status};
    use actors::domain::state::LifeState;
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
    fn what_is_too_much_is_refused_and_nothing_is_done() {
        for (line, surplus) in [
            ("start where state=idle role=miner", "role=miner"),
            ("stop alpha bravo", "bravo"),
            ("retry alpha, bravo", "bravo"),
            ("role alpha miner bravo", "bravo"),
            ("freeze alpha", "alpha"),
            ("resume alpha", "alpha"),
            ("log alpha", "alpha"),
            ("theme dark light", "light"),
            ("mission clear alpha", "alpha"),
            ("undelete dora elsa", "elsa"),
            ("forget-held one two", "two"),
            ("open alpha bravo", "bravo"),
            ("export md alpha", "alpha"),
            ("new dora local model start", "start"),
        ] {
            let mut desk = desk();
            desk.types(&format!(":{line}"));
            assert_eq!(desk.key(KeyCode::Enter), [], "{line}");
            let complaint = desk.board.run_command(line).unwrap_err();
            let why = format!(" takes no `{surplus}`: nothing was done");
            assert!(complaint.contains(&why), "{line}: {complaint}");
        }
        for word in ["message", "send"] {
            let mut desk = desk();
            desk.types(&format!(":{word} where state=idle dig here"));
            assert_eq!(orders_of(&desk.key(KeyCode::Enter)).len(), 2);
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
