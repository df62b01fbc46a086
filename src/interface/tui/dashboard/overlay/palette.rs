//! The palette: a command line with completion.

pub mod commands;
pub mod takes;

pub(crate) mod view;

use crate::dashboard::facts::Facts;
use crate::dashboard::history::{InputHistory, Recall};
use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::key_screens::key_tables;
use crate::dashboard::text::field::TextField;
use actors::domain::selector::SelectorWord;
use crossterm::event::{KeyCode, KeyEvent};
use zoea_text::natural::compare_natural;

use crate::dashboard::targets::MYSIS_WORDS;
use crate::dashboard::toolkit::list::beside;
use commands::{AUTOMATIC, PALETTE, PaletteCommand, find_command};
use takes::Takes;

pub const MAX_SHOWN_CANDIDATES: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandPalette {
    pub field: TextField,
    /// The completions, the likeliest first.
    pub candidates: Vec<Candidate>,
    /// The index of the candidate that Tab takes.
    pub chosen: usize,
    /// Why the command could not be carried out.
    pub complaint: Option<Box<str>>,
    recall: Recall,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// The whole line after the completion.
    pub line: String,
    pub label: String,
    pub help: String,
    pub press: Option<KeyEvent>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaletteOutcome {
    Used,
    Run(String),
    /// This key is to be handled as if it was pressed.
    Press(KeyEvent),
    Leave,
}

/// The names that the palette completes from.
#[derive(Clone, Debug, Default)]
pub struct CompletionSources {
    pub myses: Vec<String>,
    pub providers: Vec<String>,
    /// The roles, and the words for none and the configuration's.
    pub roles: Vec<String>,
    /// What the keys of the current view do, and the keys.
    pub gestures: Vec<(&'static str, KeyEvent)>,
    /// Whether the tools may be a game's. If not, nothing that is a game's only is completed.
    pub may_be_game: bool,
}

impl CompletionSources {
    /// Those of the open conversation, or of the table.
    pub fn of(facts: &Facts, is_open: bool) -> CompletionSources {
        let names = facts.roster.members().values();
        let mut myses: Vec<String> = names.map(|member| member.status.name.to_string()).collect();
        myses.sort_by(|a, b| compare_natural(a, b));
        let rules = facts.rules.as_ref();
        let providers = rules.iter().flat_map(|rules| rules.providers.keys());
        let keymap = &facts.keymap;
        let tables = key_tables();
        let view = match is_open {
            true => tables.conversation,
            false => tables.table,
        };
        let may_be_game = facts.roster.may_tell_facts();
        let gestures = [view, tables.targets, tables.global].into_iter();
        let gestures = gestures.flat_map(|table| keymap.action_help(&table.for_tools(may_be_game)));
        CompletionSources {
            myses,
            providers: providers.map(ToString::to_string).collect(),
            roles: rules.map(|rules| rules.roles.words()).unwrap_or_default(),
            gestures: gestures.collect(),
            may_be_game,
        }
    }
}

impl CommandPalette {
    pub fn new(known: &CompletionSources) -> CommandPalette {
        let mut palette = CommandPalette::default();
        palette.complete(known);
        palette
    }

    pub fn press(
        &mut self,
        press: KeyEvent,
        known: &CompletionSources,
        history: &InputHistory,
    ) -> PaletteOutcome {
        let count = self.candidates.len().max(1);
        match (press.code, has_ctrl(press)) {
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => return PaletteOutcome::Leave,
            (KeyCode::Enter, _) => return self.enter(known),
            (KeyCode::BackTab, _) => self.chosen = beside(self.chosen, count, false),
            (KeyCode::Tab, _) => self.accept_candidate(known),
            (KeyCode::Up, _) if self.chosen == 0 => self.older(known, history),
            (KeyCode::Up, _) => self.chosen -= 1,
            (KeyCode::Down, _) if self.chosen + 1 < count => self.chosen += 1,
            (KeyCode::Down, _) => self.newer(known, history),
            _ => {
                self.field.press(press);
                self.complete(known);
            }
        }
        PaletteOutcome::Used
    }

    pub fn paste(&mut self, text: &str, known: &CompletionSources) {
        self.field.insert(&text.replace('\n', " "));
        self.complete(known);
    }

    /// Shows why the command could not be carried out. The line stays.
    pub fn complain(&mut self, why: &str) {
        self.complaint = Some(why.into());
    }

    fn enter(&mut self, known: &CompletionSources) -> PaletteOutcome {
        let line = self.field.text().trim().to_string();
        let first = line.split_whitespace().next().unwrap_or_default();
        if find_command(first).is_some() {
            return PaletteOutcome::Run(line);
        }
        let Some(candidate) = self.candidates.get(self.chosen).cloned() else {
            return PaletteOutcome::Run(line);
        };
        if let Some(press) = candidate.press {
            return PaletteOutcome::Press(press);
        }
        let is_complete = find_command(candidate.line.trim()).is_some_and(|it| it.takes.is_empty());
        if is_complete && self.field.after().trim().is_empty() {
            return PaletteOutcome::Run(candidate.line.trim().to_string());
        }
        self.accept_candidate(known);
        PaletteOutcome::Used
    }

    /// Completes what stands before the cursor. What follows it stays.
    fn accept_candidate(&mut self, known: &CompletionSources) {
        let Some(candidate) = self.candidates.get(self.chosen) else {
            return;
        };
        if candidate.press.is_none() {
            // The cursor stays at the completed word, so that the next Tab completes no other one.
            let line = match self.field.after().is_empty() {
                true => &*candidate.line,
                false => candidate.line.trim_end(),
            };
            self.field.replace_before(line);
            self.complete(known);
        }
    }

    fn older(&mut self, known: &CompletionSources, history: &InputHistory) {
        if let Some(line) = self.recall.older(history, self.field.text()) {
            self.field.replace(&line);
            self.complete(known);
        }
    }

    fn newer(&mut self, known: &CompletionSources, history: &InputHistory) {
        if let Some(line) = self.recall.newer(history) {
            self.field.replace(&line);
            self.complete(known);
        }
    }

    fn complete(&mut self, known: &CompletionSources) {
        self.complaint = None;
        self.chosen = 0;
        self.candidates = complete_line(self.field.before(), known);
    }
}

fn complete_line(written: &str, known: &CompletionSources) -> Vec<Candidate> {
    let written = written.trim_start();
    let (first, rest) = match written.split_once(' ') {
        None => return first_words(written, known),
        Some(split) => split,
    };
    let Some(command) = find_command(first) else {
        return action_candidates(written, known);
    };
    let mut done = format!("{first} ");
    let mut rest = rest;
    for (place, takes) in command.takes.iter().enumerate() {
        match rest.split_once(' ') {
            Some((word, after)) if *takes != Takes::Text => {
                done.push_str(word);
                done.push(' ');
                rest = after;
            }
            Some(_) | None => {
                let is_last = place + 1 == command.takes.len();
                return values(*takes, is_last, (&done, rest), known);
            }
        }
    }
    Vec::new()
}

fn first_words(written: &str, known: &CompletionSources) -> Vec<Candidate> {
    let wanted = written.to_lowercase();
    let mut found: Vec<(usize, Candidate)> = Vec::new();
    let usable = PALETTE.iter();
    for command in usable.filter(|it| known.may_be_game || !it.is_of_game) {
        if let Some(rank) = rank(command.name, command.help, &wanted) {
            found.push((rank, of_command(command, known)));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    let mut candidates: Vec<Candidate> = found.into_iter().map(|(_, found)| found).collect();
    if !wanted.is_empty() {
        candidates.extend(action_candidates(written, known));
    }
    candidates
}

/// How well a name matches; smaller is better. A match is at the beginning, inside the name, letter
/// by letter, or in the help text.
fn rank(name: &str, help: &str, wanted: &str) -> Option<usize> {
    if name.starts_with(wanted) {
        return Some(0);
    }
    if name.contains(wanted) {
        return Some(1);
    }
    let mut rest = name.chars();
    if wanted
        .chars()
        .all(|letter| rest.any(|other| other == letter))
    {
        return Some(2);
    }
    (wanted.len() > 2 && help.contains(wanted)).then_some(3)
}

fn of_command(command: &PaletteCommand, known: &CompletionSources) -> Candidate {
    let takes = command.takes.iter();
    let takes: Vec<String> = takes.map(|it| it.placeholder(known.may_be_game)).collect();
    let gap = if takes.is_empty() { "" } else { " " };
    Candidate {
        line: format!("{}{gap}", command.name),
        label: format!("{}{gap}{}", command.name, takes.join(" ")),
        help: command.help.to_string(),
        press: None,
    }
}

fn action_candidates(written: &str, known: &CompletionSources) -> Vec<Candidate> {
    let wanted = written.to_lowercase();
    let holds = |help: &str, word: &str| {
        let mut words = help.split_whitespace();
        words.any(|other| other != "the" && other.contains(word))
    };
    let fits = |help: &str| wanted.split_whitespace().all(|word| holds(help, word));
    let fitting = known.gestures.iter().filter(|(help, _)| fits(help));
    fitting
        .map(|(help, press)| Candidate {
            line: written.to_string(),
            label: (*help).to_string(),
            press: Some(*press),
            ..Candidate::default()
        })
        .collect()
}

/// The values of an argument, behind what of the line is done.
fn values(
    takes: Takes,
    is_last: bool,
    (done, word): (&str, &str),
    known: &CompletionSources,
) -> Vec<Candidate> {
    let own = |words: &[&str]| -> Vec<String> { words.iter().map(ToString::to_string).collect() };
    let (listed, word) = match (takes, word.rsplit_once(',')) {
        (Takes::Myses | Takes::Columns, Some((listed, word))) => (format!("{listed},"), word),
        (_, Some(_) | None) => (String::new(), word),
    };
    let values: Vec<String> = match takes {
        Takes::Myses => {
            let words = own(&MYSIS_WORDS.map(SelectorWord::as_str));
            known.myses.iter().cloned().chain(words).collect()
        }
        Takes::Mysis => known.myses.clone(),
        Takes::Provider => known.providers.clone(),
        Takes::Role => known.roles.clone(),
        Takes::Word(_) | Takes::State | Takes::Grouping | Takes::Column => {
            own(&takes.words(known.may_be_game))
        }
        Takes::Columns => {
            let words = own(&takes.words(known.may_be_game));
            own(&[AUTOMATIC]).into_iter().chain(words).collect()
        }
        Takes::Free(_) | Takes::Text => return Vec::new(),
    };
    let wanted = word.to_lowercase();
    let fitting = values
        .into_iter()
        .filter(|value| value.to_lowercase().starts_with(&wanted));
    fitting
        .map(|value| Candidate {
            line: format!("{done}{listed}{value}{}", if is_last { "" } else { " " }),
            label: value,
            ..Candidate::default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::input_event::{key, letter};

    fn known() -> CompletionSources {
        CompletionSources {
            myses: vec!["alpha".to_string(), "bravo".to_string()],
            providers: vec!["local".to_string()],
            roles: vec!["none".to_string()],
            gestures: vec![("to the newest message, and follow", letter('G'))],
            may_be_game: true,
        }
    }

    fn labels(written: &str) -> Vec<String> {
        let found = complete_line(written, &known());
        found.into_iter().map(|found| found.label).collect()
    }

    fn types(palette: &mut CommandPalette, text: &str) -> PaletteOutcome {
        let mut last = PaletteOutcome::Used;
        for typed in text.chars() {
            let press = match typed {
                '\t' => key(KeyCode::Tab),
                '\n' => key(KeyCode::Enter),
                other => letter(other),
            };
            last = palette.press(press, &known(), &InputHistory::default());
        }
        last
    }

    #[test]
    fn commands_names_and_values_are_completed() {
        assert_eq!(labels("mis")[..2], ["mission show|clear", "dismiss"]);
        assert_eq!(labels("mission c"), ["clear"]);
        assert_eq!(labels("stop a"), ["alpha", "all"]);
        assert_eq!(labels("stop alpha,b"), ["bravo"]);
        assert_eq!(labels("provider alpha "), ["local"]);
        assert_eq!(labels("message alpha hello th"), Vec::<String>::new());
        assert_eq!(labels("follow"), ["to the newest message, and follow"]);
    }

    #[test]
    fn what_is_a_games_only_is_not_completed_where_the_tools_are_no_games() {
        let label = |written: &str, may_be_game: bool| {
            let known = CompletionSources {
                may_be_game,
                ..known()
            };
            let found = complete_line(written, &known).into_iter();
            found.map(|found| found.label).collect::<Vec<String>>()
        };
        for (written, of_game) in [
            ("group p", "place"),
            ("sort cr", "credits"),
            ("columns name,ca", "cargo"),
            ("map", "map"),
            ("take", "take NAMES"),
        ] {
            assert_eq!(label(written, true)[0], of_game, "{written}");
            assert!(!label(written, false).contains(&of_game.to_string()));
        }
        assert_eq!(label("group", false)[0], "group role|model|state|off");
        assert_eq!(label("sort t", false), ["trend", "turns", "tokens"]);
    }

    #[test]
    fn what_follows_the_cursor_stays_when_a_word_is_completed() {
        let written_to = |text: &str, back: usize| {
            let mut palette = CommandPalette::new(&known());
            types(&mut palette, text);
            for _ in 0..back {
                let left = key(KeyCode::Left);
                palette.press(left, &known(), &InputHistory::default());
            }
            palette
        };
        for (text, back, whole) in [
            ("provider b local", 6, "provider bravo local"),
            ("provider b,alpha local", 12, "provider bravo,alpha local"),
            ("prov bravo local", 12, "provider bravo local"),
        ] {
            let mut palette = written_to(text, back);
            for _ in 0..2 {
                types(&mut palette, "\t");
                assert_eq!(palette.field.text(), whole);
            }
            let chosen = types(&mut palette, "\n");
            assert_eq!(chosen, PaletteOutcome::Run(whole.to_string()));
        }
        let mut palette = written_to("unm now", 4);
        assert_eq!(types(&mut palette, "\n"), PaletteOutcome::Used);
        assert_eq!(palette.field.text(), "unmark now");
    }

    #[test]
    fn tab_and_enter_lead_to_a_line() {
        let mut palette = CommandPalette::new(&known());
        let chosen = types(&mut palette, "prov\tbr\tl\t\n");
        assert_eq!(
            chosen,
            PaletteOutcome::Run("provider bravo local".to_string())
        );
        let mut palette = CommandPalette::new(&known());
        assert_eq!(
            types(&mut palette, "unm\n"),
            PaletteOutcome::Run("unmark".to_string())
        );
        let mut palette = CommandPalette::new(&known());
        let chosen = types(&mut palette, "newest\n");
        assert_eq!(chosen, PaletteOutcome::Press(letter('G')));
    }
}
