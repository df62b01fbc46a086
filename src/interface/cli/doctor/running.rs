//! What the running program says of its database, its servers and its calls.

use actors::domain::standing::StandingKind;
use serde::de::DeserializeOwned;
use zoea_contract::{HeldTextJson, ProgramStatusJson};
use zoea_text::trouble::Trouble;

use super::{DoctorChecks, DoctorFinding};
use crate::host::home::{Home, RunFile};
use crate::interface::cli::game_check::CHECK_TIMEOUT;
use crate::interface::cli::{held, out, shown};
use crate::interface::control::call::ControlCall;
use crate::interface::control::client::ControlClient;

/// Asks the running program, which may hang.
pub(super) async fn ask_running<T: DeserializeOwned>(
    home: &Home,
    running: &RunFile,
    call: ControlCall,
) -> Result<T, String> {
    let token = home.control_token().map_err(|error| error.to_string())?;
    let token = token.ok_or_else(|| "the running program has no control.token".to_string())?;
    let asked = async {
        let client = ControlClient::connect(running, &token, out::note).await?;
        client.ask(&call).await
    };
    match tokio::time::timeout(CHECK_TIMEOUT, asked).await {
        Ok(Ok(answer)) => serde_json::from_value(answer).map_err(|error| error.to_string()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!(
            "the running program (pid {}) gives no answer",
            running.pid
        )),
    }
}

/// The texts that the running program holds back from models.
pub(super) async fn held_by_running(home: &Home, running: &RunFile) -> DoctorChecks {
    let texts = ask_running(home, running, ControlCall::ListHeldTexts {});
    let texts: Vec<HeldTextJson<'_>> = texts.await.unwrap_or_default();
    checks_of_held(&texts)
}

/// The texts that are held back from models, the newest ones.
pub(super) fn checks_of_held(texts: &[HeldTextJson<'_>]) -> DoctorChecks {
    let check = |text| ("held back".to_string(), Ok(text));
    held::as_lines(texts).into_iter().map(check).collect()
}

/// What the running program says of its servers, and whether its calls end.
pub(super) fn troubles_of_running(status: &ProgramStatusJson<'_>) -> DoctorChecks {
    let servers = status.away.iter().chain(&status.doubtful);
    let servers = servers.map(|server| {
        let since = shown::time(&server.since);
        let trouble = Trouble {
            whom: &server.server,
            what: "is in trouble",
            since: Some(&since),
            then: &["the running program says so"],
            chain: Some(&server.text),
            ..Trouble::default()
        };
        ("servers".to_string(), Err(trouble.to_string()))
    });
    let code = StandingKind::NothingMoves.code();
    let standstill = status
        .warnings
        .iter()
        .filter(|warning| warning.code == code);
    let standstill = standstill.map(|warning| ("calls".to_string(), Err(warning.text.to_string())));
    // The others are the servers above, the database's own checks, and single Myses.
    let causes = ["login", "key", "account", "budget"];
    let needs = status.needs.iter();
    let needs = needs
        .filter(|need| causes.contains(&&*need.cause))
        .map(|need| {
            let trouble = format!("{} Myses: {}: {}", need.count, need.what, need.why);
            ("needs".to_string(), Err(trouble))
        });
    servers.chain(standstill).chain(needs).collect()
}

pub(super) fn check_used_database(status: &ProgramStatusJson<'_>, pid: u32) -> DoctorFinding {
    let code = StandingKind::LittleRoom.code();
    let mut little = status
        .warnings
        .iter()
        .filter(|warning| warning.code == code);
    let little = little.next().map(|warning| &*warning.text);
    match status.trouble.as_deref().or(little) {
        Some(trouble) => Err(format!(
            "in use by the running program (pid {pid}): {trouble}"
        )),
        None => Ok(format!("in use by the running program (pid {pid})")),
    }
}
