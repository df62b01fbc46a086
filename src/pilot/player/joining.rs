//! Getting an account and a session.

use serde_json::json;

use crate::identity;
use crate::situation::{Account, Standing};

use super::player_view::PlayerView;
use super::step::Step;

/// After so many refused codes there is no point in going on.
const CODES: u32 = 2;

/// What must be done before the game can be played; none where nothing stands in the way.
pub(super) fn join(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> Option<Step> {
    let account = &cockpit.situation.account;
    match account.standing {
        Standing::Unknown | Standing::Active => None,
        Standing::Locked if cockpit.offers("login") && !account.login_failed => Some(login()),
        Standing::Locked | Standing::Missing => Some(register(cockpit, account, rng)),
    }
}

/// The password is the host's business; a model does not know it.
fn login() -> Step {
    Step::call(
        "login",
        json!({"username": "unknown", "password": "unknown"}),
        "The server wants a session. I log in; my credentials are filled in for me.",
    )
}

fn register(cockpit: &PlayerView<'_>, account: &Account, rng: &mut fastrand::Rng) -> Step {
    if !cockpit.offers("register") {
        return Step::say(
            "I have no account and no tool to register one. I need help.",
            "Without an account nothing can be done in the game.",
        );
    }
    if account.codes_refused >= CODES {
        return Step::say(
            "The server refuses my registration code. I need another one: tell me `registration code: …`.",
            "A third try with the same code would fail as well.",
        );
    }
    let username = identity::username(cockpit.request, account.names_taken, rng);
    let empire = identity::empire(cockpit.request, cockpit.seed);
    Step::call(
        "register",
        json!({
            "username": username,
            "empire": empire,
            "registration_code": identity::registration_code(cockpit.request),
        }),
        format!("I have no account yet. I register as {username} of the {empire} empire."),
    )
}
