//! Mutations: the needs of each one, and the code that carries it out.

pub(super) mod craft;
pub(super) mod dock;
pub(super) mod mine;
pub(super) mod missions;
pub(super) mod scan;
pub(super) mod self_destruct;
pub(super) mod service;
pub(super) mod storage;
pub(super) mod trade;
pub(super) mod travel;

use serde_json::Value;

pub(super) use self::{
    dock::{auto_dock, auto_undock},
    travel::end_voyage,
};
use super::{
    GameRefusal, PlayerId, World,
    catalogue::{CatalogueItem, Recipe},
    unimplemented,
};

#[derive(Debug)]
pub(super) enum Mutation {
    AcceptMission(String),
    Buy(ItemQuantity, PurchaseDelivery),
    CompleteMission(String),
    Craft(&'static Recipe, u64),
    Deposit(ItemQuantity),
    Dock,
    Jettison(ItemQuantity),
    Jump(String),
    Mine,
    Refuel(Option<ItemQuantity>),
    Repair,
    Scan(String),
    SelfDestruct,
    Sell(ItemQuantity),
    Travel(String),
    Undock,
    UseItem(ItemQuantity),
    Withdraw(ItemQuantity),
    /// A command that is listed but not simulated. It is refused when its tick comes.
    Unplayed(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ItemQuantity {
    pub(super) item: CatalogueItem,
    pub(super) quantity: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PurchaseDelivery {
    Cargo,
    Storage,
}

/// The berth that a command needs. The server docks or undocks the ship if it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequiredBerth {
    Docked,
    Space,
    Either,
}

#[derive(Debug)]
pub(super) enum MutationResult {
    Answer(Value),
    /// The answer comes when the ship arrives.
    UnderWay,
}

impl Mutation {
    pub(super) fn required_berth(&self) -> RequiredBerth {
        match self {
            Self::AcceptMission(_)
            | Self::Buy(..)
            | Self::CompleteMission(_)
            | Self::Craft(..)
            | Self::Deposit(_)
            | Self::Repair
            | Self::Sell(_)
            | Self::Withdraw(_) => RequiredBerth::Docked,
            Self::Jump(_) | Self::Mine | Self::Scan(_) | Self::Travel(_) => RequiredBerth::Space,
            Self::Dock
            | Self::Jettison(_)
            | Self::Refuel(_)
            | Self::SelfDestruct
            | Self::Undock
            | Self::UseItem(_)
            | Self::Unplayed(_) => RequiredBerth::Either,
        }
    }
}

/// Carries a mutation out for a player whose ship stands where it should.
pub(super) fn execute_mutation(
    world: &mut World,
    player: PlayerId,
    act: &Mutation,
) -> Result<MutationResult, GameRefusal> {
    let answer = match act {
        Mutation::Travel(poi) => return travel::travel_to_poi(world, player, poi),
        Mutation::Jump(system) => return travel::jump_to_system(world, player, system),
        Mutation::AcceptMission(mission) => missions::accept_mission(world, player, mission),
        Mutation::Buy(goods, delivery) => trade::buy_goods(world, player, *goods, *delivery),
        Mutation::CompleteMission(mission) => missions::complete_mission(world, player, mission),
        Mutation::Craft(recipe, times) => craft::craft_recipe(world, player, recipe, *times),
        Mutation::Deposit(goods) => storage::deposit_goods(world, player, *goods),
        Mutation::Dock => dock::dock_ship(world, player),
        Mutation::Jettison(goods) => storage::jettison_goods(world, player, *goods),
        Mutation::Mine => mine::mine_deposit(world, player),
        Mutation::Refuel(cells) => service::refuel_ship(world, player, *cells),
        Mutation::Repair => service::repair_ship(world, player),
        Mutation::Scan(target) => scan::scan_ship(world, player, target),
        Mutation::SelfDestruct => Ok(self_destruct::self_destruct(world, player)),
        Mutation::Sell(goods) => trade::sell_goods(world, player, *goods),
        Mutation::Undock => dock::undock_ship(world, player),
        Mutation::UseItem(goods) => service::use_item(world, player, *goods),
        Mutation::Withdraw(goods) => storage::withdraw_goods(world, player, *goods),
        Mutation::Unplayed(command) => Err(unimplemented::refusal_for(
            world,
            world.player(player),
            command,
        )),
    };
    answer.map(MutationResult::Answer)
}
