//! The places of a system: described by hand where captures name them, generated elsewhere.

use super::{
    Atlas, AtlasPoi, Base, BaseIx, CatalogueItem, Deposit, Dice, Position, SystemIx, atlas_index,
    named::{NamedPlace, named_system},
    wild,
};

pub(super) fn furnish_system(atlas: &mut Atlas, system: SystemIx, dice: Dice) {
    let id = atlas.system(system).id.clone();
    let roll = dice.roll("places", &[u64::from(system.0)]);
    let named = named_system(&id);
    match named.and_then(|named| named.description.as_ref()) {
        Some(description) => atlas.set_description(system, description.clone()),
        None => wild::furnish_unnamed(atlas, system, roll),
    }
    for place in named.iter().flat_map(|named| &named.places) {
        add_named(atlas, system, place);
    }
}

fn add_named(atlas: &mut Atlas, system: SystemIx, place: &'static NamedPlace) {
    let deposits = place
        .deposits
        .iter()
        .map(|(item, richness, full)| Deposit {
            item: CatalogueItem::known(item),
            richness: *richness,
            full: *full,
        })
        .collect();
    let poi = atlas.add_poi(AtlasPoi {
        id: place.id.clone(),
        name: place.name.clone(),
        description: place.description.clone(),
        kind: place.kind,
        system,
        position: Position {
            x: place.at.0,
            y: place.at.1,
        },
        class: place.class.as_deref(),
        base: None,
        deposits,
    });
    let Some(base) = &place.base else {
        return;
    };
    let (empire, police_level) = {
        let system = atlas.system(system);
        (system.empire, system.police_level)
    };
    atlas.pois[usize::from(poi.0)].base = Some(BaseIx(atlas_index(atlas.bases.len())));
    atlas.bases.push(Base {
        id: base.id.clone(),
        name: base.name.clone(),
        description: base.description.clone(),
        poi,
        empire,
        defense_level: police_level,
        is_home: base.is_home,
    });
}
