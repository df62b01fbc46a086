//! The answer to a valid request: the player's answer, with the faults that were drawn for it.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::PilotServer;
use super::decision::{AnswerDecision, CompletionForm, DeliveryPlan, Payload};
use crate::answer::count_tokens;
use crate::chance::{self, Mix};
use crate::faults::{self, DeliveryFault, ErrorReply, PilotFaultKind};
use crate::grouped;
use crate::player::answer_with_fingerprint;
use crate::request::PilotRequest;
use crate::request_stats::RequestRecord;
use crate::wire::{self, CompletionStamp, WireUsage};

/// The faults of one request: the drawn ones, and those of them that had an effect.
struct RequestFaults {
    drawn: Vec<PilotFaultKind>,
    applied: Vec<PilotFaultKind>,
    rng: fastrand::Rng,
}

/// The tokens of a request, and those of them that come from the cache.
#[derive(Clone, Copy)]
struct PromptTokens {
    all: u64,
    cached: u64,
}

impl PilotServer {
    pub(super) fn decide_answer(
        &self,
        body: &Value,
        request: &PilotRequest<'_>,
        cached: u64,
        line: &RequestRecord,
    ) -> AnswerDecision {
        let seed = self.options.habits.seed;
        let ordinal = self.stats.next_ordinal(&line.caller);
        let mix = Mix::new(seed).with_text(&line.caller).with_number(ordinal);
        let mut faults = RequestFaults {
            drawn: faults::draw_faults(&self.options.faults, mix, self.stats.uptime()),
            applied: Vec::new(),
            rng: mix.with_number(u64::MAX).rng(),
        };
        let prompt = PromptTokens {
            all: count_tokens(line.bytes),
            cached,
        };
        let mut delivery = faults.delivery_plan();
        let payload = match faults.find_error_reply(request, prompt.all) {
            Some(refused) => Payload::Refused(refused),
            None if faults.apply_garbage() => Payload::Garbage,
            None => {
                delivery.pause += self.options.latency;
                faults.trickle_and_cut(&mut delivery);
                self.build_completion(body, request, prompt, &mut faults)
            }
        };
        self.stats.count_faults(&faults.applied);
        AnswerDecision {
            payload,
            delivery,
            applied: faults.applied,
        }
    }

    fn build_completion(
        &self,
        body: &Value,
        request: &PilotRequest<'_>,
        prompt: PromptTokens,
        faults: &mut RequestFaults,
    ) -> Payload {
        let habits = &self.options.habits;
        let (request, read) = faults.misread(request, prompt.all);
        let fingerprint = chance::fingerprint(habits.seed, &request.entries);
        let mut answer = answer_with_fingerprint(fingerprint, &request, habits);
        faults.apply_drawn(|fault, rng| {
            let PilotFaultKind::Spoil(spoil) = fault else {
                return false;
            };
            spoil.apply(&mut answer, rng)
        });
        if request.is_grouped {
            grouped::regroup(&mut answer);
        }
        let stamp = CompletionStamp {
            id: fingerprint.bits(),
            created: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
            model: body["model"].as_str().unwrap_or_default(),
        };
        let usage = WireUsage {
            prompt: read,
            completion: answer.token_count(),
            cached: prompt.cached.min(read),
        };
        let mut completion = wire::completion_json(&answer, stamp, usage);
        faults.apply_drawn(|fault, rng| {
            let PilotFaultKind::Reshape(reshape) = fault else {
                return false;
            };
            reshape.apply(&mut completion, rng)
        });
        let form = if body["stream"] == true {
            CompletionForm::Stream {
                include_usage: body["stream_options"]["include_usage"] == true,
            }
        } else {
            CompletionForm::Whole
        };
        Payload::Completion { completion, form }
    }
}

impl RequestFaults {
    /// Applies every drawn fault, and notes those that had an effect.
    fn apply_drawn(&mut self, mut act: impl FnMut(PilotFaultKind, &mut fastrand::Rng) -> bool) {
        for fault in &self.drawn {
            if act(*fault, &mut self.rng) {
                self.applied.push(*fault);
            }
        }
    }

    /// The request as it is read, and the tokens of it.
    fn misread<'a, 'r>(
        &mut self,
        request: &'r PilotRequest<'a>,
        prompt: u64,
    ) -> (Cow<'r, PilotRequest<'a>>, u64) {
        let mut read = (Cow::Borrowed(request), prompt);
        self.apply_drawn(|fault, _| {
            if let PilotFaultKind::CutPrompt { tokens } = fault
                && let Some(cut) = faults::cut_prompt(&read.0, read.1, tokens)
            {
                read = (Cow::Owned(cut), tokens);
                return true;
            }
            false
        });
        read
    }

    fn delivery_plan(&mut self) -> DeliveryPlan {
        let mut delivery = DeliveryPlan::default();
        self.apply_drawn(|fault, _| {
            let PilotFaultKind::Delivery(DeliveryFault::Hang { pause }) = fault else {
                return false;
            };
            delivery.pause += pause.unwrap_or_default();
            delivery.hangs |= pause.is_none();
            true
        });
        delivery
    }

    fn find_error_reply(&mut self, request: &PilotRequest<'_>, prompt: u64) -> Option<ErrorReply> {
        let mut refused = None;
        self.apply_drawn(|fault, _| {
            if let PilotFaultKind::Instead(instead) = fault
                && refused.is_none()
            {
                refused = instead.error_reply(request, prompt);
                return refused.is_some();
            }
            false
        });
        refused
    }

    fn apply_garbage(&mut self) -> bool {
        let before = self.applied.len();
        self.apply_drawn(|fault, _| fault == PilotFaultKind::Delivery(DeliveryFault::Garbage));
        self.applied.len() > before
    }

    fn trickle_and_cut(&mut self, delivery: &mut DeliveryPlan) {
        self.apply_drawn(|fault, _| {
            let PilotFaultKind::Delivery(fault) = fault else {
                return false;
            };
            match fault {
                DeliveryFault::Slow { over } => delivery.trickle = Some(over),
                DeliveryFault::Drop => delivery.is_cut = true,
                DeliveryFault::Hang { .. } | DeliveryFault::Garbage => return false,
            }
            true
        });
    }
}
