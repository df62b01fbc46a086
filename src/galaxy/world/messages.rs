//! What pilots say to each other, and who may read it afterwards.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    atlas::{PoiIx, SystemIx},
    id::PlayerId,
};

/// Messages that each channel keeps.
const MAX_BOARD_MESSAGES: usize = 100;

/// Where a message was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Channel {
    System,
    Local,
    Faction,
    Private,
}

/// One message.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PilotMessage {
    pub(super) id: String,
    pub(super) channel: Channel,
    pub(super) sender: String,
    pub(super) sender_id: PlayerId,
    pub(super) content: String,
    pub(super) tick: u64,
    /// Counts all messages of the world, so that "since" has a meaning.
    pub(super) number: u64,
    /// Of a private message.
    pub(super) target: Option<(PlayerId, String)>,
    pub(super) system: String,
    pub(super) poi: String,
}

/// A message that several boxes hold at once.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SharedMessage(pub(super) Arc<PilotMessage>);

/// A place where messages lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageBoard {
    System(SystemIx),
    Poi(PoiIx),
    Pilot(PlayerId),
}

type BoardMessages = VecDeque<SharedMessage>;

/// Everything that was said lately.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MessageHistory {
    said: u64,
    systems: BTreeMap<SystemIx, BoardMessages>,
    pois: BTreeMap<PoiIx, BoardMessages>,
    pilots: BTreeMap<PlayerId, BoardMessages>,
}

impl MessageHistory {
    /// The number that the next message gets.
    pub(super) fn next_number(&self) -> u64 {
        self.said
    }

    /// Pins a message to these walls.
    pub(super) fn post_message(
        &mut self,
        message: PilotMessage,
        walls: &[MessageBoard],
    ) -> SharedMessage {
        self.said = message.number + 1;
        let letter = SharedMessage(Arc::new(message));
        for wall in walls {
            let wall = match wall {
                MessageBoard::System(system) => self.systems.entry(*system).or_default(),
                MessageBoard::Poi(poi) => self.pois.entry(*poi).or_default(),
                MessageBoard::Pilot(pilot) => self.pilots.entry(*pilot).or_default(),
            };
            if wall.len() == MAX_BOARD_MESSAGES {
                wall.pop_front();
            }
            wall.push_back(letter.clone());
        }
        letter
    }

    /// The messages of a wall, newest first.
    pub(super) fn read(&self, wall: MessageBoard) -> impl Iterator<Item = &PilotMessage> {
        let wall = match wall {
            MessageBoard::System(system) => self.systems.get(&system),
            MessageBoard::Poi(poi) => self.pois.get(&poi),
            MessageBoard::Pilot(pilot) => self.pilots.get(&pilot),
        };
        wall.into_iter()
            .flat_map(|wall| wall.iter().rev())
            .map(|letter| &*letter.0)
    }
}

impl Channel {
    pub(super) const ALL: [Self; 4] = [Self::System, Self::Local, Self::Faction, Self::Private];

    pub(super) fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.id() == id)
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Local => "local",
            Self::Faction => "faction",
            Self::Private => "private",
        }
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
