//! File descriptors: how many files and connections this process may have open, and whether they
//! suffice.
//!
//! A swarm needs some for each Mysis. The usual soft limit of 1,024 is too low, and the process may
//! raise it up to the hard limit.

use std::fs::File;
use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

pub const WANTED_DESCRIPTORS: u64 = 10_000;

/// Descriptors of the program itself: the database, its files, the clients of its listeners.
const PROGRAM_DESCRIPTORS: u64 = 192;
/// Descriptors of each Mysis: a connection to the game, and one to a model.
const DESCRIPTORS_PER_MYSIS: u64 = 2;

/// Raises the limit to `wanted`, or as far as the system allows. Returns the limit that is in
/// force. A higher limit stays.
pub fn raise_limit(wanted: u64) -> u64 {
    let now = getrlimit(Resource::Nofile);
    let reachable = now.maximum.map_or(wanted, |hard| hard.min(wanted));
    if now.current.is_some_and(|soft| soft < reachable) {
        let raised = Rlimit {
            current: Some(reachable),
            maximum: now.maximum,
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "failed to raise the limit on open files");
        }
    }
    current_limit()
}

pub fn current_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The number of descriptors that a swarm of this size needs. Offline, both ends of every
/// connection are in this process.
pub fn needed_descriptors(myses: usize, is_offline: bool) -> u64 {
    let for_each = if is_offline {
        2 * DESCRIPTORS_PER_MYSIS
    } else {
        DESCRIPTORS_PER_MYSIS
    };
    PROGRAM_DESCRIPTORS.saturating_add(for_each.saturating_mul(myses as u64))
}

/// The problem with a limit for a swarm of this size, with the remedy; `None` if it suffices.
pub fn describe_shortage(limit: u64, myses: usize, is_offline: bool) -> Option<String> {
    let needed = needed_descriptors(myses, is_offline);
    (limit < needed).then(|| {
        format!(
            "this process may have {limit} files and connections open, and {myses} myses need about \
             {needed}: calls will fail when they run out; {REMEDY}, or run fewer myses"
        )
    })
}

const REMEDY: &str =
    "raise the hard limit on open files (`ulimit -Hn`, or LimitNOFILE= in the service's unit)";

/// The advice when a connection could not be opened for lack of a descriptor.
pub fn exhaustion_advice() -> String {
    let limit = current_limit();
    format!(
        "this machine has no descriptor left for a connection (this process may have {limit} files \
         and connections open), so no request was sent; {REMEDY}, or run fewer myses"
    )
}

/// Whether the error means that this process or the machine has no descriptor left.
pub fn is_exhaustion(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE]
        .iter()
        .any(|errno| code == Some(errno.raw_os_error()))
}

/// Whether no descriptor is left now.
pub fn are_exhausted() -> bool {
    File::open("/dev/null").is_err_and(|error| is_exhaustion(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_too_low_for_the_swarm_is_told_with_the_remedy() {
        assert_eq!(describe_shortage(1024, 400, false), None);
        assert_eq!(describe_shortage(WANTED_DESCRIPTORS, 4900, false), None);
        let text = describe_shortage(1024, 1000, false).unwrap();
        assert!(text.contains("1024") && text.contains("2192"), "{text}");
        assert!(text.contains("LimitNOFILE="), "{text}");
        assert!(
            describe_shortage(1024, 400, true).is_some(),
            "both ends are ours"
        );
    }

    #[test]
    fn only_a_want_of_descriptors_is_one() {
        let of = |errno: Errno| io::Error::from_raw_os_error(errno.raw_os_error());
        assert!(is_exhaustion(&of(Errno::MFILE)) && is_exhaustion(&of(Errno::NFILE)));
        assert!(!is_exhaustion(&of(Errno::CONNREFUSED)));
        assert!(!is_exhaustion(&io::Error::other("no")));
    }
}
