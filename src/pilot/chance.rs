//! Chance that can be repeated: every draw follows from the seed and from what was asked, never from the moment.

use super::request::{Entry, Request};

/// Folds texts and numbers into 64 bits; the same folds give the same bits on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mix(u64);

impl Mix {
    pub(super) fn new(seed: u64) -> Self {
        Self(scatter(seed))
    }

    pub(super) fn number(self, number: u64) -> Self {
        Self(scatter(self.0 ^ number))
    }

    pub(super) fn text(self, text: &str) -> Self {
        let mut chunks = text.as_bytes().chunks_exact(8);
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
            .number(u64::from_le_bytes(rest))
            .number(text.len() as u64)
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn rng(self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.0)
    }
}

/// The finaliser of `splitmix64`.
fn scatter(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What the conversation says, in 64 bits. The ids of its calls do not count.
pub(super) fn fingerprint(seed: u64, entries: &[Entry<'_>]) -> Mix {
    entries
        .iter()
        .fold(Mix::new(seed), |mix, entry| match entry {
            Entry::System(text) => mix.number(1).text(text),
            Entry::User(text) => mix.number(2).text(text),
            Entry::Assistant { text, calls } => {
                calls.iter().fold(mix.number(3).text(text), |mix, asked| {
                    mix.text(asked.tool).text(asked.arguments)
                })
            }
            Entry::Result { text, .. } => mix.number(4).text(text),
        })
}

/// The fingerprint of the conversation up to the order that owns the turn: the same for every call of one turn.
pub(super) fn fingerprint_of_turn(seed: u64, request: &Request<'_>) -> Mix {
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
            mix.text(""),
            mix.text("ab").text("c"),
            mix.text("a").text("bc"),
            mix.text("abc"),
            mix.text("abc\0"),
            mix.text("12345678"),
            mix.text("12345678\0"),
            Mix::new(2).text("abc"),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{index}");
        }
    }

    #[test]
    fn the_bits_are_the_same_on_every_machine() {
        assert_eq!(
            Mix::new(7).text("mine the belt").bits(),
            0x9cb2_64b4_fe0d_a21f
        );
    }
}
