//! The pilot's identity: its given name, its registered name, its empire and its registration code.

use super::chance::Mix;
use super::request::{PilotRequest, RUNTIME_NOTE_LINE};

/// The empires of the game. One whose name stands nowhere in a request is not known in it.
pub(super) const EMPIRES: [&str; 5] = ["solarian", "voidborn", "crimson", "nebula", "outerrim"];

const OFFLINE_CODE: &str = "OFFLINE-0001";

/// The longest name that leaves room for four digits within the game's 24 characters.
const MAX_NAME_CHARACTERS: usize = 20;

/// Phrases before a name, the most certain first.
const NAME_PHRASES: [&str; 8] = [
    "your name is ",
    "you are named ",
    "you are called ",
    "mysis named ",
    "agent named ",
    "callsign: ",
    "name: ",
    "you are ",
];

/// Words that may follow such a phrase without being names.
const WORDS_NOT_NAMES: &str = "a able about alone allowed also always an asked at autonomous connected docked expected free given \
    here in logged mysis never none not now of on one part playing registered responsible running still the to unknown \
    your";

/// The name that the system prompt gives to the agent, or the runtime's note.
pub fn agent_name(request: &PilotRequest<'_>) -> Option<String> {
    let is_note = |text: &&str| text.starts_with(RUNTIME_NOTE_LINE);
    // What else a note tells is about the game.
    let of_note = |note: &str| name_at(note.lines().nth(1)?.strip_prefix("You are ")?);
    let noted = request.system_texts().filter(is_note).find_map(of_note);
    let mut prompts = request.system_texts().filter(|text| !is_note(text));
    noted.or_else(|| prompts.find_map(name_in))
}

fn name_in(prompt: &str) -> Option<String> {
    let lower = prompt.to_ascii_lowercase();
    NAME_PHRASES.iter().find_map(|phrase| {
        lower
            .match_indices(phrase)
            .filter(|(place, _)| !is_of_another(&lower[..*place]))
            .find_map(|(place, _)| name_at(&prompt[place + phrase.len()..]))
    })
}

/// Whether the text before the phrase makes it the name of an account or of something else.
fn is_of_another(before: &str) -> bool {
    let before = before.trim_end_matches(['*', '`', ' ']);
    ["account", "user", "tool", "file", "system", "ship"]
        .iter()
        .any(|other| before.ends_with(other))
}

fn name_at(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['"', '\'', '`', '*', ' ', '“']);
    let name: String = text
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
        .collect();
    let lower = name.to_lowercase();
    let is_name = !name.is_empty() && !WORDS_NOT_NAMES.split(' ').any(|word| word == lower);
    is_name.then_some(name)
}

/// A username that the game accepts. `taken` is the number of refused names; from the first refusal
/// on, digits follow the name.
pub(super) fn choose_username(
    request: &PilotRequest<'_>,
    taken: u32,
    rng: &mut fastrand::Rng,
) -> String {
    let mut name: String = agent_name(request)
        .unwrap_or_else(|| "Pilot".to_owned())
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
        .take(MAX_NAME_CHARACTERS)
        .collect();
    if name.len() < 3 {
        name.push_str("pilot");
    }
    if taken > 0 {
        name.push_str(&rng.u32(10..10_000).to_string());
    }
    name
}

/// The empire that the prompts name, if they name exactly one, else one that follows from the
/// agent's name; none where the request names none.
pub(super) fn choose_empire(request: &PilotRequest<'_>, seed: u64) -> Option<&'static str> {
    let listed = request.arguments.values_of("register", "empire");
    let is_known = |empire: &&str| {
        request.is_grouped || listed.iter().any(|value| value == empire) || request.says(empire)
    };
    let texts: Vec<String> = request
        .system_texts()
        .chain(request.user_texts())
        .map(str::to_lowercase)
        .collect();
    let is_named = |empire: &&str| texts.iter().any(|text| text.contains(*empire));
    let named: Vec<&str> = EMPIRES.into_iter().filter(is_named).collect();
    if let [only] = named[..] {
        return Some(only);
    }
    let name = agent_name(request).unwrap_or_default();
    let mut rng = Mix::new(seed).with_text(&name).rng();
    let known: Vec<&str> = EMPIRES.into_iter().filter(is_known).collect();
    rng.choice(known)
}

/// The registration code that the conversation names, else the simulated game's.
pub(super) fn registration_code(request: &PilotRequest<'_>) -> String {
    request
        .user_texts()
        .chain(request.system_texts())
        .find_map(code_in)
        .unwrap_or_else(|| OFFLINE_CODE.to_owned())
}

fn code_in(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase().replace('_', " ");
    lower
        .match_indices("registration code")
        .find_map(|(place, phrase)| {
            let rest = text[place + phrase.len()..].trim_start();
            let (rest, is_certain) = match rest.strip_prefix([':', '=']) {
                Some(rest) => (rest, true),
                None => (rest.strip_prefix("is ")?, false),
            };
            let code: String = rest
                .trim_start_matches([' ', '"', '\'', '`', '*'])
                .chars()
                .take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
                .collect();
            let has_digit = code.contains(|letter: char| letter.is_ascii_digit());
            (has_digit || (is_certain && !code.is_empty())).then_some(code)
        })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn prompt(text: &str) -> Value {
        json!({"messages": [{"role": "system", "content": text}]})
    }

    #[test]
    fn the_name_is_found_in_the_prompt() {
        for (text, name) in [
            ("You are alpha, a Mysis.", Some("alpha")),
            (
                "You are an autonomous agent.\nName: `beta-2`",
                Some("beta-2"),
            ),
            ("You are a pilot. Your name is \"Gamma\".", Some("Gamma")),
            ("You are **delta**.", Some("delta")),
            ("You are one Mysis named Épsilon of many", Some("Épsilon")),
            (
                "You are alpha.\nAccount name: zed\nUsername: zed",
                Some("alpha"),
            ),
            ("You are responsible for your ship.", None),
            ("Play well.", None),
        ] {
            assert_eq!(
                agent_name(&PilotRequest::read(&prompt(text))).as_deref(),
                name,
                "{text}"
            );
        }
    }

    #[test]
    fn usernames_fit_the_game() {
        let mut rng = fastrand::Rng::with_seed(1);
        for text in [
            "You are x.",
            "You are Épsilon.",
            "",
            "You are a-very-long-name-for-a-small-ship.",
        ] {
            for taken in [0, 3] {
                let name = choose_username(&PilotRequest::read(&prompt(text)), taken, &mut rng);
                assert!((3..=24).contains(&name.len()), "{name}");
            }
        }
        let alpha = prompt("You are alpha.");
        assert_eq!(
            choose_username(&PilotRequest::read(&alpha), 0, &mut rng),
            "alpha"
        );
        assert!(choose_username(&PilotRequest::read(&alpha), 1, &mut rng).starts_with("alpha"));
    }

    #[test]
    fn the_code_is_the_one_that_is_named() {
        for (text, code) in [
            ("Use the registration code: REG-7 to join.", "REG-7"),
            ("registration_code = `abc_1`", "abc_1"),
            (
                "A registration code is needed. The registration code is X-9.",
                "X-9",
            ),
            ("Ask for a registration code.", "OFFLINE-0001"),
        ] {
            assert_eq!(
                registration_code(&PilotRequest::read(&prompt(text))),
                code,
                "{text}"
            );
        }
    }

    #[test]
    fn the_empire_is_the_one_that_is_named_or_follows_from_the_name() {
        let named = prompt("Join the Crimson fleet.");
        assert_eq!(
            choose_empire(&PilotRequest::read(&named), 1),
            Some("crimson")
        );
        let both = prompt("You are alpha. Choose solarian or nebula.");
        let request = PilotRequest::read(&both);
        let chosen = choose_empire(&request, 1);
        assert!([Some("solarian"), Some("nebula")].contains(&chosen));
        assert_eq!(chosen, choose_empire(&request, 1));
        let silent = prompt("You are alpha.");
        let mut request = PilotRequest::read(&silent);
        assert_eq!(choose_empire(&request, 1), None);
        let tools = json!([{"function": {"name": "register", "parameters": {"properties":
            {"empire": {"enum": ["outerrim"]}}}}}]);
        request.arguments = std::sync::Arc::new(crate::tools::ToolArguments::read(&tools));
        assert_eq!(choose_empire(&request, 1), Some("outerrim"));
    }
}
