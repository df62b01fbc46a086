//! What the program promises, and what came of it in a run.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// Nothing is done twice, and what is said of a call is true.
    NotTwice,
    /// No acknowledged order, no Mysis and no row is lost, and none is there twice.
    NotLost,
    ValidRequests,
    /// Killed actors come back by themselves.
    Revival,
    /// At the end every Mysis runs and finishes turns.
    AllRunning,
    /// A text that the model's server refuses stops no Mysis, and is not sent again and again.
    PlaysOn,
    /// Of several processes, the one that holds a Mysis acts for it, and no life is one of two.
    OneLife,
    /// Limits hold for several processes together.
    Limits,
    /// Whoever lost its process runs in another one soon.
    TakenOver,
    Answered,
    /// A deleted Mysis does nothing any more, and whoever was to be deleted is.
    Deletions,
    /// Nothing leaves a frozen home, and nobody takes what it holds.
    Frozen,
}

impl Promise {
    /// Those of several processes together.
    pub const OF_FLEET: [Promise; 6] = [
        Promise::OneLife,
        Promise::Limits,
        Promise::TakenOver,
        Promise::Answered,
        Promise::Deletions,
        Promise::Frozen,
    ];

    /// Those of any process, in the order of the table.
    pub const ALL: [Promise; 6] = [
        Promise::NotTwice,
        Promise::NotLost,
        Promise::ValidRequests,
        Promise::Revival,
        Promise::AllRunning,
        Promise::PlaysOn,
    ];

    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Promise::NotTwice => "nothing is done twice",
            Promise::NotLost => "nothing is lost",
            Promise::ValidRequests => "every request is valid",
            Promise::Revival => "killed actors come back",
            Promise::AllRunning => "every Mysis plays at the end",
            Promise::PlaysOn => "a refused text stops no Mysis",
            Promise::OneLife => "one process acts for a Mysis",
            Promise::Limits => "limits hold for all together",
            Promise::TakenOver => "all run elsewhere in 45 s",
            Promise::Answered => "every order is answered",
            Promise::Deletions => "who is deleted stays deleted",
            Promise::Frozen => "a frozen swarm makes no call",
        }
    }
}

/// The broken promises of a run: how often each, and the first texts.
#[derive(Clone, Debug, Default)]
pub struct BrokenPromises {
    counts: BTreeMap<Promise, u64>,
    texts: Vec<String>,
}

impl BrokenPromises {
    const MAX_TEXTS: usize = 20;

    pub(super) fn add(&mut self, promise: Promise, text: String) {
        *self.counts.entry(promise).or_default() += 1;
        if self.texts.len() < Self::MAX_TEXTS {
            self.texts.push(text);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub fn count(&self, promise: Promise) -> u64 {
        self.counts.get(&promise).copied().unwrap_or(0)
    }

    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}
