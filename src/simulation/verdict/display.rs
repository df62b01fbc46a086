//! The verdict as text.

use std::fmt;

use super::{InjectedFault, SimulationVerdict};

impl fmt::Display for SimulationVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        let spared: Vec<_> = InjectedFault::ALL
            .iter()
            .filter(|fault| !self.drawn.contains(fault))
            .collect();
        writeln!(
            f,
            "  drawn: {} of {} faults; never: {spared:?}",
            self.drawn.len(),
            InjectedFault::ALL.len()
        )?;
        for (fault, times) in &self.injected {
            writeln!(f, "  {fault:?} struck {times} times")?;
        }
        for (kind, deaths) in &self.deaths {
            writeln!(f, "  {kind:?} killed {deaths} times")?;
        }
        let (created, there) = self.myses;
        writeln!(
            f,
            "  {created} Myses created, {there} there at the end; {} ran again by themselves after \
             their actor died",
            self.revived
        )?;
        for (rare, times) in &self.reached {
            writeln!(f, "  reached {rare:?} {times} times")?;
        }
        let (given, acknowledged) = self.orders;
        writeln!(f, "  {given} orders given, {acknowledged} acknowledged")?;
        writeln!(
            f,
            "  {} processes, {} turns, {} requests, {} mutations carried out, {} relaunches by hand",
            self.processes, self.turns, self.requests, self.mutations, self.relaunched_by_hand
        )?;
        writeln!(
            f,
            "  {} parked at the end for want of progress",
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
        for violation in &self.violations {
            writeln!(f, "  VIOLATION: {violation}")?;
        }
        let word = if self.is_good() { "good" } else { "BAD" };
        write!(f, "  {word}: {} faults struck", self.fault_count())
    }
}
