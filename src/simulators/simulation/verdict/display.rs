//! The verdict as text.

use std::fmt;

use zoea_text::figures::group_digits;

use super::{InjectedFault, Promise, SimulationVerdict};

impl fmt::Display for SimulationVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        let left_out = InjectedFault::ALL.into_iter();
        let left_out: Vec<String> = left_out
            .filter(|fault| !self.drawn.contains(fault))
            .map(|fault| fault.to_string())
            .collect();
        writeln!(
            f,
            "  the seed drew {} of {} kinds of faults",
            self.drawn.len(),
            InjectedFault::ALL.len()
        )?;
        if !left_out.is_empty() {
            writeln!(f, "  never: {}", left_out.join(", "))?;
        }
        for (fault, times) in &self.injected {
            writeln!(f, "  fault {}: {fault}", shown_times(*times))?;
        }
        for (kind, deaths) in &self.deaths {
            writeln!(f, "  killed {}: {kind}", shown_times(*deaths))?;
        }
        let (created, there) = self.myses;
        writeln!(
            f,
            "  {created} Myses created, {there} there at the end; {} ran again by themselves after \
             their actor died",
            self.revived
        )?;
        for (rare, times) in &self.reached {
            writeln!(f, "  seen {}: {rare}", shown_times(*times))?;
        }
        let (given, acknowledged) = self.orders;
        writeln!(f, "  {given} orders given, {acknowledged} acknowledged")?;
        writeln!(
            f,
            "  {} processes, {} turns, {} requests, {} calls that changed the game, {} relaunches by hand",
            self.processes, self.turns, self.requests, self.mutations, self.relaunched_by_hand
        )?;
        writeln!(
            f,
            "  {} parked at the end because they made no progress",
            self.parked
        )?;
        for (outcome, calls) in &self.outcomes {
            writeln!(f, "  {calls} calls {}", outcome.as_str())?;
        }
        writeln!(
            f,
            "  {} events, {} bytes, {:016x}",
            self.digest.events, self.digest.bytes, self.digest.hash
        )?;
        if let Some(fleet) = &self.fleet {
            write!(f, "{fleet}")?;
        }
        self.write_promises(f)
    }
}

fn shown_times(times: u64) -> String {
    match times {
        1 => "once".to_string(),
        times => format!("{} times", group_digits(times)),
    }
}

impl SimulationVerdict {
    fn write_promises(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n  {:<30}what came", "what is promised")?;
        let of_fleet = self.fleet.iter().flat_map(|_| Promise::OF_FLEET);
        for promise in Promise::ALL.into_iter().chain(of_fleet) {
            let came = self.outcome_of(promise);
            writeln!(f, "  {:<30}{came}", promise.words())?;
        }
        for violation in self.violations.texts() {
            writeln!(f, "  VIOLATION: {violation}")?;
        }
        let word = if self.is_good() { "good" } else { "BAD" };
        write!(f, "  {word}: {} faults struck", self.fault_count())
    }

    /// What came of a promise: how often it was put to the test, and how often it was broken.
    fn outcome_of(&self, promise: Promise) -> String {
        let broken = self.violations.count(promise);
        let ((created, there), (_, acknowledged)) = (self.myses, self.orders);
        match promise {
            Promise::NotTwice => {
                let calls: u64 = self.outcomes.values().sum();
                format!(
                    "{broken} of {} actions in the game; {calls} calls",
                    self.mutations
                )
            }
            Promise::NotLost => {
                format!("{broken} of {acknowledged} acknowledged orders and {created} Myses")
            }
            Promise::ValidRequests => format!("{broken} invalid of {}", self.requests),
            Promise::Revival => {
                let killed: u64 = self.deaths.values().sum();
                format!("{broken} missing after {killed} kills of actors")
            }
            Promise::PlaysOn => {
                let (played, most) = (self.poison.played_on, self.poison.most_requests);
                format!("{broken} of {played}; at most {most} requests each")
            }
            Promise::OneLife => format!("{broken} times not"),
            Promise::Limits => format!("{broken} times not"),
            Promise::TakenOver => {
                let taken = self.fleet.as_ref().map_or(0, |fleet| fleet.taken_over);
                format!("{broken} of {taken} late")
            }
            Promise::Answered => {
                let answered = self.fleet.as_ref().map_or(0, |fleet| fleet.answered);
                format!("{broken} not, {answered} answered")
            }
            Promise::Deletions => {
                let deleted = self.fleet.as_ref().map_or(0, |fleet| fleet.deleted);
                format!("{broken} times not, {deleted} deleted")
            }
            Promise::Frozen => format!("{broken} times not"),
            Promise::AllRunning => {
                let parked = self.parked;
                let plays = (there as u64).saturating_sub(broken + parked);
                match parked {
                    0 => format!("{plays} of {there}"),
                    _ => format!("{plays} of {there}, {parked} parked without progress"),
                }
            }
        }
    }
}
