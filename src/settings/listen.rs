//! `[control]` and `[metrics]`: where this program listens.

use std::net::{Ipv4Addr, SocketAddr};

use super::rule::{Address, BooleanRule};
use super::section::Section;

/// The control interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlSettings {
    /// Always a loopback address; port 0 means any free one, which `run.json` then tells.
    pub listen: SocketAddr,
}

/// The metrics server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsSettings {
    /// None: there is no metrics server.
    pub listen: Option<SocketAddr>,
    /// Whether `listen` may be an address that other machines reach: nobody who reads there needs a
    /// password.
    pub allow_remote: bool,
}

impl Default for ControlSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        }
    }
}

impl ControlSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let listen = section.read("listen", &Address::Loopback);
        listen.map_or_else(Self::default, |listen| Self { listen })
    }
}

impl MetricsSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let listen = section.read("listen", &Address::Any);
        let allow_remote = section.read("allow_remote", &BooleanRule).unwrap_or(false);
        let metrics = Self {
            listen,
            allow_remote,
        };
        if let Some(listen) = metrics.remote().filter(|_| !allow_remote) {
            section.reject(
                "listen",
                &format!("{listen}, which other machines reach"),
                "a loopback address such as 127.0.0.1:9464, or any with metrics.allow_remote = true: \
                 whoever reaches it reads names, tokens and costs without a password",
            );
        }
        metrics
    }

    /// The address, where other machines reach it.
    fn remote(&self) -> Option<SocketAddr> {
        self.listen.filter(|listen| !listen.ip().is_loopback())
    }

    /// What the operator is told of an address that other machines reach.
    #[must_use]
    pub fn exposure(&self) -> Option<String> {
        let listen = self.remote()?;
        Some(format!(
            "metrics.listen is {listen}: whoever reaches it reads names, tokens and costs without a \
             password, as metrics.allow_remote allows"
        ))
    }
}
