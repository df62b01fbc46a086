//! Stored forms that serde does not derive: enums by their words, and structs as lists of their members.

/// Serializes an enum by its words (`as_str`).
#[macro_export]
macro_rules! stored_by_word {
    ($kind:ty) => {
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(from)?;
                let mut all = <$kind as strum::VariantArray>::VARIANTS.iter().copied();
                all.find(|one| one.as_str() == word)
                    .ok_or_else(|| serde::de::Error::custom("it is none of its words"))
            }
        }
    };
}

/// Serializes a struct as the list of these members, as which serde reads it by itself.
#[macro_export]
macro_rules! stored_as_list {
    ($kind:ty: $($member:ident),+) => {
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&($(&self.$member),+), to)
            }
        }
    };
}
