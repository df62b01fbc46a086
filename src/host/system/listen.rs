//! Addresses to listen on, as an operator writes them, and why one cannot be listened on, in words.

use std::fmt::Display;
use std::io::{self, ErrorKind};

/// An error of listening on an address. The remedy says how another address is chosen.
pub fn describe_listen_error(address: impl Display, error: &io::Error, remedy: &str) -> String {
    if error.kind() == ErrorKind::AddrInUse {
        return format!("listen on {address}: another program listens there; end it, or {remedy}");
    }
    format!("listen on {address}: {error}; {remedy}")
}

/// Parses an address to listen on. `:8765` is on loopback, because leaving out the host must not expose the
/// server.
pub fn listen_address(text: &str) -> Result<String, String> {
    match text.strip_prefix(':') {
        Some(port) => Ok(format!("127.0.0.1:{port}")),
        None if text.contains(':') => Ok(text.to_owned()),
        None => Err("an address looks like 127.0.0.1:8765 or :0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_host_is_on_loopback() {
        assert_eq!(listen_address(":0").unwrap(), "127.0.0.1:0");
        assert_eq!(listen_address("[::1]:80").unwrap(), "[::1]:80");
        assert!(listen_address("80").is_err());
    }

    #[test]
    fn a_taken_address_is_told_with_a_remedy() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let error = std::net::TcpListener::bind(address).unwrap_err();
        assert_eq!(
            describe_listen_error(address, &error, "choose another one with --addr"),
            format!(
                "listen on {address}: another program listens there; end it, or choose another one \
                 with --addr"
            )
        );
    }
}
