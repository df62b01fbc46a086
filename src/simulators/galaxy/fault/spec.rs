//! The text form of a fault: `KIND[@PROBABILITY][:ARGUMENT]`.

use std::{str::FromStr, time::Duration};

use strum::{EnumString, IntoStaticStr};
use zoea_grammar::fault::{FaultForm, WrittenFault};

/// A fault that any request to `/mcp` may meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GalaxyFault {
    pub kind: GalaxyFaultKind,
    /// The probability that it hits a request that it can hit: 0 to 1.
    pub probability: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum GalaxyFaultKind {
    /// HTTP 500; the request is not executed.
    #[strum(serialize = "http-500")]
    Http500,
    /// HTTP 429; the request is not executed.
    #[strum(serialize = "http-429")]
    Http429 {
        /// Seconds that the answer asks the client to wait.
        retry_after: u64,
    },
    /// The request is executed, then the connection is cut without an answer.
    Drop,
    /// The request is executed. The connection is cut after this time without an answer.
    Hang(Duration),
    /// The request is executed after this delay.
    Slow(Duration),
    McpSession,
    /// The login of the request's MCP session is forgotten first.
    GameSession,
    /// The request is executed and answered by HTTP 200 with a body that is not JSON.
    Garbage,
    /// Every client is told that the server restarts in 60 seconds. It does not restart.
    RestartWarning,
    /// HTTP 503 for every request of a span of time. None of them is executed.
    Outage {
        after: Duration,
        lasting: Duration,
    },
    /// `tools/list` gives an empty list for this time after the start of the server.
    ToolsMissing(Duration),
    /// After this many lists, `tools/list` has one tool more, one less, and one with another
    /// description.
    ToolsChanged(u64),
    /// JSON-RPC error -32603; the request is not executed.
    RpcError,
}

pub const FORMS: &[FaultForm] = &[
    FaultForm::new("http-500", "", "HTTP 500; not executed"),
    FaultForm::new(
        "http-429",
        "[:SECONDS]",
        "HTTP 429 with Retry-After (5); not executed",
    ),
    FaultForm::new(
        "outage",
        ":AFTER,DURATION",
        "HTTP 503 for everything, once, AFTER the start; not executed",
    ),
    FaultForm::new("rpc-error", "", "JSON-RPC error -32603; not executed"),
    FaultForm::new(
        "tools-missing",
        "[:DURATION]",
        "tools/list is empty for this long after the start (30s)",
    ),
    FaultForm::new(
        "tools-changed",
        "[:LISTS]",
        "after so many lists (1), tools/list has one tool more, one less and one changed",
    ),
    FaultForm::new("slow", ":DURATION", "executed this much later"),
    FaultForm::new(
        "drop",
        "",
        "executed, then the connection is cut without an answer",
    ),
    FaultForm::new(
        "hang",
        "[:DURATION]",
        "executed, then no answer for this long (10m), then the connection is cut",
    ),
    FaultForm::new(
        "garbage",
        "",
        "executed, then HTTP 200 with a body that is not JSON",
    ),
    FaultForm::new(
        "mcp-session",
        "",
        "the MCP session is forgotten, and the login with it",
    ),
    FaultForm::new("game-session", "", "the login is forgotten"),
    FaultForm::new(
        "restart-warning",
        "",
        "all players get notice of a restart in 60 seconds, which does not happen",
    ),
];

const DEFAULT_HANG: Duration = Duration::from_secs(600);
const RETRY_AFTER_SECS: u64 = 5;
const DEFAULT_TOOLS_MISSING: Duration = Duration::from_secs(30);

impl GalaxyFaultKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl FromStr for GalaxyFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let written = WrittenFault::read(text, FORMS)?;
        let kind = match written.form.name {
            "http-429" => GalaxyFaultKind::Http429 {
                retry_after: written.number()?.unwrap_or(RETRY_AFTER_SECS),
            },
            "hang" => GalaxyFaultKind::Hang(written.duration()?.unwrap_or(DEFAULT_HANG)),
            "slow" => GalaxyFaultKind::Slow(written.needed_duration()?),
            "outage" => {
                let (after, lasting) = written.two_durations()?;
                GalaxyFaultKind::Outage { after, lasting }
            }
            "tools-missing" => {
                GalaxyFaultKind::ToolsMissing(written.duration()?.unwrap_or(DEFAULT_TOOLS_MISSING))
            }
            "tools-changed" => GalaxyFaultKind::ToolsChanged(written.number()?.unwrap_or(1)),
            plain => plain
                .parse()
                .map_err(|_| format!("fault `{plain}` is in the list and is not read"))?,
        };
        Ok(Self {
            kind,
            probability: written.probability,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GalaxyFault, String> {
        text.parse()
    }

    #[test]
    fn arguments_have_defaults() {
        let full = read("http-429@0.25:7").unwrap();
        assert_eq!(full.kind, GalaxyFaultKind::Http429 { retry_after: 7 });
        assert_eq!(full.probability, 0.25);
        assert_eq!(
            read("hang").unwrap().kind,
            GalaxyFaultKind::Hang(DEFAULT_HANG)
        );
        assert_eq!(
            read("hang@1:2s").unwrap().kind,
            GalaxyFaultKind::Hang(Duration::from_secs(2))
        );
    }

    #[test]
    fn every_kind_of_the_list_is_read_and_named_alike() {
        for form in FORMS {
            let argument = form
                .argument
                .replace(['[', ']'], "")
                .replace("SECONDS", "3")
                .replace("LISTS", "3")
                .replace("DURATION", "3s")
                .replace("AFTER", "1s");
            let fault = read(&format!("{}{argument}", form.name)).unwrap();
            assert_eq!(fault.kind.name(), form.name);
        }
    }

    #[test]
    fn an_outage_needs_two_durations() {
        let error = read("outage:5s").unwrap_err();
        assert!(error.contains("outage[@PROBABILITY]:AFTER,DURATION"));
    }
}
