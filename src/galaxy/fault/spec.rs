//! How a fault is written: `KIND[@PROBABILITY][:ARGUMENT]`.

use std::{str::FromStr, time::Duration};

use crate::settings::units::parse_duration;

/// A fault that may strike any request to `/mcp`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// What it does.
    pub kind: Kind,
    /// How likely it strikes a request that it could strike: 0 to 1.
    pub probability: f64,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTTP 500; the request is not executed.
    Http500,
    /// HTTP 429; the request is not executed.
    Http429 {
        /// Seconds that the answer asks the client to wait.
        retry_after: u64,
    },
    /// The request is executed, then the connection is cut without an answer.
    Drop,
    /// The request is executed, then nothing comes for so long, then the connection is cut.
    Hang(Duration),
    /// The request is executed so much later.
    Slow(Duration),
    /// The MCP session of the request is forgotten first.
    McpSession,
    /// The login of the request's MCP session is forgotten first.
    GameSession,
    /// The request is executed, then answered by HTTP 200 with a body that is no JSON.
    Garbage,
    /// Everybody is told that the server restarts in 60 seconds (it does not).
    RestartWarning,
    /// HTTP 503 for every request of a span of time; none is executed.
    Outage {
        /// Counted from the start of the server.
        after: Duration,
        /// The length of the span.
        lasting: Duration,
    },
    /// `tools/list` gives an empty list for so long after the start of the server.
    ToolsMissing(Duration),
    /// JSON-RPC error -32603; the request is not executed.
    RpcError,
}

/// The names of all faults, with the arguments they take.
pub const NAMES: [&str; 12] = [
    "http-500",
    "http-429[:SECONDS]",
    "drop",
    "hang[:DURATION]",
    "slow:DURATION",
    "mcp-session",
    "game-session",
    "garbage",
    "restart-warning",
    "outage:AFTER,DURATION",
    "tools-missing[:DURATION]",
    "rpc-error",
];

const HANG: Duration = Duration::from_secs(600);
const RETRY_AFTER: u64 = 5;
const TOOLS_MISSING: Duration = Duration::from_secs(30);

impl Kind {
    /// The name, as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Http500 => "http-500",
            Self::Http429 { .. } => "http-429",
            Self::Drop => "drop",
            Self::Hang(_) => "hang",
            Self::Slow(_) => "slow",
            Self::McpSession => "mcp-session",
            Self::GameSession => "game-session",
            Self::Garbage => "garbage",
            Self::RestartWarning => "restart-warning",
            Self::Outage { .. } => "outage",
            Self::ToolsMissing(_) => "tools-missing",
            Self::RpcError => "rpc-error",
        }
    }

    fn read(name: &str, argument: Option<&str>) -> Result<Self, String> {
        let plain = |kind| match argument {
            None => Ok(kind),
            Some(argument) => Err(format!("fault {name} takes no argument, not `{argument}`")),
        };
        let duration = |default| argument.map_or(Ok(default), parse_duration);
        match name {
            "http-500" => plain(Self::Http500),
            "http-429" => Ok(Self::Http429 {
                retry_after: argument.map_or(Ok(RETRY_AFTER), seconds)?,
            }),
            "drop" => plain(Self::Drop),
            "hang" => duration(HANG).map(Self::Hang),
            "slow" => {
                let argument = argument.ok_or("fault slow needs a duration, such as slow:2s")?;
                parse_duration(argument).map(Self::Slow)
            }
            "mcp-session" => plain(Self::McpSession),
            "game-session" => plain(Self::GameSession),
            "garbage" => plain(Self::Garbage),
            "restart-warning" => plain(Self::RestartWarning),
            "outage" => {
                let span = argument.and_then(|span| span.split_once(','));
                let (after, lasting) =
                    span.ok_or("fault outage needs two durations, such as outage:60s,10s")?;
                Ok(Self::Outage {
                    after: parse_duration(after)?,
                    lasting: parse_duration(lasting)?,
                })
            }
            "tools-missing" => duration(TOOLS_MISSING).map(Self::ToolsMissing),
            "rpc-error" => plain(Self::RpcError),
            _ => Err(format!(
                "unknown fault `{name}`; known are {}",
                NAMES.join(", ")
            )),
        }
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (head, argument) = match text.split_once(':') {
            Some((head, argument)) => (head, Some(argument)),
            None => (text, None),
        };
        let (name, probability) = match head.split_once('@') {
            Some((name, probability)) => (name, read_probability(probability)?),
            None => (head, 1.0),
        };
        Ok(Self {
            kind: Kind::read(name, argument)?,
            probability,
        })
    }
}

fn read_probability(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|probability| (0.0..=1.0).contains(probability))
        .ok_or_else(|| {
            format!("`{text}` is no probability; give a number from 0 to 1, such as 0.05")
        })
}

fn seconds(text: &str) -> Result<u64, String> {
    text.trim_end_matches('s')
        .parse()
        .map_err(|_| format!("`{text}` is no number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Fault, String> {
        text.parse()
    }

    #[test]
    fn every_part_but_the_kind_may_be_left_out() {
        let full = read("http-429@0.25:7").unwrap();
        assert_eq!(full.kind, Kind::Http429 { retry_after: 7 });
        assert_eq!(full.probability, 0.25);
        assert_eq!(read("hang").unwrap().kind, Kind::Hang(HANG));
        assert_eq!(
            read("hang@1:2s").unwrap().kind,
            Kind::Hang(Duration::from_secs(2))
        );
        assert_eq!(read("drop").unwrap().probability, 1.0);
    }

    #[test]
    fn every_known_name_is_read_and_written_alike() {
        for name in NAMES {
            let text = name
                .replace(['[', ']'], "")
                .replace("SECONDS", "3")
                .replace("DURATION", "3s")
                .replace("AFTER", "1s");
            let fault = read(&text).unwrap();
            assert!(text.starts_with(fault.kind.name()));
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_right() {
        let words = |text| read(text).unwrap_err();
        assert!(
            words("http-501").contains("unknown fault `http-501`; known are http-500, http-429")
        );
        assert!(words("drop:3s").contains("takes no argument"));
        assert!(words("drop@2").contains("from 0 to 1"));
        assert!(words("slow").contains("slow:2s"));
        assert!(words("outage:5s").contains("outage:60s,10s"));
        assert!(words("hang:5 parsecs").contains("a duration looks like"));
    }
}
