//! The arguments of commands, and which Myses they name.

use actors::domain::ids::MysisId;

use super::{CommandContext, PaletteCommand};
use crate::dashboard::overlay::palette::takes::Takes;
use crate::dashboard::targets::WHERE;

/// Why a line could not be carried out.
pub(super) type Complaint = String;
pub(super) type Done = Result<(), Complaint>;

/// The arguments of a command, in order.
pub(super) struct CommandArgs<'a> {
    command: &'static PaletteCommand,
    /// How many were read.
    read: usize,
    rest: &'a str,
    may_be_game: bool,
}

impl<'a> CommandArgs<'a> {
    /// The arguments of a line behind its command.
    pub(super) fn new(
        command: &'static PaletteCommand,
        rest: &'a str,
        may_be_game: bool,
    ) -> CommandArgs<'a> {
        CommandArgs {
            command,
            read: 0,
            rest: rest.trim_start(),
            may_be_game,
        }
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next argument. Names of Myses may be `where` and conditions.
    pub(super) fn next(&mut self) -> Result<&'a str, Complaint> {
        let command = self.command;
        let takes = command.takes.get(self.read).copied();
        let takes = takes.unwrap_or(Takes::Text);
        self.read += 1;
        let length = match takes == Takes::Myses {
            true => length_of_naming(self.rest),
            false => length_of_word(self.rest),
        };
        let (word, rest) = self.rest.split_at(length);
        if word.is_empty() {
            let values = takes.placeholder(self.may_be_game);
            return Err(format!("{} what? {values}", command.name));
        }
        self.rest = rest.trim_start();
        Ok(word)
    }

    /// The next argument, behind which nothing may follow.
    pub(super) fn last(&mut self) -> Result<&'a str, Complaint> {
        let word = self.next()?;
        self.end()?;
        Ok(word)
    }

    /// Refuses what is left of the line: to do only a part of what was written could be the wrong thing.
    pub(super) fn end(&self) -> Result<(), Complaint> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let hint = match self.command.takes.contains(&Takes::Myses) {
            true => "; commas separate names and conditions",
            false => "",
        };
        let (rest, name) = (self.rest, self.command.name);
        Err(format!("{name} takes no `{rest}`: nothing was done{hint}"))
    }

    /// The Myses that the next argument names.
    pub(super) fn myses(
        &mut self,
        context: &CommandContext<'_>,
    ) -> Result<Vec<MysisId>, Complaint> {
        context.targets.parse(context.facts, self.next()?)
    }

    /// The one Mysis that the next argument names.
    pub(super) fn one_mysis(&mut self, context: &CommandContext<'_>) -> Result<MysisId, Complaint> {
        match self.myses(context)?[..] {
            [id] => Ok(id),
            [..] => Err("one Mysis at a time".to_string()),
        }
    }

    /// The next argument, if there is one.
    pub(super) fn optional(&mut self) -> Option<&'a str> {
        self.next().ok()
    }

    pub(super) fn rest_of_line(&self) -> Result<&'a str, Complaint> {
        if self.rest.is_empty() {
            return Err(format!("{} needs a text", self.command.name));
        }
        Ok(self.rest)
    }
}

fn length_of_word(line: &str) -> usize {
    line.find(char::is_whitespace).unwrap_or(line.len())
}

/// The length of names, or of `where` and conditions, between which blanks may follow commas.
fn length_of_naming(line: &str) -> usize {
    let first = length_of_word(line);
    let (word, rest) = line.split_at(first);
    let is_condition = |word: &str| word.contains(['=', '<', '>']);
    let after = rest.trim_start();
    if word != WHERE || !is_condition(&after[..length_of_word(after)]) {
        return first;
    }
    let mut end = line.len() - after.len();
    loop {
        let rest = &line[end..];
        let blanks = rest.len() - rest.trim_start().len();
        end += blanks + length_of_word(rest.trim_start());
        if !line[..end].ends_with(',') || end == line.len() {
            return end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_one_argument_also_with_blanks_behind_commas() {
        for (line, naming) in [
            ("alpha,bravo hello", "alpha,bravo"),
            ("where role=miner dig = here", "where role=miner"),
            (
                "where  state=idle, role!=miner,  credits>5 dig",
                "where  state=idle, role!=miner,  credits>5",
            ),
            ("where state=idle,", "where state=idle,"),
            ("where is it", "where"),
            ("where", "where"),
            ("", ""),
        ] {
            assert_eq!(&line[..length_of_naming(line)], naming, "{line}");
        }
    }
}
