//! The place at which a request begins when not all of it fits.
//!
//! A provider's cache keeps the beginning of a request as long as it stays the same. If each
//! request dropped just as much as it must, every request would begin elsewhere. So more is dropped
//! at once, and then nothing for long. The place depends only on what there is to keep, so that
//! another process finds the same one.

use std::cmp::Reverse;

/// Something that is kept or dropped as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Its number, larger than that of any older block.
    pub(super) number: i64,
    pub(super) bytes: usize,
}

/// The first block, in order of age, that is kept within a limit of bytes; the number of blocks if
/// none is. If not all fit, at least half of the limit stays in use, unless a single block takes
/// more.
///
/// Of the blocks at which the kept part could begin, it is the one whose number steps over the
/// largest power of two. As blocks are added, older ones leave that choice and newer ones join it,
/// but the same one is the answer until it has to go or one that steps over more has come.
pub(super) fn first_kept(blocks: &[Block], limit: usize) -> usize {
    let first = first_within(blocks, limit);
    if first == 0 || first == blocks.len() {
        return first;
    }
    let last = first_within(blocks, limit / 2).min(blocks.len() - 1);
    let step = |place: &usize| {
        let (before, own) = (blocks[place - 1].number, blocks[*place].number);
        (Reverse((before ^ own).leading_zeros()), Reverse(*place))
    };
    (first..=last).max_by_key(step).unwrap_or(first)
}

/// The first block from which on all fit into a limit of bytes.
pub(super) fn first_within(blocks: &[Block], limit: usize) -> usize {
    let mut bytes = 0_usize;
    let is_too_much = |block: &Block| {
        bytes = bytes.saturating_add(block.bytes);
        bytes > limit
    };
    let older = blocks.iter().rposition(is_too_much);
    older.map_or(0, |place| place + 1)
}

/// A limit of bytes rounded down by at most a quarter, so that it stays the same while what it is
/// computed from changes a little.
pub(super) fn round_limit(bytes: usize) -> usize {
    let step = (bytes / 4 + 1).next_power_of_two() / 2;
    bytes - bytes % step.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(sizes: impl IntoIterator<Item = usize>) -> Vec<Block> {
        let numbered = (1..).zip(sizes);
        let block = |(number, bytes)| Block { number, bytes };
        numbered.map(block).collect()
    }

    #[test]
    fn what_fits_is_kept_and_what_fits_alone_too() {
        assert_eq!(first_kept(&[], 0), 0);
        assert_eq!(first_kept(&blocks([5, 5]), 10), 0);
        assert_eq!(first_kept(&blocks([9, 9, 9]), 10), 2);
        assert_eq!(
            first_kept(&blocks([1, 11]), 10),
            2,
            "the newest is too large"
        );
    }

    #[test]
    fn the_beginning_moves_forward_rarely_and_by_much() {
        let sizes = |count: usize| (0..count).map(|place| 50 + place * 7919 % 100);
        let mut starts = Vec::new();
        for count in 1..400 {
            let all = blocks(sizes(count));
            let start = first_kept(&all, 2000);
            let kept: usize = all[start..].iter().map(|block| block.bytes).sum();
            assert!(kept <= 2000, "{kept} of {count}");
            assert!(start == 0 || kept >= 850, "{kept} of {count}");
            starts.push(start);
            // Whoever knows only the newest blocks, and one that does not fit, finds the same.
            let known = first_within(&all, 2000).saturating_sub(1);
            let found = known + first_kept(&all[known..], 2000);
            assert_eq!(found, start, "{count}");
        }
        assert!(starts.is_sorted(), "{starts:?}");
        let moves = starts.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!((20..=60).contains(&moves), "{moves} of 400");
    }

    #[test]
    fn a_limit_is_rounded_by_less_than_a_quarter_and_small_changes_move_it_rarely() {
        assert_eq!([0, 1, 3, 1 << 14].map(round_limit), [0, 1, 3, 1 << 14]);
        let mut different = 1;
        for bytes in 10_001..20_000_usize {
            let rounded = round_limit(bytes);
            assert!(rounded <= bytes && rounded > bytes * 3 / 4, "{rounded}");
            different += usize::from(rounded != round_limit(bytes - 1));
        }
        assert!(different <= 6, "{different}");
    }
}
