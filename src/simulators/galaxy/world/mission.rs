//! Missions: the tasks that stations offer, and the progress of pilots with them.

mod templates;

use serde::{Deserialize, Serialize};

use super::{
    atlas::{Atlas, BaseIx},
    calendar::DAY,
    catalogue::{CatalogueItem, Skill},
    id::Id,
};

/// The largest number of missions that a pilot has at once.
pub(super) const MAX_ACTIVE_MISSIONS: usize = 5;

#[derive(Debug)]
pub(super) struct MissionTemplate {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: &'static str,
    pub(super) difficulty: u64,
    pub(super) giver: (&'static str, &'static str),
    pub(super) task: MissionTask,
    pub(super) credits: u64,
    pub(super) skill: Skill,
    pub(super) xp: u64,
    pub(super) dialog: MissionDialog,
    pub(super) is_repeatable: bool,
    pub(super) chain_next: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MissionTask {
    /// Bring this many of an item to the station that offered the mission.
    Deliver(&'static str, u64),
    /// Mine this many units of anything.
    Mine(u64),
    /// Sell this many units of anything.
    Sell(u64),
    /// Enter this many systems for the first time.
    Survey(u64),
}

#[derive(Debug)]
pub(super) struct MissionDialog {
    pub(super) offer: &'static str,
    pub(super) accept: &'static str,
    pub(super) decline: &'static str,
    pub(super) complete: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MissionDeed {
    Mined(u64),
    Sold(u64),
    Surveyed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct TemplateId(usize);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ActiveMission {
    pub(super) id: Id,
    template: TemplateId,
    pub(super) base: BaseIx,
    pub(super) accepted: u64,
    /// The progress in acts. Deliveries are counted when the mission is shown or completed.
    pub(super) done: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CompletedMission {
    template: TemplateId,
    pub(super) at: u64,
}

impl MissionTemplate {
    /// The offers of this base. A delivery is offered only if belts of the base's own system yield
    /// the item.
    pub(super) fn offers_at(atlas: &Atlas, base: BaseIx) -> impl Iterator<Item = &'static Self> {
        templates::ALL
            .iter()
            .filter(move |template| template.is_offered(atlas, base))
    }

    /// Whether a pilot with these completed missions may take this one (again).
    pub(super) fn is_open_to(&self, completed: &[CompletedMission]) -> bool {
        self.is_repeatable || completed.iter().all(|done| done.template().id != self.id)
    }

    fn template_id(&self) -> TemplateId {
        let at = templates::ALL
            .iter()
            .position(|template| template.id == self.id);
        TemplateId(at.expect("templates exist in the table only"))
    }

    fn is_offered(&self, atlas: &Atlas, base: BaseIx) -> bool {
        let base = atlas.base(base);
        match self.task {
            MissionTask::Deliver(item, _) => {
                let system = atlas.system(atlas.poi(base.poi).system);
                let mut pois = system.pois.iter().map(|poi| atlas.poi(*poi));
                let item = CatalogueItem::known(item);
                base.is_home && pois.any(|poi| poi.deposits.iter().any(|found| found.item == item))
            }
            MissionTask::Mine(_) => base.is_home,
            MissionTask::Sell(_) | MissionTask::Survey(_) => true,
        }
    }
}

impl MissionTask {
    pub(super) fn required_count(self) -> u64 {
        match self {
            Self::Deliver(_, count)
            | Self::Mine(count)
            | Self::Sell(count)
            | Self::Survey(count) => count,
        }
    }

    pub(super) fn item(self) -> Option<CatalogueItem> {
        match self {
            Self::Deliver(item, _) => Some(CatalogueItem::known(item)),
            Self::Mine(_) | Self::Sell(_) | Self::Survey(_) => None,
        }
    }

    /// The type of the objective on the wire.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Deliver(..) => "deliver_item",
            Self::Mine(_) => "mine_resource",
            Self::Sell(_) => "sell_items",
            Self::Survey(_) => "visit_systems",
        }
    }

    pub(super) fn describe(self) -> String {
        match self {
            Self::Deliver(item, count) => {
                format!("Deliver {count} {}", CatalogueItem::known(item).name())
            }
            Self::Mine(count) => format!("Mine {count} units of any resource"),
            Self::Sell(count) => format!("Sell {count} units of anything"),
            Self::Survey(count) => format!("Visit {count} systems that are new to you"),
        }
    }
}

impl ActiveMission {
    pub(super) fn new(id: Id, template: &MissionTemplate, base: BaseIx, now: u64) -> Self {
        Self {
            id,
            template: template.template_id(),
            base,
            accepted: now,
            done: 0,
        }
    }

    pub(super) fn template(&self) -> &'static MissionTemplate {
        self.template.template()
    }

    pub(super) fn has_id(&self, id: &str) -> bool {
        self.template().id == id || self.id.to_string() == id
    }

    pub(super) fn expiry_tick(&self) -> u64 {
        self.accepted + DAY
    }

    pub(super) fn count_deed(&mut self, deed: MissionDeed) {
        match (self.template().task, deed) {
            (MissionTask::Mine(_), MissionDeed::Mined(count))
            | (MissionTask::Sell(_), MissionDeed::Sold(count)) => {
                self.done += count;
            }
            (MissionTask::Survey(_), MissionDeed::Surveyed) => self.done += 1,
            (
                MissionTask::Deliver(..)
                | MissionTask::Mine(_)
                | MissionTask::Sell(_)
                | MissionTask::Survey(_),
                MissionDeed::Mined(_) | MissionDeed::Sold(_) | MissionDeed::Surveyed,
            ) => {}
        }
    }
}

impl CompletedMission {
    pub(super) fn new(template: &MissionTemplate, at: u64) -> Self {
        Self {
            template: template.template_id(),
            at,
        }
    }

    pub(super) fn template(&self) -> &'static MissionTemplate {
        self.template.template()
    }
}

impl TemplateId {
    fn template(self) -> &'static MissionTemplate {
        &templates::ALL[self.0]
    }
}

impl From<TemplateId> for String {
    fn from(named: TemplateId) -> Self {
        named.template().id.to_owned()
    }
}

impl TryFrom<String> for TemplateId {
    type Error = String;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        let at = templates::ALL.iter().position(|template| template.id == id);
        at.map(Self)
            .ok_or_else(|| format!("unknown mission `{id}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{dice::Dice, empire::Empire};

    #[test]
    fn every_home_wants_iron_and_templates_are_sound() {
        let atlas = Atlas::new(Dice::new(1));
        for empire in Empire::ALL {
            let offered: Vec<&str> = MissionTemplate::offers_at(&atlas, atlas.home_base(empire))
                .map(|template| template.id)
                .collect();
            assert!(offered.contains(&"iron_supply_run"), "{empire:?}");
        }
        for template in templates::ALL {
            assert_eq!(
                TemplateId::try_from(template.id.to_owned()),
                Ok(template.template_id())
            );
            assert!(template.task.required_count() > 0);
            let next = template
                .chain_next
                .map(|next| TemplateId::try_from(next.to_owned()));
            assert!(next.is_none_or(|next| next.is_ok()));
            if let Some(item) = template.task.item() {
                assert!(item.value() > 0);
            }
        }
    }
}
