//! The skills of a pilot: levels and experience.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalogue::{Skill, xp_for_next};

/// A level, and the experience gathered since it was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SkillLevel {
    pub(super) level: u64,
    pub(super) xp: u64,
}

/// The skills that have been used at least once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SkillProgress {
    skills: BTreeMap<Skill, SkillLevel>,
    pub(super) experience: u64,
}

impl SkillProgress {
    pub(super) fn level(&self, skill: Skill) -> u64 {
        self.skills.get(&skill).map_or(0, |learnt| learnt.level)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Skill, SkillLevel)> {
        self.skills.iter().map(|(skill, learnt)| (*skill, *learnt))
    }

    /// Adds experience. Returns the new level, if one was reached.
    pub(super) fn gain_xp(&mut self, skill: Skill, xp: u64) -> Option<u64> {
        self.experience += xp;
        let learnt = self.skills.entry(skill).or_default();
        let before = learnt.level;
        learnt.xp += xp;
        while learnt.level < Skill::MAX_LEVEL && learnt.xp >= xp_for_next(learnt.level) {
            learnt.xp -= xp_for_next(learnt.level);
            learnt.level += 1;
        }
        (learnt.level > before).then_some(learnt.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_come_with_experience() {
        let mut progress = SkillProgress::default();
        assert_eq!(progress.gain_xp(Skill::MINING, 59), None);
        assert_eq!(progress.gain_xp(Skill::MINING, 1), Some(1));
        assert_eq!(progress.gain_xp(Skill::MINING, 165 + 340 + 3), Some(3));
        assert_eq!(progress.level(Skill::MINING), 3);
        assert_eq!(progress.iter().next().unwrap().1.xp, 3);
        assert_eq!(progress.experience, 60 + 508);
    }
}
