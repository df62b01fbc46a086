//! Statistics of requests and answers, counted for `/stats` and `/faults`, and recorded line by
//! line.

use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::faults::PilotFaultKind;
use super::options::PilotOptions;
use super::wire::WireUsage;

const MAX_KEPT_REASONS: usize = 20;

/// The number of callers that are counted separately. All later ones are counted as one.
const MAX_COUNTED_CALLERS: usize = 65_536;

/// The recorded status of a request whose caller went away before the answer.
const CALLER_GONE_STATUS: u16 = 499;

#[derive(Debug)]
pub(super) struct RequestStats {
    started: Instant,
    tallies: Mutex<RequestCounters>,
    record: Option<Mutex<File>>,
    keeps_bodies: bool,
}

#[derive(Debug, Default)]
struct RequestCounters {
    requests: u64,
    in_flight: u64,
    most_in_flight: u64,
    statuses: BTreeMap<u16, u64>,
    refused: u64,
    reasons: VecDeque<String>,
    reported: WireUsage,
    faults: BTreeMap<&'static str, u64>,
    callers: HashMap<String, u64>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct RequestRecord {
    pub(super) n: u64,
    /// Milliseconds from the server's start to the arrival of the request.
    pub(super) at_ms: u64,
    pub(super) caller: String,
    /// The agent's name, if the system prompt tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<String>,
    pub(super) messages: usize,
    pub(super) bytes: usize,
    pub(super) valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<String>,
    pub(super) status: u16,
    /// The usage as it was sent, valid or not; null where none was sent.
    pub(super) usage: Value,
    pub(super) tool_calls: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reply: Option<String>,
    /// The names of the applied faults, joined by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Value>,
}

/// A request that is being answered. Dropping it before it is closed records that its caller went
/// away.
#[derive(Debug)]
pub(super) struct InFlightRequest {
    stats: Arc<RequestStats>,
    line: Option<RequestRecord>,
}

impl RequestStats {
    /// Opens the statistics. The record continues after the lines that the file already has.
    pub(super) fn open(options: &PilotOptions) -> anyhow::Result<Self> {
        let record = match &options.record {
            None => None,
            Some(path) => Some(Mutex::new(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(path)
                    .with_context(|| format!("open record {}", path.display()))?,
            )),
        };
        let counts = options.faults.iter().map(|fault| (fault.kind.name(), 0));
        Ok(Self {
            started: Instant::now(),
            tallies: Mutex::new(RequestCounters {
                faults: counts.collect(),
                ..RequestCounters::default()
            }),
            record,
            keeps_bodies: options.keeps_bodies,
        })
    }

    pub(super) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn keeps_bodies(&self) -> bool {
        self.keeps_bodies
    }

    pub(super) fn begin_request(self: &Arc<Self>) -> InFlightRequest {
        let n = {
            let mut tallies = self.tallies.lock();
            tallies.requests += 1;
            tallies.in_flight += 1;
            tallies.most_in_flight = tallies.most_in_flight.max(tallies.in_flight);
            tallies.requests
        };
        InFlightRequest {
            stats: Arc::clone(self),
            line: Some(RequestRecord {
                n,
                at_ms: u64::try_from(self.uptime().as_millis()).unwrap_or(u64::MAX),
                ..RequestRecord::default()
            }),
        }
    }

    /// The number of this request among those of its caller, from 1.
    pub(super) fn next_ordinal(&self, caller: &str) -> u64 {
        let mut tallies = self.tallies.lock();
        let is_known = tallies.callers.contains_key(caller);
        let caller = if is_known || tallies.callers.len() < MAX_COUNTED_CALLERS {
            caller
        } else {
            ""
        };
        let count = tallies.callers.entry(caller.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub(super) fn count_faults(&self, faults: &[PilotFaultKind]) {
        let mut tallies = self.tallies.lock();
        for fault in faults {
            *tallies.faults.entry(fault.name()).or_default() += 1;
        }
    }

    /// The body of `/faults`.
    pub(super) fn faults_json(&self) -> Value {
        json!(self.tallies.lock().faults)
    }

    /// The body of `/stats`.
    pub(super) fn stats_json(&self) -> Value {
        let tallies = self.tallies.lock();
        json!({
            "requests": tallies.requests,
            "in_flight": tallies.in_flight,
            "most_in_flight": tallies.most_in_flight,
            "statuses": tallies.statuses,
            "refused": tallies.refused,
            "reasons": tallies.reasons,
            "tokens_in": tallies.reported.prompt,
            "tokens_cached": tallies.reported.cached,
            "tokens_out": tallies.reported.completion,
        })
    }

    fn close_request(&self, line: &RequestRecord, reported: Option<WireUsage>) {
        {
            let mut tallies = self.tallies.lock();
            tallies.in_flight -= 1;
            *tallies.statuses.entry(line.status).or_default() += 1;
            if let Some(reported) = reported {
                tallies.reported.prompt += reported.prompt;
                tallies.reported.completion += reported.completion;
                tallies.reported.cached += reported.cached;
            }
            if let Some(refusal) = line.refusal.as_ref().filter(|_| line.status == 400) {
                tallies.refused += 1;
                tallies.reasons.truncate(MAX_KEPT_REASONS - 1);
                tallies.reasons.push_front(refusal.clone());
            }
        }
        if let Some(file) = &self.record
            && let Err(error) = write_record(file, line)
        {
            tracing::error!(%error, n = line.n, "failed to write the record");
        }
    }
}

fn write_record(file: &Mutex<File>, line: &RequestRecord) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.lock().write_all(&text)
}

impl InFlightRequest {
    /// Describes the request and its answer, in case its caller goes away before the answer is
    /// sent.
    pub(super) fn describe(&mut self, line: RequestRecord) {
        let (n, at_ms) = self
            .line
            .as_ref()
            .map_or((0, 0), |known| (known.n, known.at_ms));
        self.line = Some(RequestRecord { n, at_ms, ..line });
    }

    /// Records the answer, which is about to leave, and the token counts that the caller gets.
    pub(super) fn close(mut self, reported: Option<WireUsage>) {
        if let Some(line) = self.line.take() {
            self.stats.close_request(&line, reported);
        }
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            let unsent = RequestRecord {
                status: CALLER_GONE_STATUS,
                usage: Value::Null,
                tool_calls: Vec::new(),
                reply: None,
                ..line
            };
            self.stats.close_request(&unsent, None);
        }
    }
}
