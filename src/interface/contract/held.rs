//! Texts that are held back from models.

use actors::domain::held::HeldText;
use actors::domain::ids::MysisId;
use serde::Serialize;

/// A text in `held --json`.
#[derive(Debug, Serialize)]
pub struct HeldTextJson<'a> {
    id: String,
    provider: &'a str,
    model: &'a str,
    text: String,
    said: &'a str,
    proof: &'a str,
    since: String,
    tried_at: String,
    mysis: Option<&'a str>,
    seq: i64,
    only_there: bool,
}

impl<'a> HeldTextJson<'a> {
    /// The texts that are held back, without those that the operator forgot. A deleted Mysis has no name.
    #[must_use]
    pub fn list(
        texts: &'a [HeldText],
        name_of: impl Fn(MysisId) -> Option<&'a str>,
    ) -> Vec<HeldTextJson<'a>> {
        let texts = texts.iter().filter(|held| !held.is_forgotten());
        texts
            .map(|held| HeldTextJson::new(held, name_of(held.mysis)))
            .collect()
    }

    fn new(held: &'a HeldText, mysis: Option<&'a str>) -> Self {
        HeldTextJson {
            id: held.id(),
            provider: &held.provider,
            model: &held.model,
            text: held.shown(),
            said: &held.said,
            proof: &held.proof,
            since: held.at.to_string(),
            tried_at: held.at.max(held.doubted_at).to_string(),
            mysis,
            seq: held.seq.0,
            only_there: held.is_local,
        }
    }
}
