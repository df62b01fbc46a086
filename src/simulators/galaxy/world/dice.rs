//! Chance: every roll is named by its purpose, so it never depends on other rolls.

use fastrand::Rng;

use super::id::Id;

/// The world's dice. Equal seed, topic and parts give equal rolls, in any order of rolling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dice {
    seed: u64,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The random numbers that belong to this topic and these parts.
    pub(super) fn roll(self, topic: &str, parts: &[u64]) -> Rng {
        let start = mix_word(self.seed, hash_text(topic));
        Rng::with_seed(
            parts
                .iter()
                .fold(start, |state, part| mix_word(state, *part)),
        )
    }

    pub(super) fn id(self, topic: &str, parts: &[u64]) -> Id {
        Id::new(self.roll(topic, parts).u128(..))
    }

    /// A password of 64 hexadecimal digits.
    pub(super) fn password(self, parts: &[u64]) -> String {
        let mut roll = self.roll("password", parts);
        format!("{:032x}{:032x}", roll.u128(..), roll.u128(..))
    }

    /// A factor on a price, 85 to 115 percent. It moves steadily from one hour's value to the next.
    pub(super) fn price_mood(self, parts: [u64; 2], tick: u64) -> u64 {
        const TICKS_PER_MOOD: u64 = 360;
        let (hour, past) = (tick / TICKS_PER_MOOD, tick % TICKS_PER_MOOD);
        let at = |hour| self.roll("mood", &[parts[0], parts[1], hour]).u64(85..=115);
        (at(hour) * (TICKS_PER_MOOD - past) + at(hour + 1) * past) / TICKS_PER_MOOD
    }
}

/// The hash of a text, the same on every machine (FNV-1a).
pub(super) fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One step of splitmix64 over the state and the next word.
fn mix_word(state: u64, word: u64) -> u64 {
    let mut z = state
        .rotate_left(23)
        .wrapping_add(word)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_give_equal_rolls_and_others_differ() {
        let dice = Dice::new(7);
        assert_eq!(dice.id("ship", &[1, 2]), dice.id("ship", &[1, 2]));
        assert_ne!(dice.id("ship", &[1, 2]), dice.id("ship", &[2, 1]));
        assert_ne!(dice.id("ship", &[1]), dice.id("player", &[1]));
        assert_ne!(dice.id("ship", &[1]), Dice::new(8).id("ship", &[1]));
        assert_eq!(dice.password(&[3]).len(), 64);
    }

    #[test]
    fn moods_drift_without_jumps() {
        let dice = Dice::new(7);
        for tick in 270_000..272_000 {
            let (now, next) = (
                dice.price_mood([1, 2], tick),
                dice.price_mood([1, 2], tick + 1),
            );
            assert!((85..=115).contains(&now));
            assert!(now.abs_diff(next) <= 1);
        }
    }
}
