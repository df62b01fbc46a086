//! Skills: abilities that grow by use.

use serde::{Deserialize, Serialize};

/// A skill of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Skill(u8);

/// The experience that leads from this level to the next one.
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

    /// The highest level of every skill.
    pub(crate) const MAX_LEVEL: u64 = 100;

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(SKILLS.len())
    }

    pub(crate) fn id(self) -> &'static str {
        SKILLS[usize::from(self.0)].0
    }

    pub(crate) fn category(self) -> &'static str {
        SKILLS[usize::from(self.0)].1
    }

    pub(crate) fn description(self) -> &'static str {
        SKILLS[usize::from(self.0)].2
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

/// Id, category, and the effect of one level.
static SKILLS: [(&str, &str, &str); 28] = [
    ("mining", "industry", "+1% mining yield per level."),
    ("navigation", "ship", "Knowing the lanes."),
    ("piloting", "ship", "Handling a ship under way."),
    ("exploration", "ship", "Charting what nobody has seen."),
    ("trading", "commerce", "Reading the order books."),
    ("crafting", "industry", "Turning materials into goods."),
    ("scanning", "ship", "Seeing what others hide."),
    ("refining", "industry", "+1% refinery output per level."),
    ("gas_harvesting", "industry", "+1% gas yield per level."),
    ("ice_harvesting", "industry", "+1% ice yield per level."),
    ("deep_core_mining", "industry", "Working deep deposits."),
    ("engineering", "ship", "+1% power grid per level."),
    ("shields", "combat", "+1% shield per level."),
    ("armor", "combat", "+1% armor per level."),
    ("gunnery", "combat", "+1% kinetic damage per level."),
    ("lasers", "combat", "+1% energy damage per level."),
    ("missiles", "combat", "+1% explosive damage per level."),
    ("electronic_warfare", "combat", "Disrupting other ships."),
    ("tactics", "combat", "Keeping the right distance."),
    ("cloaking", "ship", "Staying unseen."),
    ("salvaging", "industry", "Taking wrecks apart."),
    ("towing", "industry", "Hauling wrecks home."),
    ("negotiation", "commerce", "Better standing with stations."),
    ("logistics", "commerce", "Moving much with little."),
    ("smuggling", "commerce", "Passing customs."),
    ("drones", "combat", "Commanding drones."),
    ("leadership", "social", "Leading a faction."),
    ("diplomacy", "social", "Dealing with empires."),
];

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
