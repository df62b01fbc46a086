//! The one sentence for a trouble, in one order (decision 206).

use std::fmt;

/// A trouble: who, where, what happened, since when, what follows or helps; the chain of causes last,
/// since it is cut first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trouble<'a> {
    /// Who or what is in trouble, such as `provider local`.
    pub whom: &'a str,
    /// Its address, without anything secret.
    pub address: Option<&'a str>,
    /// What happened to it, such as `cannot be reached`.
    pub what: &'a str,
    pub since: Option<&'a str>,
    /// What follows, and what helps.
    pub then: &'a [&'a str],
    /// The causes, outermost first.
    pub chain: Option<&'a str>,
}

impl fmt::Display for Trouble<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.whom)?;
        if let Some(address) = self.address {
            write!(f, " at {address}")?;
        }
        write!(f, " {}", self.what)?;
        if let Some(since) = self.since {
            write!(f, " since {since}")?;
        }
        for then in self.then {
            write!(f, "; {then}")?;
        }
        let is_question = self.then.last().is_some_and(|then| then.ends_with('?'));
        match self.chain {
            Some(chain) if is_question => write!(f, " {chain}"),
            Some(chain) => write!(f, ": {chain}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_comes_last_and_what_is_not_known_is_left_out() {
        let bare = Trouble {
            whom: "provider local",
            what: "is down",
            ..Trouble::default()
        };
        assert_eq!(bare.to_string(), "provider local is down");
        let whole = Trouble {
            address: Some("http://127.0.0.1:9"),
            since: Some("12:34"),
            then: &["its Myses wait", "zoea tries it every 4s"],
            chain: Some("connection refused"),
            ..bare
        };
        assert_eq!(
            whole.to_string(),
            "provider local at http://127.0.0.1:9 is down since 12:34; its Myses wait; zoea tries it \
             every 4s: connection refused"
        );
        let question = Trouble {
            then: &["is it running?"],
            chain: Some("connection refused"),
            ..bare
        };
        let expected = "provider local is down; is it running? connection refused";
        assert_eq!(question.to_string(), expected);
    }
}
