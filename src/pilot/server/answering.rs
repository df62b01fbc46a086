//! The answer to a valid request: the player's, unless and as far as faults have it otherwise.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::Server;
use super::verdict::{Form, Manner, Payload, Verdict};
use crate::answer::tokens;
use crate::books::Line;
use crate::chance::{self, Mix};
use crate::faults::{self, Delivery, FaultKind, Refused};
use crate::player::fly_by;
use crate::request::Request;
use crate::wire::{self, Stamp, Usage};

/// The faults of one request: those that were drawn, and those of them that had something to strike.
struct Faults {
    drawn: Vec<FaultKind>,
    struck: Vec<FaultKind>,
    rng: fastrand::Rng,
}

impl Server {
    /// Answers a valid request.
    pub(super) fn answer(&self, body: &Value, request: &Request<'_>, line: &Line) -> Verdict {
        let seed = self.options.habits.seed;
        let ordinal = self.books.ordinal(&line.caller);
        let mix = Mix::new(seed).text(&line.caller).number(ordinal);
        let mut faults = Faults {
            drawn: faults::draw(&self.options.faults, mix, self.books.age()),
            struck: Vec::new(),
            rng: mix.number(u64::MAX).rng(),
        };
        let prompt = tokens(line.bytes);
        let mut manner = faults.manner();
        let payload = match faults.instead(prompt) {
            Some(refused) => Payload::Refused(refused),
            None if faults.garbage() => Payload::Garbage,
            None => {
                manner.pause += self.options.latency;
                faults.trickle_and_cut(&mut manner);
                self.complete(body, request, prompt, &mut faults)
            }
        };
        self.books.strike(&faults.struck);
        Verdict {
            payload,
            manner,
            struck: faults.struck,
        }
    }

    fn complete(
        &self,
        body: &Value,
        request: &Request<'_>,
        prompt: u64,
        faults: &mut Faults,
    ) -> Payload {
        let habits = &self.options.habits;
        let fingerprint = chance::fingerprint(habits.seed, &request.entries);
        let mut answer = fly_by(fingerprint, request, habits);
        faults.apply(|fault, rng| match fault {
            FaultKind::Spoil(spoil) => spoil.apply(&mut answer, rng),
            FaultKind::Instead(_) | FaultKind::Reshape(_) | FaultKind::Delivery(_) => false,
        });
        let stamp = Stamp {
            id: fingerprint.bits(),
            created: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
            model: body["model"].as_str().unwrap_or_default(),
        };
        let usage = Usage {
            prompt,
            completion: answer.tokens(),
        };
        let mut completion = wire::completion(&answer, stamp, usage);
        faults.apply(|fault, rng| match fault {
            FaultKind::Reshape(reshape) => reshape.apply(&mut completion, rng),
            FaultKind::Instead(_) | FaultKind::Spoil(_) | FaultKind::Delivery(_) => false,
        });
        let form = if body["stream"] == true {
            Form::Stream {
                include_usage: body["stream_options"]["include_usage"] == true,
            }
        } else {
            Form::Whole
        };
        Payload::Completion { completion, form }
    }
}

impl Faults {
    /// Lets every drawn fault act, and notes those that did.
    fn apply(&mut self, mut act: impl FnMut(FaultKind, &mut fastrand::Rng) -> bool) {
        for fault in &self.drawn {
            if act(*fault, &mut self.rng) {
                self.struck.push(*fault);
            }
        }
    }

    fn manner(&mut self) -> Manner {
        let mut manner = Manner::default();
        self.apply(|fault, _| match fault {
            FaultKind::Delivery(Delivery::Hang { pause }) => {
                manner.pause += pause.unwrap_or_default();
                manner.hangs |= pause.is_none();
                true
            }
            FaultKind::Delivery(_)
            | FaultKind::Instead(_)
            | FaultKind::Spoil(_)
            | FaultKind::Reshape(_) => false,
        });
        manner
    }

    /// The first error that comes in place of an answer.
    fn instead(&mut self, prompt: u64) -> Option<Refused> {
        let mut refused = None;
        self.apply(|fault, _| match fault {
            FaultKind::Instead(instead) if refused.is_none() => {
                refused = instead.refuse(prompt);
                refused.is_some()
            }
            FaultKind::Instead(_)
            | FaultKind::Spoil(_)
            | FaultKind::Reshape(_)
            | FaultKind::Delivery(_) => false,
        });
        refused
    }

    fn garbage(&mut self) -> bool {
        let before = self.struck.len();
        self.apply(|fault, _| fault == FaultKind::Delivery(Delivery::Garbage));
        self.struck.len() > before
    }

    fn trickle_and_cut(&mut self, manner: &mut Manner) {
        self.apply(|fault, _| match fault {
            FaultKind::Delivery(Delivery::Slow { over }) => {
                manner.trickle = Some(over);
                true
            }
            FaultKind::Delivery(Delivery::Drop) => {
                manner.is_cut = true;
                true
            }
            FaultKind::Delivery(Delivery::Hang { .. } | Delivery::Garbage)
            | FaultKind::Instead(_)
            | FaultKind::Spoil(_)
            | FaultKind::Reshape(_) => false,
        });
    }
}
