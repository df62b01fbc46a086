//! Getting an account and a session.

use serde_json::json;

use crate::identity;
use crate::situation::{AccountStanding, KnownAccount};

use super::player_view::PlayerView;
use super::step::PlayerStep;

/// After so many refused codes there is no point in going on.
const MAX_REFUSED_CODES: u32 = 2;

/// What must be done before the game can be played; none where nothing stands in the way.
pub(super) fn join_game(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> Option<PlayerStep> {
    let account = &cockpit.situation.account;
    match account.standing {
        AccountStanding::Unknown | AccountStanding::Active => None,
        AccountStanding::Locked if cockpit.offers("login") && !account.login_failed => {
            Some(log_in())
        }
        AccountStanding::Locked | AccountStanding::Missing => {
            Some(register_account(cockpit, account, rng))
        }
    }
}

/// The password is the host's business; a model does not know it.
fn log_in() -> PlayerStep {
    PlayerStep::call(
        "login",
        json!({"username": "unknown", "password": "unknown"}),
        "The server wants a session. I log in; my credentials are filled in for me.",
    )
}

fn register_account(
    cockpit: &PlayerView<'_>,
    account: &KnownAccount,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    if !cockpit.offers("register") {
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
    let username = identity::choose_username(cockpit.request, account.names_taken, rng);
    let empire = identity::choose_empire(cockpit.request, cockpit.seed);
    PlayerStep::call(
        "register",
        json!({
            "username": username,
            "empire": empire,
            "registration_code": identity::registration_code(cockpit.request),
        }),
        format!("I have no account yet. I register as {username} of the {empire} empire."),
    )
}
