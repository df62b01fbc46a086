//! Repeatable chance: every draw follows from the seed and the request, never from the time.

use super::request::{ChatEntry, PilotRequest};

/// Folds texts and numbers into 64 bits. The same folds give the same bits on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mix(u64);

impl Mix {
    pub(super) fn new(seed: u64) -> Self {
        Self(mix_bits(seed))
    }

    pub(super) fn with_number(self, number: u64) -> Self {
        Self(mix_bits(self.0 ^ number))
    }

    pub(super) fn with_text(self, text: &str) -> Self {
        self.with_bytes(text.as_bytes())
    }

    pub(super) fn with_bytes(self, bytes: &[u8]) -> Self {
        let mut chunks = bytes.chunks_exact(8);
        let mut state = self.0;
        for chunk in &mut chunks {
            let word = chunk.try_into().map_or(0, u64::from_le_bytes);
            state = (state ^ word)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
        let mut rest = [0; 8];
        rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        Self(state)
            .with_number(u64::from_le_bytes(rest))
            .with_number(bytes.len() as u64)
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn rng(self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.0)
    }
}

/// The finaliser of `splitmix64`.
fn mix_bits(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The content of the conversation in 64 bits, without the ids of its calls.
pub(super) fn fingerprint(seed: u64, entries: &[ChatEntry<'_>]) -> Mix {
    entries
        .iter()
        .fold(Mix::new(seed), |mix, entry| match entry {
            ChatEntry::System(text) => mix.with_number(1).with_text(text),
            ChatEntry::User(text) => mix.with_number(2).with_text(text),
            ChatEntry::Assistant { text, calls } => calls
                .iter()
                .fold(mix.with_number(3).with_text(text), |mix, asked| {
                    mix.with_text(asked.tool).with_text(asked.arguments)
                }),
            ChatEntry::Result { text, .. } => mix.with_number(4).with_text(text),
        })
}

/// The fingerprint of the conversation up to the order that owns the turn. It is the same for every
/// call of one turn.
pub(super) fn fingerprint_of_turn(seed: u64, request: &PilotRequest<'_>) -> Mix {
    let before = request.entries.len() - request.turn().len();
    fingerprint(seed, &request.entries[before.saturating_sub(3)..before])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_do_not_run_into_one_another() {
        let mix = Mix::new(1);
        let all = [
            mix,
            mix.with_text(""),
            mix.with_text("ab").with_text("c"),
            mix.with_text("a").with_text("bc"),
            mix.with_text("abc"),
            mix.with_text("abc\0"),
            mix.with_text("12345678"),
            mix.with_text("12345678\0"),
            Mix::new(2).with_text("abc"),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{index}");
        }
    }

    #[test]
    fn the_bits_are_the_same_on_every_machine() {
        assert_eq!(
            Mix::new(7).with_text("mine the belt").bits(),
            0x9cb2_64b4_fe0d_a21f
        );
    }
}
