//! Mutations: what each one needs, and where it is carried out.

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
    travel::arrive,
};
use super::{
    PlayerId, Refusal, World,
    catalogue::{Item, Recipe},
    unimplemented,
};

/// A mutation whose arguments have been read.
#[derive(Debug)]
pub(super) enum Act {
    AcceptMission(String),
    Buy(Goods, Delivery),
    CompleteMission(String),
    Craft(&'static Recipe, u64),
    Deposit(Goods),
    Dock,
    Jettison(Goods),
    Jump(String),
    Mine,
    Refuel(Option<Goods>),
    Repair,
    Scan(String),
    SelfDestruct,
    Sell(Goods),
    Travel(String),
    Undock,
    UseItem(Goods),
    Withdraw(Goods),
    /// A command that is listed but not played: refused when its tick comes.
    Unplayed(&'static str),
}

/// So many of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goods {
    pub(super) item: Item,
    pub(super) quantity: u64,
}

/// Where bought goods go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    Cargo,
    Storage,
}

/// Where a ship has to be for a command; the server brings it there if it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    Docked,
    Space,
    Either,
}

/// What carrying out a mutation comes to.
#[derive(Debug)]
pub(super) enum Done {
    Answer(Value),
    /// The answer comes with the ship's arrival.
    UnderWay,
}

impl Act {
    pub(super) fn stand(&self) -> Stand {
        match self {
            Self::AcceptMission(_)
            | Self::Buy(..)
            | Self::CompleteMission(_)
            | Self::Craft(..)
            | Self::Deposit(_)
            | Self::Repair
            | Self::Sell(_)
            | Self::Withdraw(_) => Stand::Docked,
            Self::Jump(_) | Self::Mine | Self::Scan(_) | Self::Travel(_) => Stand::Space,
            Self::Dock
            | Self::Jettison(_)
            | Self::Refuel(_)
            | Self::SelfDestruct
            | Self::Undock
            | Self::UseItem(_)
            | Self::Unplayed(_) => Stand::Either,
        }
    }
}

/// Carries a mutation out for a player whose ship stands where it should.
pub(super) fn execute(world: &mut World, player: PlayerId, act: &Act) -> Result<Done, Refusal> {
    let answer = match act {
        Act::Travel(poi) => return travel::travel(world, player, poi),
        Act::Jump(system) => return travel::jump(world, player, system),
        Act::AcceptMission(mission) => missions::accept(world, player, mission),
        Act::Buy(goods, delivery) => trade::buy(world, player, *goods, *delivery),
        Act::CompleteMission(mission) => missions::complete(world, player, mission),
        Act::Craft(recipe, times) => craft::craft(world, player, recipe, *times),
        Act::Deposit(goods) => storage::deposit(world, player, *goods),
        Act::Dock => dock::dock(world, player),
        Act::Jettison(goods) => storage::jettison(world, player, *goods),
        Act::Mine => mine::mine(world, player),
        Act::Refuel(cells) => service::refuel(world, player, *cells),
        Act::Repair => service::repair(world, player),
        Act::Scan(target) => scan::scan(world, player, target),
        Act::SelfDestruct => Ok(self_destruct::self_destruct(world, player)),
        Act::Sell(goods) => trade::sell(world, player, *goods),
        Act::Undock => dock::undock(world, player),
        Act::UseItem(goods) => service::use_item(world, player, *goods),
        Act::Withdraw(goods) => storage::withdraw(world, player, *goods),
        Act::Unplayed(command) => Err(unimplemented::refusal(world, world.player(player), command)),
    };
    answer.map(Done::Answer)
}
