//! Chat messages, and the boards on which they can be read.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumString, IntoStaticStr};

use super::{
    atlas::{PoiIx, SystemIx},
    id::PlayerId,
};

const MAX_BOARD_MESSAGES: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Channel {
    System,
    Local,
    Faction,
    Private,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PilotMessage {
    pub(super) id: String,
    pub(super) channel: Channel,
    pub(super) sender: String,
    pub(super) sender_id: PlayerId,
    pub(super) content: String,
    pub(super) tick: u64,
    /// The number of the message in the world. The parameter `since` compares it.
    pub(super) number: u64,
    pub(super) target: Option<(PlayerId, String)>,
    pub(super) system: String,
    pub(super) poi: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SharedMessage(pub(super) Arc<PilotMessage>);

/// A board: the list of messages of a system, a place or a pilot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageBoard {
    System(SystemIx),
    Poi(PoiIx),
    Pilot(PlayerId),
}

type BoardMessages = VecDeque<SharedMessage>;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MessageHistory {
    said: u64,
    systems: BTreeMap<SystemIx, BoardMessages>,
    pois: BTreeMap<PoiIx, BoardMessages>,
    pilots: BTreeMap<PlayerId, BoardMessages>,
}

impl MessageHistory {
    pub(super) fn next_number(&self) -> u64 {
        self.said
    }

    pub(super) fn post_message(
        &mut self,
        message: PilotMessage,
        boards: &[MessageBoard],
    ) -> SharedMessage {
        self.said = message.number + 1;
        let shared = SharedMessage(Arc::new(message));
        for board in boards {
            let messages = match board {
                MessageBoard::System(system) => self.systems.entry(*system).or_default(),
                MessageBoard::Poi(poi) => self.pois.entry(*poi).or_default(),
                MessageBoard::Pilot(pilot) => self.pilots.entry(*pilot).or_default(),
            };
            if messages.len() == MAX_BOARD_MESSAGES {
                messages.pop_front();
            }
            messages.push_back(shared.clone());
        }
        shared
    }

    /// The messages of a board, newest first.
    pub(super) fn read(&self, board: MessageBoard) -> impl Iterator<Item = &PilotMessage> {
        let messages = match board {
            MessageBoard::System(system) => self.systems.get(&system),
            MessageBoard::Poi(poi) => self.pois.get(&poi),
            MessageBoard::Pilot(pilot) => self.pilots.get(&pilot),
        };
        messages
            .into_iter()
            .flat_map(|messages| messages.iter().rev())
            .map(|shared| &*shared.0)
    }
}

impl Channel {
    pub(super) fn id(self) -> &'static str {
        self.into()
    }
}

impl Serialize for SharedMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PilotMessage::deserialize(deserializer).map(|message| Self(Arc::new(message)))
    }
}
