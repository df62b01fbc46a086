//! Texts that are held back from models.

use std::borrow::Cow;

use actors::domain::held::HeldText;
use actors::domain::ids::MysisId;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct HeldTextJson<'a> {
    pub id: String,
    /// The provider that does not get it.
    pub provider: Cow<'a, str>,
    /// The model that does not get it.
    pub model: Cow<'a, str>,
    pub text: String,
    pub said: Cow<'a, str>,
    /// What proves that it is this text.
    pub proof: Cow<'a, str>,
    pub since: String,
    /// When it was tried last.
    pub tried_at: String,
    /// The Mysis whose row has it; `None` if that was deleted.
    pub mysis: Option<Cow<'a, str>>,
    pub seq: i64,
    /// Whether only the requests of this Mysis are without it.
    pub only_there: bool,
}

impl<'a> HeldTextJson<'a> {
    /// The texts that are held back, without those that the operator forgot. A deleted Mysis has no name.
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
            provider: held.provider.as_ref().into(),
            model: held.model.as_ref().into(),
            text: held.shown(),
            said: held.said.as_ref().into(),
            proof: held.proof.as_ref().into(),
            since: held.at.to_string(),
            tried_at: held.at.max(held.doubted_at).to_string(),
            mysis: mysis.map(Cow::from),
            seq: held.seq.0,
            only_there: held.is_local,
        }
    }
}
