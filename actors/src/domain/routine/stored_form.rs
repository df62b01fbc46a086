//! The stored form of a routine, which is written once for all checkpoints that contain it, and what a checkpoint may
//! do without.

use std::sync::OnceLock;

use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};

use super::Routine;
use super::writing::to_json;

/// The stored form. A copy of the routine may be changed, so it has none yet.
#[derive(Debug, Default)]
pub(super) struct StoredForm(OnceLock<Box<RawValue>>);

impl Clone for StoredForm {
    fn clone(&self) -> StoredForm {
        StoredForm::default()
    }
}

/// It follows from the rest of a routine, so it makes none different.
impl PartialEq for StoredForm {
    fn eq(&self, _other: &StoredForm) -> bool {
        true
    }
}

impl Routine {
    pub(super) fn stored_form(&self) -> &RawValue {
        let StoredForm(text) = &self.stored_form;
        text.get_or_init(|| {
            // A value always has a text.
            to_raw_value(&to_json(self)).unwrap_or_else(|_| RawValue::NULL.to_owned())
        })
    }
}

/// A part that is only shown, or learnt again.
pub(super) fn shown<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    let text = <&'de RawValue>::deserialize(from)?.get();
    Ok(serde_json::from_str(text).unwrap_or_default())
}
