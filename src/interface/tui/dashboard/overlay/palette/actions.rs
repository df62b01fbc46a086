//! Carries out the commands of the palette.

use super::commands::{AUTOMATIC, PaletteCommand, Verb, find_command};
use super::naming::{CommandArgs, Complaint};
use super::takes::{ALL_STATES, Takes};
use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::appearance::{Letters, Motion, MouseUse, Notify, Theme};
use crate::dashboard::help::HelpView;
use crate::dashboard::overlay::composer::ComposeTarget;
use crate::dashboard::routine_editor::edit_routines;
use crate::dashboard::search;
use crate::dashboard::table::columns::{Column, distinct};
use crate::dashboard::table::groups::Grouping;
use crate::dashboard::table::seen_state::SeenState;
use crate::dashboard::toolkit::view::Opening;
use crate::dashboard::views::OPENING_KEYS;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::mission_end::typed_mission;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::screen::{ExportFormat, FileOrder, UiEffect};
use zoea_grammar::when::parse_when;

fn parse_column(word: &str) -> Result<Column, Complaint> {
    Column::parse(word).ok_or_else(|| format!("`{word}` is no column"))
}

impl Dashboard {
    /// Carries out a line of the palette.
    pub(in crate::dashboard) fn run_command(&mut self, line: &str) -> Result<(), Complaint> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = find_command(name).ok_or_else(|| format!("there is no command `{name}`"))?;
        let mut words = CommandArgs::new(rest);
        match command.verb {
            Verb::Broadcast => {
                let text = words.rest_of_line(command)?;
                self.send(ComposeTarget::Swarm, &typed_mission(text));
            }
            Verb::Mission => return self.run_mission(words.next(command, 0)?),
            Verb::Message | Verb::Note => return self.run_message(command, words),
            Verb::Remind => return self.run_remind(command, words),
            Verb::Routine => return self.run_routine(command, words),
            Verb::EditRoutine => return self.run_edit(command, words),
            Verb::Answer | Verb::Decline => return self.run_answer(command, words),
            Verb::New => return self.run_new(command, words),
            Verb::Order(..) | Verb::Stop | Verb::Delete | Verb::Mark => {
                let ids = self.parse_myses(words.next(command, 0)?)?;
                self.run_for(command.verb, ids);
            }
            Verb::Role | Verb::Provider | Verb::Model | Verb::Temperature => {
                let ids = self.parse_myses(words.next(command, 0)?)?;
                let value = words.next(command, 1)?;
                return self.run_configure(command.verb, &ids, value);
            }
            Verb::Open => return self.run_open(words.next(command, 0)?),
            Verb::ForgetHeld => self.forget_held(words.next(command, 0)?),
            Verb::RaiseBudget => return self.raise_budget(words.rest_of_line(command)?),
            Verb::Find => self.find_text(words.rest_of_line(command)?),
            Verb::Search => search::search_swarm(self, words.rest_of_line(command)?),
            Verb::Export => return self.run_export(words.optional().unwrap_or("md")),
            Verb::Report => return self.write_report(words.rest()),
            Verb::Filter => self.filter_by(words.rest()),
            Verb::State => return self.run_state(words.next(command, 0)?),
            Verb::Sort => return self.run_sort(words.next(command, 0)?),
            Verb::Group => return self.run_group(words.next(command, 0)?),
            Verb::Columns => return self.run_columns(command, words.rest()),
            Verb::Theme | Verb::Letters | Verb::Motion | Verb::Mouse | Verb::Notify => {
                return self.run_look(command.verb, words.next(command, 0)?);
            }
            Verb::Resume
            | Verb::Freeze
            | Verb::Thaw
            | Verb::Unmark
            | Verb::Undo
            | Verb::View(_)
            | Verb::Help
            | Verb::Dump
            | Verb::Backup
            | Verb::Dismiss
            | Verb::Redraw
            | Verb::Suspend
            | Verb::Reload
            | Verb::Quit => self.run_plain(command.verb),
        }
        Ok(())
    }

    fn run_open(&mut self, which: &str) -> Result<(), Complaint> {
        let ids = self.parse_myses(which)?;
        if let Some(id) = ids.first() {
            self.open(*id);
        }
        Ok(())
    }

    fn run_plain(&mut self, verb: Verb) {
        match verb {
            Verb::Unmark => self.table.mark_only([]),
            Verb::Undo => self.undo_last(),
            Verb::View(name) => {
                let view = OPENING_KEYS.iter().find(|key| key.name == name);
                if let Some(Opening(open)) = view.map(|key| key.gesture) {
                    open(self);
                }
            }
            Verb::Help => self.open_view(|_| HelpView::default()),
            Verb::Dump => self.actions.push(TerminalAction::Dump),
            Verb::Backup => self.effects.push(UiEffect::Write(FileOrder::Backup)),
            Verb::Dismiss => std::sync::Arc::make_mut(&mut self.log).dismiss_all(),
            Verb::Redraw => self.actions.push(TerminalAction::Redraw),
            Verb::Suspend => self.suspend(),
            Verb::Reload => self.order_all("reload", "the configuration", Order::Reload),
            Verb::Freeze => self.order_all("freeze", "the swarm", Order::Freeze),
            Verb::Thaw => self.order_all("thaw", "the swarm", Order::Thaw),
            Verb::Resume => self.resume(),
            Verb::Quit => self.quit(),
            Verb::Broadcast
            | Verb::Mission
            | Verb::Message
            | Verb::Note
            | Verb::Remind
            | Verb::Answer
            | Verb::Decline
            | Verb::New
            | Verb::Order(..)
            | Verb::Routine
            | Verb::EditRoutine
            | Verb::ForgetHeld
            | Verb::RaiseBudget
            | Verb::Stop
            | Verb::Delete
            | Verb::Role
            | Verb::Provider
            | Verb::Model
            | Verb::Temperature
            | Verb::Open
            | Verb::Filter
            | Verb::State
            | Verb::Sort
            | Verb::Group
            | Verb::Columns
            | Verb::Mark
            | Verb::Find
            | Verb::Search
            | Verb::Export
            | Verb::Report
            | Verb::Theme
            | Verb::Letters
            | Verb::Motion
            | Verb::Mouse
            | Verb::Notify => {}
        }
    }

    /// Gives an order that is for no single Mysis.
    fn order_all(&mut self, what: &'static str, whom: &str, order: Order) {
        self.order_once(what, whom, order);
    }

    fn run_for(&mut self, verb: Verb, ids: Vec<MysisId>) {
        if verb == Verb::Delete {
            self.ask_to_delete(ids);
        } else if verb == Verb::Stop {
            self.stop(ids);
        } else if let Verb::Order(what, order) = verb {
            self.order_myses(what, &ids, order);
        } else {
            self.table.mark_only(ids);
        }
    }

    fn run_mission(&mut self, word: &str) -> Result<(), Complaint> {
        match word {
            "clear" => {
                self.order_once("clear mission", "the swarm", Order::ClearMission);
            }
            "show" => {
                let text = match &self.mission {
                    Some(mission) => format!("mission: {mission}"),
                    None => "there is no mission".to_string(),
                };
                self.show_notice(&text);
            }
            other => return Err(format!("show or clear, not `{other}`")),
        }
        Ok(())
    }

    fn run_message(
        &mut self,
        command: &PaletteCommand,
        mut words: CommandArgs<'_>,
    ) -> Result<(), Complaint> {
        let ids = self.parse_myses(words.next(command, 0)?)?;
        let text = words.rest_of_line(command)?;
        let target = if command.verb == Verb::Note {
            ComposeTarget::Notes(ids)
        } else {
            ComposeTarget::Myses(ids)
        };
        self.send(target, text);
        Ok(())
    }

    fn run_remind(
        &mut self,
        command: &PaletteCommand,
        mut words: CommandArgs<'_>,
    ) -> Result<(), Complaint> {
        let ids = self.parse_myses(words.next(command, 0)?)?;
        let offset = i64::from(self.appearance.offset.0) * 60_000;
        let at = parse_when(words.next(command, 1)?, self.now().0, |_| offset)?;
        let order = MysisOrder::Remind {
            at: Timestamp(at),
            reminder: words.rest_of_line(command)?.into(),
        };
        self.order_myses("remind", &ids, &order);
        Ok(())
    }

    fn run_routine(
        &mut self,
        command: &PaletteCommand,
        mut words: CommandArgs<'_>,
    ) -> Result<(), Complaint> {
        let ids = self.parse_myses(words.next(command, 0)?)?;
        let wanted = serde_json::json!({"name": words.rest_of_line(command)?});
        let order = MysisOrder::StartRoutine(wanted.to_string().into());
        self.order_myses("start the routine", &ids, &order);
        Ok(())
    }

    fn run_edit(
        &mut self,
        command: &PaletteCommand,
        mut words: CommandArgs<'_>,
    ) -> Result<(), Complaint> {
        let ids = self.parse_myses(words.next(command, 0)?)?;
        edit_routines(self, &ids, words.rest())
    }

    fn run_answer(
        &mut self,
        command: &PaletteCommand,
        mut words: CommandArgs<'_>,
    ) -> Result<(), Complaint> {
        let ids = self.parse_myses(words.next(command, 0)?)?;
        let [id] = ids[..] else {
            return Err("one Mysis at a time".to_string());
        };
        if command.verb == Verb::Decline {
            self.decline(id)
        } else {
            self.answer(id, words.rest())
        }
    }

    fn run_new(
        &mut self,
        command: &PaletteCommand,
        mut words: CommandArgs<'_>,
    ) -> Result<(), Complaint> {
        let name = words.next(command, 0)?.to_string();
        let order = Order::Create {
            name: name.clone(),
            provider: words.optional().map(ToString::to_string),
            model: words.optional().map(ToString::to_string),
            role: None,
            start: true,
        };
        self.order_once("create", &name, order);
        Ok(())
    }

    fn run_configure(&mut self, verb: Verb, ids: &[MysisId], value: &str) -> Result<(), Complaint> {
        let temperature = match (verb, value.parse::<f32>()) {
            (Verb::Temperature, Err(_)) => return Err(format!("`{value}` is no number")),
            (Verb::Temperature, Ok(value)) => Some(value),
            (_, Ok(_) | Err(_)) => None,
        };
        let given = |wanted: Verb| (verb == wanted).then(|| value.to_string());
        let (provider, model) = (given(Verb::Provider), given(Verb::Model));
        let order = MysisOrder::configure(provider, model, temperature, given(Verb::Role));
        self.order_myses("configure", ids, &order);
        Ok(())
    }

    fn run_export(&mut self, format: &str) -> Result<(), Complaint> {
        let format = match format {
            "md" => ExportFormat::Markdown,
            "jsonl" => ExportFormat::JsonLines,
            other => return Err(format!("md or jsonl, not `{other}`")),
        };
        let status = self.target().ok_or("there is no Mysis in hand")?;
        let (mysis, name) = (status.id, status.name.clone());
        self.effects.push(UiEffect::Write(FileOrder::Conversation {
            mysis,
            name,
            format,
        }));
        Ok(())
    }

    /// Writes a report of today, or since a time.
    fn write_report(&mut self, since: &str) -> Result<(), Complaint> {
        let since = match since.trim() {
            "" => None,
            "looked" => {
                let left = self.looked.rule();
                let left = left.ok_or("you have not been away since you looked at the log")?;
                Some(left.to_string().into())
            }
            since => Some(since.into()),
        };
        self.effects.push(UiEffect::Write(FileOrder::Report(since)));
        Ok(())
    }

    fn run_state(&mut self, word: &str) -> Result<(), Complaint> {
        let state = match SeenState::parse(word) {
            None if word != ALL_STATES => return Err(format!("`{word}` is no state")),
            state => state,
        };
        self.table.change_filter(|filter| filter.state = state);
        Ok(())
    }

    fn run_sort(&mut self, word: &str) -> Result<(), Complaint> {
        let column = parse_column(word)?;
        self.table.sort(self.table.sorting().with_column(column));
        Ok(())
    }

    fn run_group(&mut self, word: &str) -> Result<(), Complaint> {
        let grouping = match Grouping::parse(word) {
            None if word != "off" => return Err(format!("`{word}` is no grouping")),
            grouping => grouping,
        };
        self.table.group_by(grouping);
        Ok(())
    }

    fn run_columns(&mut self, command: &PaletteCommand, words: &str) -> Result<(), Complaint> {
        let is_between = |letter: char| letter == ',' || letter.is_whitespace();
        let named = || words.split(is_between).filter(|word| !word.is_empty());
        if named().eq([AUTOMATIC]) {
            self.table.choose_columns(None);
            return Ok(());
        }
        let chosen: Result<Vec<Column>, Complaint> = named().map(parse_column).collect();
        let chosen = distinct(chosen?.into_iter());
        if chosen.is_empty() {
            let takes = Takes::Columns.placeholder();
            return Err(format!("{} what? {takes}", command.name));
        }
        self.table.choose_columns(Some(chosen.clone()));
        let placed: Vec<Column> = self.table_columns().iter().map(|it| it.column).collect();
        let missing: Vec<&str> = chosen
            .iter()
            .filter(|column| !placed.contains(column))
            .map(|column| column.word())
            .collect();
        if !missing.is_empty() {
            let text = format!("too narrow for {}", missing.join(", "));
            self.show_notice(&text);
        }
        Ok(())
    }

    fn run_look(&mut self, verb: Verb, word: &str) -> Result<(), Complaint> {
        let look = &mut self.appearance;
        let known = match (verb, word) {
            (Verb::Theme, word) => Theme::parse(word).map(|theme| look.theme = theme).is_some(),
            (Verb::Letters, "unicode") => assign_value(&mut look.letters, Letters::Unicode),
            (Verb::Letters, "ascii") => assign_value(&mut look.letters, Letters::Ascii),
            (Verb::Motion, "full") => assign_value(&mut look.motion, Motion::Full),
            (Verb::Motion, "reduced") => assign_value(&mut look.motion, Motion::Reduced),
            (Verb::Mouse, "on") => assign_value(&mut look.mouse, MouseUse::Ours),
            (Verb::Mouse, "off") => assign_value(&mut look.mouse, MouseUse::Terminals),
            (Verb::Notify, "off") => assign_value(&mut look.notify, Notify::Off),
            (Verb::Notify, "bell") => assign_value(&mut look.notify, Notify::Bell),
            (Verb::Notify, "message") => assign_value(&mut look.notify, Notify::Message),
            (_, _) => false,
        };
        if known {
            return Ok(());
        }
        Err(format!("`{word}` is none of its values"))
    }
}

fn assign_value<T>(place: &mut T, value: T) -> bool {
    *place = value;
    true
}

#[cfg(test)]
mod tests {
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
                "`colour` is none of state, name, provider, model, role, account, system, process, credits, earned, earned_last_hour, cost, cost_today, turns, tokens_in, tokens_out, nudges, tick, fuel, cargo, hull, spared_calls; conditions are such as state=errored,provider!=local,name=scout-*,credits>5000",
            ),
            ("stop where", "no mysis is called `where`"),
            ("state marked", "`marked` is no state"),
            ("state interrupted", "`interrupted` is no state"),
            ("columns", "columns what? COLUMNS|auto"),
            ("columns , ,", "columns what? COLUMNS|auto"),
            ("columns name,shoe", "`shoe` is no column"),
            ("columns auto,name", "`auto` is no column"),
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
}
