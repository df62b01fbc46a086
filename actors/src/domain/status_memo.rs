//! The status of a Mysis as one process writes it down for the others of its fleet: as serde writes it, beside the
//! members that belong to no other.
//!
//! Processes of several versions run side by side during an update, so each member is read by itself:
//! one that is missing or not understood has its default.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::event::MysisStatus;
use crate::game::GameRef;
use crate::ids::{CallKey, MysisId, Seq};
use crate::record::MysisProfile;
use crate::routine::RunSource;

#[derive(Default, Deserialize)]
#[serde(default)]
struct ProfileInForce {
    provider: Arc<str>,
    own_model: Option<Arc<str>>,
    own_temperature: Option<f32>,
    role: Option<Arc<str>>,
}

/// The status as text.
///
/// # Panics
/// Never: its members are texts, numbers and lists of them.
pub fn to_text(status: &MysisStatus) -> String {
    let mut memo = serde_json::to_value(status).expect("its members can be written");
    memo["provider"] = json!(*status.profile.provider);
    memo["own_model"] = json!(status.profile.model.as_deref());
    memo["own_temperature"] = json!(status.profile.temperature);
    memo["role"] = json!(status.profile.role.as_deref());
    if let Some(game) = status.game.and_then(GameRef::stored_key) {
        memo["game"] = game.into();
    }
    memo.to_string()
}

/// Reads a status; `None` if it is none of this Mysis.
pub fn from_text(mysis: MysisId, text: &str) -> Option<MysisStatus> {
    let mut read: Value = serde_json::from_str(text).ok()?;
    let name: Arc<str> = read["name"].as_str()?.into();
    if let Some(summary) = read["activity"]["asked"].as_str() {
        let text = format!("{summary}; answer it at the process that runs it");
        read["activity"] = json!({ "paused": text });
    }
    let game = read["game"].as_str();
    let game = game.map(|key| GameRef::of_key(Some(key)));
    let in_force: ProfileInForce = understood(&read);
    let mut status: MysisStatus = understood(&read);
    let own = Arc::make_mut(&mut status.own_profile);
    let has_own = !own.provider.is_empty();
    own.name = name.clone();
    let profile = Arc::new(MysisProfile {
        name,
        provider: in_force.provider,
        model: in_force.own_model,
        temperature: in_force.own_temperature,
        role: in_force.role,
        follows_role: !has_own || own.follows_role,
    });
    if !has_own {
        status.own_profile = profile.clone();
    }
    status.id = mysis;
    (!status.name.is_empty()).then_some(MysisStatus {
        profile,
        game,
        ..status
    })
}

/// What of it is understood. A member that is not has its default.
fn understood<T: Default + for<'de> Deserialize<'de>>(read: &Value) -> T {
    T::deserialize(read).unwrap_or_else(|_| {
        let members = read.as_object().into_iter().flatten();
        let known: Map<String, Value> = members
            .map(|(name, value)| (name.clone(), value.clone()))
            .filter(|member| {
                T::deserialize(Value::Object([member.clone()].into_iter().collect())).is_ok()
            })
            .collect();
        T::deserialize(Value::Object(known)).unwrap_or_default()
    })
}

/// By its word. Whose call it is stays with its process.
impl Serialize for RunSource {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RunSource {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RunSource, D::Error> {
        let (seq, position) = (Seq(0), 0);
        Ok(match &*String::deserialize(from)? {
            "model" => RunSource::Model(CallKey { seq, position }),
            "runtime" => RunSource::Runtime,
            "operator" => RunSource::Operator,
            other => return Err(Error::custom(format!("`{other}` begins no routine"))),
        })
    }
}

#[cfg(test)]
mod tests;
