//! Addresses to listen on.

use std::net::SocketAddr;

use toml::de::DeValue;

use super::{ValueRule, describe_value};

/// An IP address with a port.
#[derive(Debug)]
pub(in crate::settings) enum Address {
    /// Any address of this machine.
    Any,
    /// One that cannot be reached from outside.
    Loopback,
}

impl ValueRule for Address {
    type Value = SocketAddr;

    fn allowed(&self) -> String {
        match self {
            Self::Any => "an IP address and a port, such as 127.0.0.1:9464",
            Self::Loopback => "a loopback address and a port, such as 127.0.0.1:0 or [::1]:0",
        }
        .to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<SocketAddr, String> {
        let is_allowed = |address: &SocketAddr| match self {
            Self::Any => true,
            Self::Loopback => address.ip().is_loopback(),
        };
        value
            .as_str()
            .and_then(|text| text.parse().ok())
            .filter(is_allowed)
            .ok_or_else(|| describe_value(value))
    }
}
