//! `[control]` and `[metrics]`: where this program listens.

use std::net::{Ipv4Addr, SocketAddr};

use super::rule::Address;
use super::section::Section;

/// The control interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// Always a loopback address; port 0 means any free one, which `run.json` then tells.
    pub listen: SocketAddr,
}

/// The metrics server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metrics {
    /// None: there is no metrics server.
    pub listen: Option<SocketAddr>,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        }
    }
}

impl Control {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let listen = section.read("listen", &Address::Loopback);
        listen.map_or_else(Self::default, |listen| Self { listen })
    }
}

impl Metrics {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            listen: section.read("listen", &Address::Any),
        }
    }
}
