//! Reads packed samples one after the other.

use std::sync::Arc;

use super::super::{Flow, GameFacts, Gauge, HOUR_MINUTES, Hour, Minute, Sample};
use super::{FIELDS, MAX_NAME_BYTES, unzigzag};

/// Which fields of a sample are told, read one after the other.
struct PresentFields {
    bits: u64,
    next: u32,
}

impl PresentFields {
    fn next(&mut self) -> bool {
        let is_present = self.bits >> self.next & 1 == 1;
        self.next += 1;
        is_present
    }
}

pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
    pub(super) places: Vec<Arc<str>>,
}

impl Reader<'_> {
    pub(super) fn sample(&mut self, hour: Hour, before: &GameFacts) -> Option<Sample> {
        let minute = i64::from(self.byte()?);
        let mut present = PresentFields {
            bits: self.number()?,
            next: 0,
        };
        if minute >= HOUR_MINUTES || present.bits >> FIELDS != 0 {
            return None;
        }
        let mut facts = self.facts(&mut present, before)?;
        let flow = self.flow(&mut present)?;
        if present.next() {
            facts.number_name = self.place()?;
        }
        self.fact(present.next(), &mut facts.number)?;
        Some(Sample {
            minute: Minute(hour.first_minute().0.saturating_add(minute)),
            facts,
            flow,
        })
    }

    fn facts(&mut self, present: &mut PresentFields, before: &GameFacts) -> Option<GameFacts> {
        let mut facts = before.clone();
        self.fact(present.next(), &mut facts.credits)?;
        for place in [&mut facts.system, &mut facts.poi] {
            if present.next() {
                *place = self.place()?;
            }
        }
        let mut docked = facts.docked.map(i64::from);
        self.fact(present.next(), &mut docked)?;
        facts.docked = docked.map(|docked| docked != 0);
        for gauge in [&mut facts.fuel, &mut facts.cargo, &mut facts.hull] {
            let Gauge { now, most } = gauge;
            for level in [now, most] {
                let mut read = level.map(i64::from);
                self.fact(present.next(), &mut read)?;
                *level = match read {
                    None => None,
                    Some(read) => Some(u32::try_from(read).ok()?),
                };
            }
        }
        Some(facts)
    }

    fn flow(&mut self, present: &mut PresentFields) -> Option<Flow> {
        let earned = match present.next() {
            true => Some(unzigzag(self.number()?)),
            false => None,
        };
        let mut flow = Flow {
            earned,
            ..Flow::default()
        };
        for sum in flow.sums_mut() {
            if present.next() {
                *sum = self.number()?;
            }
        }
        Some(flow)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn fact(&mut self, is_present: bool, fact: &mut Option<i64>) -> Option<()> {
        if is_present {
            let number = self.number()?;
            let before = fact.unwrap_or(0);
            *fact = number
                .checked_sub(1)
                .map(|distance| before.wrapping_add(unzigzag(distance)));
        }
        Some(())
    }

    fn place(&mut self) -> Option<Option<Arc<str>>> {
        let present = self.number()?;
        if present == 0 {
            return Some(None);
        }
        if let Some(known) = present.checked_sub(2) {
            let known = self.places.get(usize::try_from(known).ok()?)?;
            return Some(Some(known.clone()));
        }
        let length = usize::try_from(self.number()?).ok()?;
        if length > MAX_NAME_BYTES {
            return None;
        }
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        let name: Arc<str> = std::str::from_utf8(name).ok()?.into();
        self.places.push(name.clone());
        Some(Some(name))
    }
}
