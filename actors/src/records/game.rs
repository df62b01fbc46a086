//! The games that the swarm knows, as what is stored refers to them, and what results tell of them.
//! Everything else asks through [`Game`].

use std::cell::OnceCell;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use zoea_game::digest::MAX_DIGEST_BYTES;
use zoea_game::{AnyTools, Game, Reading};
use zoea_spacemolt::SpaceMolt;

pub use zoea_game::reading::ShipNames;
pub use zoea_game::standing::Standing;

/// One of the known games, or tools of none. Nothing is said of a game as long as none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameRef {
    /// Tools of which nothing is known but what MCP says of them.
    #[default]
    AnyTools,
    /// What was stored before other tools were told apart is of this game.
    SpaceMolt,
}

impl GameRef {
    /// The game of a server, by the names of its tools and the schemas of their arguments. `None`
    /// for a list without a tool.
    pub fn of_tools<'a>(
        tools: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) -> Option<GameRef> {
        tools.clone().next()?;
        Some(match zoea_spacemolt::has_listed(tools) {
            true => GameRef::SpaceMolt,
            false => GameRef::AnyTools,
        })
    }

    /// The game of a stored word. One that is not known is read as tools of no game.
    pub fn of_key(key: Option<&str>) -> GameRef {
        match key {
            None => GameRef::SpaceMolt,
            Some(key) if key == GameRef::SpaceMolt.key() => GameRef::SpaceMolt,
            Some(_) => GameRef::AnyTools,
        }
    }

    #[must_use]
    pub fn shared_prompt(self) -> Arc<str> {
        static PROMPTS: LazyLock<[Arc<str>; 2]> =
            LazyLock::new(|| [GameRef::AnyTools, GameRef::SpaceMolt].map(|it| it.prompt().into()));
        let [any_tools, spacemolt] = &*PROMPTS;
        match self {
            GameRef::AnyTools => any_tools.clone(),
            GameRef::SpaceMolt => spacemolt.clone(),
        }
    }

    /// The word by which it is stored beside a result; `None` where none is stored.
    #[must_use]
    pub fn stored_key(self) -> Option<&'static str> {
        (self != GameRef::SpaceMolt).then(|| self.key())
    }
}

impl Deref for GameRef {
    type Target = dyn Game;

    fn deref(&self) -> &Self::Target {
        match self {
            GameRef::AnyTools => &AnyTools,
            GameRef::SpaceMolt => &SpaceMolt,
        }
    }
}

/// The longest result that is read. Longer ones are tables of a game, not a player's own state.
const MAX_READ_BYTES: usize = 64 << 10;

/// A result and what it tells. The first that asks has it read, the others get what that one found.
#[derive(Debug)]
pub struct GameReading<'a> {
    game: GameRef,
    text: &'a str,
    contents: OnceCell<Box<dyn Reading>>,
}

impl<'a> GameReading<'a> {
    pub fn of(game: GameRef, text: &'a str) -> GameReading<'a> {
        GameReading {
            game,
            text,
            contents: OnceCell::new(),
        }
    }

    pub fn game(&self) -> GameRef {
        self.game
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    pub fn is_of_a_game(&self) -> bool {
        self.game.tells_facts()
    }

    /// Whether it is short enough to be read.
    pub fn is_short(&self) -> bool {
        self.text.len() <= MAX_READ_BYTES
    }

    pub fn is_read(&self) -> bool {
        self.contents.get().is_some()
    }

    /// What it tells, however long it is.
    pub fn whole(&self) -> &dyn Reading {
        &**self.contents.get_or_init(|| self.game.read(self.text))
    }

    /// What it tells; `None` if nothing is known of its form, or it is too long.
    pub fn facts(&self) -> Option<&dyn Reading> {
        let is_read = self.is_of_a_game() && self.is_short();
        is_read
            .then(|| self.whole())
            .filter(|contents| contents.is_understood())
    }

    pub fn digest(&self) -> String {
        self.digest_within(MAX_DIGEST_BYTES)
    }

    /// What it says on one line, within so many bytes.
    pub fn digest_within(&self, most: usize) -> String {
        match self.is_short() {
            true => self.whole().digest(self.text, most),
            false => zoea_game::digest::digest_text(self.text, most),
        }
    }
}

/// The digest of the result of a look. Looks are known of one game only.
pub fn digest_of_look(text: &str) -> String {
    GameReading::of(GameRef::SpaceMolt, text).digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read_once_and_only_as_what_it_is() {
        let text = r#"{"player":{"credits":5}}"#;
        let reading = GameReading::of(GameRef::SpaceMolt, text);
        assert!(!reading.is_read(), "not before somebody asks");
        let credits = |reading: &GameReading<'_>| {
            reading
                .facts()
                .map(|contents| contents.standing("get_status", true).credits)
        };
        assert_eq!(credits(&reading), Some(Some(5)));
        let read = std::ptr::from_ref(reading.whole()).cast::<()>();
        assert_eq!(std::ptr::from_ref(reading.whole()).cast::<()>(), read);
        assert_eq!(credits(&GameReading::of(GameRef::AnyTools, text)), None);
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_READ_BYTES));
        assert_eq!(credits(&GameReading::of(GameRef::SpaceMolt, &long)), None);
    }

    #[test]
    fn a_game_is_read_back_by_its_word_and_old_rows_are_of_the_first() {
        for game in [GameRef::AnyTools, GameRef::SpaceMolt] {
            assert_eq!(GameRef::of_key(game.stored_key()), game);
        }
        assert_eq!(GameRef::of_key(Some("of a later build")), GameRef::AnyTools);
    }
}
