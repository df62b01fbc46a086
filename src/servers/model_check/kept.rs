//! Kept proofs: what proofs learnt, in a small file of the home, for the swarm's first requests.

use std::io;
use std::path::Path;

use reqwest::Url;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zoea_provider::{LearntStyle, WireProfile};
use zoea_system::files;

use super::{CheckLessons, CheckTarget, ModelCheck};

const VERSION: u32 = 1;
/// The most servers and models that are kept. Beyond that the oldest are dropped.
const MAX_KEPT_PROOFS: usize = 64;
/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 10;

/// What proofs learnt, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptChecks(Vec<KeptCheck>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptCheck {
    server: String,
    model: String,
    at: String,
    plays: bool,
    no_system_role: bool,
    short_ids: bool,
    single_calls: bool,
    bare_calls: bool,
    reasoning_field: bool,
    #[serde(default)]
    completion_limit: bool,
    #[serde(default)]
    no_effort: bool,
    #[serde(default)]
    signatures: bool,
    #[serde(default)]
    bridges: bool,
    temperature: bool,
    streamed: bool,
    context_tokens: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct KeptFile {
    version: u32,
    proofs: Vec<KeptCheck>,
}

/// Why the file cannot be used. It is ignored, and the next proof writes it anew.
#[derive(Debug, Error)]
pub enum KeptChecksError {
    /// The file cannot be read.
    #[error("{file} cannot be read ({cause}) and is ignored")]
    Unreadable { file: String, cause: io::Error },
    #[error(
        "{file} holds no test results that this version can read; it is ignored, and the next \
         `zoea doctor --prove` replaces it"
    )]
    Unknown { file: String },
}

impl KeptChecks {
    /// Reads the file; empty if there is none.
    ///
    /// # Errors
    /// It cannot be read, or has another content.
    pub fn read(file: &Path) -> Result<KeptChecks, KeptChecksError> {
        let name = || file.display().to_string();
        let text = match files::read_text(file, MAX_FILE_BYTES) {
            Ok(text) => text,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(cause) => {
                return Err(KeptChecksError::Unreadable {
                    file: name(),
                    cause,
                });
            }
        };
        match serde_json::from_str::<KeptFile>(&text) {
            Ok(kept) if kept.version == VERSION => Ok(KeptChecks(kept.proofs)),
            Ok(_) | Err(_) => Err(KeptChecksError::Unknown { file: name() }),
        }
    }

    #[must_use]
    pub fn lessons(&self, endpoint: &str, model: &str) -> Option<CheckLessons> {
        let server = shown_server(endpoint);
        let mut kept = self.0.iter();
        let kept = kept.find(|kept| kept.server == server && kept.model == model)?;
        Some(CheckLessons {
            style: LearntStyle {
                profile: WireProfile {
                    has_no_system_role: kept.no_system_role,
                    wants_short_ids: kept.short_ids,
                    wants_single_calls: kept.single_calls,
                    wants_bare_calls: kept.bare_calls,
                    wants_reasoning: kept.reasoning_field,
                    wants_completion_limit: kept.completion_limit,
                    wants_no_effort: kept.no_effort,
                    wants_signatures: kept.signatures,
                    wants_bridges: kept.bridges,
                },
                has_temperature: kept.temperature,
                is_streamed: kept.streamed,
            },
            context_tokens: kept.context_tokens,
        })
    }

    /// Adds what a proof learnt, in place of what was known about that server and model.
    #[must_use]
    pub fn with(mut self, target: &CheckTarget, check_result: &ModelCheck) -> KeptChecks {
        let (server, model) = (target.server(), target.model.to_string());
        self.0
            .retain(|kept| kept.server != server || kept.model != model);
        let style = check_result.lessons.style;
        let kept = KeptCheck {
            server,
            model,
            at: chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
            plays: check_result.report.verdict.plays(),
            no_system_role: style.profile.has_no_system_role,
            short_ids: style.profile.wants_short_ids,
            single_calls: style.profile.wants_single_calls,
            bare_calls: style.profile.wants_bare_calls,
            reasoning_field: style.profile.wants_reasoning,
            completion_limit: style.profile.wants_completion_limit,
            no_effort: style.profile.wants_no_effort,
            signatures: style.profile.wants_signatures,
            bridges: style.profile.wants_bridges,
            temperature: style.has_temperature,
            streamed: style.is_streamed,
            context_tokens: check_result.lessons.context_tokens,
        };
        self.0.insert(0, kept);
        self.0.truncate(MAX_KEPT_PROOFS);
        self
    }

    /// The text of the file.
    ///
    /// # Errors
    /// No error is known to happen.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let file = KeptFile {
            version: VERSION,
            proofs: self.0.clone(),
        };
        Ok(serde_json::to_string_pretty(&file)? + "\n")
    }
}

/// A server's address without parts that may be secret. It identifies the server.
pub(super) fn shown_server(endpoint: &str) -> String {
    match Url::parse(endpoint) {
        Ok(url) => zoea_http::shown_address(&url),
        Err(_) => "an address that cannot be read".to_string(),
    }
}
