//! Why an address cannot be listened on, in words.

use std::fmt::Display;
use std::io::{self, ErrorKind};

/// An error of listening on an address. The remedy says how another address is chosen.
pub fn describe_listen_error(address: impl Display, error: &io::Error, remedy: &str) -> String {
    if error.kind() == ErrorKind::AddrInUse {
        return format!("listen on {address}: another program listens there; end it, or {remedy}");
    }
    format!("listen on {address}: {error}; {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
