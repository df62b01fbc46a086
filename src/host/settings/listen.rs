//! `[control]` and `[metrics]`: the addresses where the program listens.

use std::net::SocketAddr;

use super::rule::{any_address, boolean, loopback_address};
use super::section::Section;
use super::table::section;

section! {
    pub struct ControlSettings {
        default listen: SocketAddr = "127.0.0.1:0", loopback_address(),
            "Always a loopback address; port 0 means any free one; `run.json` then has it.";
    }
}

section! {
    pub struct MetricsSettings {
        optional listen: Option<SocketAddr> = "127.0.0.1:9464", any_address(),
            "None: there is no metrics server.";
        /// Whether other machines may reach it, and read names, tokens and costs without a password.
        default allow_remote: bool = false, boolean();
    }
    check MetricsSettings::check_exposure
}

impl MetricsSettings {
    fn check_exposure(&self, section: &mut Section<'_, '_>) {
        if let Some(listen) = self.remote().filter(|_| !self.allow_remote) {
            section.reject(
                "listen",
                &format!("{listen}, which other machines reach"),
                "a loopback address such as 127.0.0.1:9464, or any with metrics.allow_remote = true: \
                 whoever reaches it reads names, tokens and costs without a password",
            );
        }
    }

    /// The address, if other machines can reach it.
    fn remote(&self) -> Option<SocketAddr> {
        self.listen.filter(|listen| !listen.ip().is_loopback())
    }

    /// The warning about an address that other machines can reach.
    pub fn exposure(&self) -> Option<String> {
        let listen = self.remote()?;
        Some(format!(
            "metrics.listen is {listen}: whoever reaches it reads names, tokens and costs without a \
             password, as metrics.allow_remote allows"
        ))
    }
}
