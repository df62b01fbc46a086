//! What the running program says of its database, its servers and its calls.

use actors::domain::standing::StandingKind;
use serde_json::Value;
use zoea_text::trouble::Trouble;

use super::DoctorFinding;
use crate::host::home::{Home, RunFile};
use crate::interface::cli::game_check::CHECK_TIMEOUT;
use crate::interface::cli::held;
use crate::interface::cli::out;
use crate::interface::control::call::ControlCall;
use crate::interface::control::client::ControlClient;

/// Asks the running program for its status.
pub(super) async fn ask_running(home: &Home, running: &RunFile) -> Result<Value, String> {
    let pid = running.pid;
    let token = home.control_token().map_err(|error| error.to_string())?;
    let token = token.ok_or_else(|| "the running program has no control.token".to_string())?;
    let asked = async {
        let client = ControlClient::connect(running, &token, out::note).await?;
        client.ask(&ControlCall::whole_status()).await
    };
    match tokio::time::timeout(CHECK_TIMEOUT, asked).await {
        Ok(status) => status.map_err(|error| error.to_string()),
        Err(_) => Err(format!("the running program (pid {pid}) gives no answer")),
    }
}

/// The texts that the running program holds back from models.
pub(super) async fn held_by_running(
    home: &Home,
    running: &RunFile,
) -> Vec<(String, DoctorFinding)> {
    let Ok(Some(token)) = home.control_token() else {
        return Vec::new();
    };
    let asked = async {
        let client = ControlClient::connect(running, &token, out::note).await?;
        client.ask(&ControlCall::ListHeldTexts {}).await
    };
    match tokio::time::timeout(CHECK_TIMEOUT, asked).await {
        Ok(Ok(texts)) => checks_of_held(texts.as_array().map_or(&[][..], Vec::as_slice)),
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// The texts that are held back from models, the newest ones.
pub(super) fn checks_of_held(texts: &[Value]) -> Vec<(String, DoctorFinding)> {
    let check = |text| ("held back".to_string(), Ok(text));
    held::as_lines(texts).into_iter().map(check).collect()
}

/// What the running program says of its servers, and whether its calls end.
pub(super) fn troubles_of_running(status: &Value) -> Vec<(String, DoctorFinding)> {
    let members = |list: &'static str| status[list].as_array().into_iter().flatten();
    let servers = ["away", "doubtful"].into_iter().flat_map(members);
    let servers = servers.map(|server| {
        let trouble = Trouble {
            whom: server["server"].as_str().unwrap_or_default(),
            what: "is in trouble",
            since: server["since"].as_str(),
            then: &["the running program says so"],
            chain: server["text"].as_str(),
            ..Trouble::default()
        };
        ("servers".to_string(), Err(trouble.to_string()))
    });
    let code = StandingKind::NothingMoves.code();
    let standstill = members("warnings").filter(|warning| warning["code"] == code);
    let standstill = standstill.map(|warning| {
        let text = warning["text"].as_str().unwrap_or_default();
        ("calls".to_string(), Err(text.to_string()))
    });
    // The others are the servers above, the database's own checks, and single Myses.
    let causes = ["login", "key", "account", "budget"];
    let needs =
        members("needs").filter(move |need| causes.iter().any(|cause| need["cause"] == *cause));
    let needs = needs.map(|need| {
        let text = |key: &str| need[key].as_str().unwrap_or_default();
        let (count, what) = (&need["count"], text("what"));
        let told = format!("{count} Myses: {what}: {}", text("why"));
        ("needs".to_string(), Err(told))
    });
    servers.chain(standstill).chain(needs).collect()
}

/// What the running program says of its database.
pub(super) fn check_used_database(status: &Value, pid: u32) -> DoctorFinding {
    let warnings = status["warnings"].as_array().into_iter().flatten();
    let code = StandingKind::LittleRoom.code();
    let mut little = warnings.filter(|warning| warning["code"] == code);
    let little = little.next().map(|warning| &warning["text"]);
    match status["trouble"]
        .as_str()
        .or(little.and_then(Value::as_str))
    {
        Some(trouble) => Err(format!(
            "in use by the running program (pid {pid}): {trouble}"
        )),
        None => Ok(format!("in use by the running program (pid {pid})")),
    }
}
