//! The system prompt. It is rendered for each request from a template and never stored (docs/design/requests.md).
//!
//! The built-in template is the game's (`Game::prompt`). It is the same for all Myses, so that a provider reads it, and the tools behind
//! it, once for all. What one Mysis does not share with the others stands elsewhere in the request.

use super::game::GameRef;

#[derive(Clone, Copy, Debug, Default)]
pub struct PromptFacts<'a> {
    pub game: GameRef,
    /// `{{name}}`: the Mysis' name.
    pub name: &'a str,
    /// `{{account}}`: its game account.
    pub account: Option<&'a str>,
    /// `{{mission}}`: the mission in force.
    pub mission: Option<&'a str>,
    /// `{{game_state}}`: what is known of the game, with its age. If the template does not contain
    /// it, the runtime note does, so that the prompt stays the same.
    pub game_state: &'a str,
    /// `{{notices}}`: the runtime's notices, one on a line. The same holds as for `game_state`.
    pub notices: &'a [String],
}

pub const PLACEHOLDERS: [(&str, &str); 5] = [
    (
        "name",
        "the Mysis' name; without it and the account, both stand near the end of each request",
    ),
    ("account", "its game account"),
    (
        "mission",
        "the mission in force; without it, the mission is still the first message",
    ),
    (
        "game_state",
        "the known state, with its age; without it, it stands near the end of each request",
    ),
    (
        "notices",
        "the runtime's notices; without it, they stand near the end of each request",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPlaceholder<'a> {
    /// The byte offset of its beginning.
    pub offset: usize,
    /// The text between the braces.
    pub name: &'a str,
}

/// The unknown placeholders of a template. Text between double braces that is no name, such as an
/// example of JSON, is no placeholder.
pub fn unknown_placeholders(template: &str) -> Vec<FoundPlaceholder<'_>> {
    let is_name = |text: &str| {
        let text = text.trim();
        let mut letters = text.chars();
        letters
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '))
    };
    let is_ours = |name: &str| PLACEHOLDERS.iter().any(|(known, _)| *known == name);
    let marks = marks(template).filter(|mark| !is_ours(mark.name) && is_name(mark.name));
    marks.collect()
}

/// The texts between double braces.
fn marks(template: &str) -> impl Iterator<Item = FoundPlaceholder<'_>> {
    let mut read = 0;
    std::iter::from_fn(move || {
        let offset = read + template[read..].find("{{")?;
        let length = template[offset..].find("}}")?;
        read = offset + length + 2;
        let name = &template[offset + 2..offset + length];
        Some(FoundPlaceholder { offset, name })
    })
}

/// The placeholders of a template from which on a prompt is not the same for all, or not for long, so that a
/// provider's cache pays for them: the first of each, in the order of their places.
pub fn costly_placeholders(template: &str) -> Vec<FoundPlaceholder<'static>> {
    let first = |(name, _): (&'static str, _)| {
        let offset = template.find(&marked(name))?;
        Some(FoundPlaceholder { offset, name })
    };
    let mut found: Vec<_> = PLACEHOLDERS.into_iter().filter_map(first).collect();
    found.sort_by_key(|costly| costly.offset);
    found
}

pub fn has_placeholder(template: &str, name: &str) -> bool {
    template.contains(&marked(name))
}

fn marked(name: &str) -> String {
    format!("{{{{{name}}}}}")
}

const ROLE_LINES: [&str; 2] = ["[your role]", "[end of your role]"];

/// What a role says, as it stands behind the mission; empty for nothing.
pub fn role_text(role: &str) -> String {
    let [begin, end] = ROLE_LINES;
    match role.trim() {
        "" => String::new(),
        role => format!("{begin}\n{role}\n{end}"),
    }
}

/// Who the Mysis is, for the runtime note. Nothing if the template says it, however much of it.
pub fn identity(template: &str, facts: &PromptFacts<'_>) -> String {
    if ["name", "account"]
        .iter()
        .any(|name| has_placeholder(template, name))
    {
        return String::new();
    }
    match facts.game.has_accounts() || facts.account.is_some() {
        true => {
            let account = facts.account_words();
            format!("You are {}, a Mysis. Game account: {account}", facts.name)
        }
        false => format!("You are {}, a Mysis.", facts.name),
    }
}

impl<'a> PromptFacts<'a> {
    fn account_words(&self) -> &'a str {
        let missing = match self.game.has_accounts() {
            true => "none yet: register first",
            false => "none",
        };
        self.account.unwrap_or(missing)
    }
}

/// Renders a template. Unknown placeholders stay as they are.
pub fn render_template(template: &str, facts: &PromptFacts<'_>) -> String {
    let notices = facts.notices.join("\n");
    let mut text = String::with_capacity(template.len() + 512);
    let mut written = 0;
    for FoundPlaceholder { offset, name } in marks(template) {
        let end = offset + "{{}}".len() + name.len();
        text.push_str(&template[written..offset]);
        text.push_str(match name {
            "name" => facts.name,
            "account" => facts.account_words(),
            "mission" => facts.mission.unwrap_or("none"),
            "game_state" => facts.game_state,
            "notices" => &notices,
            _ => &template[offset..end],
        });
        written = end;
    }
    text.push_str(&template[written..]);
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use zoea_spacemolt::commands;

    use super::*;

    const GAMES: [GameRef; 2] = [GameRef::AnyTools, GameRef::SpaceMolt];

    #[test]
    fn placeholders_are_filled_once_and_strange_ones_stay() {
        let facts = PromptFacts {
            game: GameRef::SpaceMolt,
            name: "{{mission}}",
            mission: Some("mine"),
            ..PromptFacts::default()
        };
        assert_eq!(
            render_template("{{name}} {{other}} {{mission}} {{account}} {{", &facts),
            "{{mission}} {{other}} mine none yet: register first {{"
        );
    }

    #[test]
    fn every_placeholder_that_is_listed_is_filled_and_no_other() {
        for (name, _) in PLACEHOLDERS {
            let marked = marked(name);
            assert_ne!(
                render_template(&marked, &PromptFacts::default()),
                marked,
                "{name}"
            );
            assert_eq!(unknown_placeholders(&marked), []);
        }
        for game in GAMES {
            assert_eq!(unknown_placeholders(game.prompt()), []);
        }
    }

    #[test]
    fn unknown_placeholders_are_found_where_they_stand() {
        let template = "{{name}} {{LATEST_BROADCAST}}\n{{ name }} {{\"a\": {}}} {{1}} {{open";
        let found: Vec<(usize, &str)> = unknown_placeholders(template)
            .into_iter()
            .map(|unknown| (unknown.offset, unknown.name))
            .collect();
        assert_eq!(found, [(9, "LATEST_BROADCAST"), (30, " name ")]);
    }

    #[test]
    fn the_default_names_no_tool_that_one_of_the_interfaces_lacks() {
        let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let words: Vec<&str> = GameRef::SpaceMolt
            .prompt()
            .split(|letter: char| !is_of_a_name(letter))
            .filter(|word| word.contains('_'))
            .collect();
        for action in commands::actions() {
            assert!(!words.contains(&action.command), "{}", action.command);
            assert!(!words.contains(&action.tool), "{}", action.tool);
        }
        assert!(words.contains(&"zoea_search_messages"), "{words:?}");
    }

    #[test]
    fn the_default_is_the_same_for_all_and_who_a_mysis_is_stands_elsewhere() {
        let facts = PromptFacts {
            game: GameRef::SpaceMolt,
            name: "alpha",
            mission: Some("mine"),
            game_state: "docked",
            ..PromptFacts::default()
        };
        for game in GAMES {
            let template = game.prompt();
            assert_eq!(render_template(template, &facts), template);
            assert_eq!(costly_placeholders(template), []);
        }
        let who = "You are alpha, a Mysis. Game account: none yet: register first";
        assert_eq!(identity("", &facts), who);
        for own in ["{{name}} plays", "Account: {{account}}"] {
            assert_eq!(identity(own, &facts), "", "{own}");
        }
        assert_eq!(role_text(" \n"), "");
        assert_eq!(
            role_text("Mine.\n\nSell.\n"),
            "[your role]\nMine.\n\nSell.\n[end of your role]"
        );
    }

    #[test]
    fn of_no_game_the_prompt_says_nothing_of_one() {
        let prompt = GameRef::AnyTools.prompt().to_lowercase();
        for word in [
            "game",
            "spacemolt",
            "captain",
            "credits",
            "ship",
            "tick",
            "register",
            "player",
            "log in",
        ] {
            assert!(!prompt.contains(word), "{word}: {prompt}");
        }
        let facts = PromptFacts {
            name: "alpha",
            ..PromptFacts::default()
        };
        assert_eq!(identity("", &facts), "You are alpha, a Mysis.");
        assert_eq!(render_template("{{account}}", &facts), "none");
    }

    #[test]
    fn what_costs_is_found_where_it_stands_first() {
        let own = "Play. {{mission}} {{name}} {{mission}} {{other}}";
        let found = costly_placeholders(own)
            .into_iter()
            .map(|costly| (costly.name, costly.offset));
        assert_eq!(found.collect::<Vec<_>>(), [("mission", 6), ("name", 18)]);
    }
}
