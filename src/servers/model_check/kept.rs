//! Kept proofs: what proofs learnt, in a small file of the home, for the swarm's first requests.

use std::io;
use std::path::Path;

use reqwest::Url;
use serde::{Deserialize, Serialize};
use thiserror::Error;
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
    #[serde(flatten)]
    lessons: CheckLessons,
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

    pub fn lessons(&self, endpoint: &str, model: &str) -> Option<CheckLessons> {
        let server = shown_server(endpoint);
        let mut kept = self.0.iter();
        let kept = kept.find(|kept| kept.server == server && kept.model == model)?;
        Some(kept.lessons)
    }

    /// Adds what a proof learnt, in place of what was known about that server and model.
    #[must_use]
    pub fn with(mut self, target: &CheckTarget, check_result: &ModelCheck) -> KeptChecks {
        let (server, model) = (target.server(), target.model.to_string());
        self.0
            .retain(|kept| kept.server != server || kept.model != model);
        let kept = KeptCheck {
            server,
            model,
            at: chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
            plays: check_result.report.verdict.plays(),
            lessons: check_result.lessons,
        };
        self.0.insert(0, kept);
        self.0.truncate(MAX_KEPT_PROOFS);
        self
    }

    /// The text of the file.
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
