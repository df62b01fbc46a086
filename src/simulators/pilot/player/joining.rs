//! Getting an account and a session.

use serde_json::json;

use crate::identity;
use crate::situation::{AccountStanding, KnownAccount};

use super::player_view::PlayerView;
use super::step::PlayerStep;

/// The number of refused codes after which trying again is pointless.
const MAX_REFUSED_CODES: u32 = 2;

/// The step that must come before the game can be played; none if nothing is missing.
pub(super) fn join_game(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> Option<PlayerStep> {
    let account = &view.situation.account;
    match account.standing {
        AccountStanding::Unknown | AccountStanding::Active => None,
        AccountStanding::Locked if view.offers("login") && !account.login_failed => Some(log_in()),
        AccountStanding::Locked | AccountStanding::Missing => {
            Some(register_account(view, account, rng))
        }
    }
}

/// Logs in. The password is the host's concern; a model does not know it.
fn log_in() -> PlayerStep {
    PlayerStep::call(
        "login",
        json!({"username": "unknown", "password": "unknown"}),
        "The server wants a session. I log in; my credentials are filled in for me.",
    )
}

fn register_account(
    view: &PlayerView<'_>,
    account: &KnownAccount,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    if !view.offers("register") {
        return PlayerStep::say(
            "I have no account and no tool to register one. I need help.",
            "Without an account nothing can be done in the game.",
        );
    }
    if account.codes_refused >= MAX_REFUSED_CODES {
        return PlayerStep::say(
            "The server refuses my registration code. I need another one: tell me `registration code: …`.",
            "A third try with the same code would fail as well.",
        );
    }
    let username = identity::choose_username(view.request, account.names_taken, rng);
    let mut arguments = json!({
        "username": username,
        "registration_code": identity::registration_code(view.request),
    });
    let mut why = format!("I have no account yet. I register as {username}");
    match identity::choose_empire(view.request, view.seed) {
        Some(empire) => {
            arguments["empire"] = empire.into();
            why.push_str(&format!(" of the {empire} empire."));
        }
        None => why.push_str("; nobody has told me yet which empires there are."),
    }
    PlayerStep::call("register", arguments, why)
}
