//! Enums by their words, and stored forms that serde does not derive.

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

/// Lists the variants of an enum, and reads them by their words (`as_str`).
#[macro_export]
macro_rules! read_by_word {
    ($visibility:vis $kind:ty) => {
        impl $kind {
            /// All of them, in their order.
            $visibility const ALL: [Self; <Self as strum::EnumCount>::COUNT] =
                *<Self as strum::VariantArray>::VARIANTS.first_chunk().expect("all");

            /// Reads the word; `None` if it is unknown.
            $visibility fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == word)
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
