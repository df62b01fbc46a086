//! Skills: abilities that grow by use.

use serde::{Deserialize, Serialize};

use super::CATALOGUE;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Skill(u8);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SkillSpec {
    id: String,
    category: String,
    description: String,
}

pub(crate) fn xp_for_next(level: u64) -> u64 {
    35 * (level + 1) * (level + 1) + 25
}

impl Skill {
    pub(crate) const MINING: Self = Self(0);
    pub(crate) const NAVIGATION: Self = Self(1);
    pub(crate) const PILOTING: Self = Self(2);
    pub(crate) const EXPLORATION: Self = Self(3);
    pub(crate) const TRADING: Self = Self(4);
    pub(crate) const CRAFTING: Self = Self(5);
    pub(crate) const SCANNING: Self = Self(6);

    pub(crate) const MAX_LEVEL: u64 = 100;

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(CATALOGUE.skills.len())
    }

    pub(crate) fn id(self) -> &'static str {
        &CATALOGUE.skills[usize::from(self.0)].id
    }

    pub(crate) fn category(self) -> &'static str {
        &CATALOGUE.skills[usize::from(self.0)].category
    }

    pub(crate) fn description(self) -> &'static str {
        &CATALOGUE.skills[usize::from(self.0)].description
    }
}

impl From<Skill> for String {
    fn from(skill: Skill) -> Self {
        skill.id().to_owned()
    }
}

impl TryFrom<String> for Skill {
    type Error = String;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        Self::all()
            .find(|skill| skill.id() == id)
            .ok_or_else(|| format!("unknown skill `{id}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experience_follows_the_captured_values() {
        let captured: Vec<u64> = [0, 1, 2, 3, 4, 5, 8, 9, 99]
            .into_iter()
            .map(xp_for_next)
            .collect();
        assert_eq!(
            captured,
            [60, 165, 340, 585, 900, 1285, 2860, 3525, 350_025]
        );
    }

    #[test]
    fn the_named_skills_are_where_the_table_has_them() {
        assert_eq!(Skill::MINING.id(), "mining");
        assert_eq!(Skill::SCANNING.id(), "scanning");
        assert_eq!(Skill::try_from("crafting".to_owned()), Ok(Skill::CRAFTING));
        assert_eq!(Skill::all().count(), 28);
    }
}
