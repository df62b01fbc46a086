//! Descriptors: how many files and connections this process may have open, and whether that is enough.
//!
//! A swarm holds some for each Mysis. The limit that a shell or a service hands out, 1,024, is a
//! relic; the hard one above it is ours to take.

use std::fs::File;
use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is asked for at start, where the system grants it.
pub const WANTED_DESCRIPTORS: u64 = 10_000;

/// What the program holds open for itself: the database, its files, who is at its doors.
const PROGRAM_DESCRIPTORS: u64 = 192;
/// For each Mysis: its connection to the game, and one to a model.
const DESCRIPTORS_PER_MYSIS: u64 = 2;

/// Raises the limit to what is wanted, or as far as the system lets it be raised. Gives the limit
/// that holds; a limit that is higher already stays.
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

/// How many this process may have open.
#[must_use]
pub fn current_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// How many a swarm of so many needs. Offline, both ends of every connection are ours.
#[must_use]
pub fn needed_descriptors(myses: usize, is_offline: bool) -> u64 {
    let for_each = if is_offline {
        2 * DESCRIPTORS_PER_MYSIS
    } else {
        DESCRIPTORS_PER_MYSIS
    };
    PROGRAM_DESCRIPTORS.saturating_add(for_each.saturating_mul(myses as u64))
}

/// What is wrong with a limit for a swarm of so many, and the remedy; `None`: nothing.
#[must_use]
pub fn describe_shortage(limit: u64, myses: usize, is_offline: bool) -> Option<String> {
    let needed = needed_descriptors(myses, is_offline);
    (limit < needed).then(|| {
        format!(
            "this process may have {limit} files and connections open, and {myses} myses need about \
             {needed}: calls will fail for want of them; {REMEDY}, or run fewer myses"
        )
    })
}

const REMEDY: &str =
    "raise the hard limit on open files (`ulimit -Hn`, or LimitNOFILE= in the service's unit)";

/// What is told where a connection could not be opened for want of a descriptor.
#[must_use]
pub fn exhaustion_advice() -> String {
    let limit = current_limit();
    format!(
        "this machine has no descriptor left for a connection (this process may have {limit} files \
         and connections open), so nobody was asked; {REMEDY}, or run fewer myses"
    )
}

/// Whether an error says that no descriptor is left, to this process or to the machine.
#[must_use]
pub fn is_exhaustion(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE]
        .iter()
        .any(|errno| code == Some(errno.raw_os_error()))
}

/// Whether none is left now.
#[must_use]
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
        let told = describe_shortage(1024, 1000, false).unwrap();
        assert!(told.contains("1024") && told.contains("2192"), "{told}");
        assert!(told.contains("LimitNOFILE="), "{told}");
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
