//! The arguments of a line of the palette.

use super::commands::PaletteCommand;
use super::takes::Takes;

/// Why a line could not be carried out.
pub(super) type Complaint = String;

/// The arguments of a command, in order.
pub(super) struct CommandArgs<'a> {
    pub(super) rest: &'a str,
}

impl<'a> CommandArgs<'a> {
    pub(super) fn next(
        &mut self,
        command: &PaletteCommand,
        place: usize,
    ) -> Result<&'a str, Complaint> {
        let (word, rest) = self
            .rest
            .split_once(char::is_whitespace)
            .unwrap_or((self.rest, ""));
        if word.is_empty() {
            let takes = command.takes.get(place).copied().unwrap_or(Takes::Text);
            return Err(format!("{} what? {}", command.name, takes.placeholder()));
        }
        self.rest = rest.trim_start();
        Ok(word)
    }

    pub(super) fn optional(&mut self) -> Option<&'a str> {
        let (word, rest) = self
            .rest
            .split_once(char::is_whitespace)
            .unwrap_or((self.rest, ""));
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    pub(super) fn rest_of_line(&self, command: &PaletteCommand) -> Result<&'a str, Complaint> {
        if self.rest.is_empty() {
            return Err(format!("{} needs a text", command.name));
        }
        Ok(self.rest)
    }
}
