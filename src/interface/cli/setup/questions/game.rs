//! The questions about the game and the game account.

use super::QuestionDialog;
use crate::interface::cli::setup::Extras;
use crate::interface::cli::setup::flags;
use crate::interface::cli::setup::present::typed_key;
use crate::interface::cli::setup::prompts::{
    Choice, ask_key, ask_optional, ask_password, ask_text, choose, say,
};
use crate::interface::setup::KeyAnswer;
use zoea_settings::{BUILT_IN_GAME, SPACEMOLT, SPACEMOLT_V2, Secret};

impl QuestionDialog<'_> {
    pub(super) fn ask_game(&self) -> anyhow::Result<String> {
        if let Some(game) = &self.args.game {
            return flags::game_of(Some(game), self.present).map_err(anyhow::Error::msg);
        }
        let mcp = &self.present.settings.mcp;
        let present = mcp.upstream.as_deref().unwrap_or_default();
        let is_other = ![BUILT_IN_GAME, SPACEMOLT, SPACEMOLT_V2, ""].contains(&present);
        let mut choices = vec![
            Choice::new(
                Some(SPACEMOLT),
                "SpaceMolt, the live game (game.spacemolt.com)",
            ),
            Choice::new(
                Some(SPACEMOLT_V2),
                "SpaceMolt's second interface: few tools, for a small context",
            ),
            Choice::new(
                Some(BUILT_IN_GAME),
                "the built-in game: no account, no network",
            ),
        ];
        if is_other && self.present.is_there {
            choices.insert(0, Choice::new(Some(present), &format!("{present}, as now")));
        }
        if let Some(program) = mcp.command.first() {
            let text = format!("the program {program}, as now");
            choices.insert(0, Choice::new(Some(""), &text));
        }
        choices.push(Choice::new(None, "another MCP server"));
        let start = choices
            .iter()
            .position(|choice| choice.value == Some(present));
        match choose("Which game?", choices, start.unwrap_or(0))? {
            Some(game) => Ok(game.to_string()),
            None => loop {
                let text = ask_text(
                    "Address of the MCP server",
                    None,
                    "such as http://127.0.0.1:3111/mcp",
                )?;
                match flags::game_of(Some(&text), self.present) {
                    Ok(game) => return Ok(game),
                    Err(why) => say(&format!("{why}."))?,
                }
            },
        }
    }

    /// Asks for an account of the game, or for the registration code with which Myses register
    /// their own.
    pub(super) fn ask_account(&self, game: &str) -> anyhow::Result<(Extras, KeyAnswer)> {
        let mut extras = flags::extras_of(&self.args)?;
        if let Some(given) = flags::code_of(&self.args, self.present)? {
            return Ok((extras, given));
        }
        let has_accounts = extras.accounts.is_some();
        if has_accounts || game == BUILT_IN_GAME || game.is_empty() || self.present.is_there {
            return Ok((extras, self.present.code_at(game)));
        }
        let help = "press Enter to let each Mysis register its own account";
        let name = ask_optional("Game account", help)?;
        if !name.is_empty() {
            let password = loop {
                let typed = ask_password("Password of the account", None)?;
                if typed.len() >= zoea_text::redact::MIN_SECRET_BYTES {
                    break Secret::new(typed);
                }
                say(&format!(
                    "A password has at least {} characters.",
                    zoea_text::redact::MIN_SECRET_BYTES
                ))?;
            };
            extras.account = Some((name, password));
            say("One Mysis uses this account; `zoea accounts import FILE` adds others.")?;
            return Ok((extras, KeyAnswer::None));
        }
        let help = "press Enter if the game needs none";
        let typed = ask_password("Registration code", Some(help))?;
        match typed.trim().is_empty() {
            true => Ok((extras, KeyAnswer::None)),
            false => {
                let code =
                    typed_key(&typed).or_else(|why| ask_key("Registration code", Some(&why)))?;
                Ok((extras, KeyAnswer::Typed(code)))
            }
        }
    }
}
