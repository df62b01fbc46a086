//! The stored form of samples: those of an hour in one text of bytes, some twenty for each.
//!
//! A table with a row for each minute would take five times as much. The first byte is the version.
//! Then come the samples: the minute in the hour, a set of bits for the fields that are told, and
//! their values. Facts are told where they changed since the sample before, so the first one tells
//! all of them. Numbers are written in groups of seven bits, lowest first.

mod reading;

use std::sync::Arc;

use super::{Flow, GameFacts, HOUR_MINUTES, Hour, Sample};
use reading::Reader;

const VERSION: u8 = 2;
const MAX_NAME_BYTES: usize = 256;
/// The most samples of an hour that are read. A clock that was set back makes some minutes twice.
const MAX_SAMPLES: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedHour {
    pub hour: Hour,
    /// The newest row of the conversation that is counted in it. Later rows are not.
    pub upto: i64,
    pub bytes: Arc<[u8]>,
}

/// Packed samples that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not samples, or those of a newer program")]
pub struct PackingFault;

impl PackedHour {
    pub fn of_samples(hour: Hour, upto: i64, samples: &[Sample]) -> PackedHour {
        let mut packer = Packer::default();
        for sample in samples {
            packer.push(sample);
        }
        packer.packed(hour, upto)
    }

    /// Reads the samples, in the order of their minutes. Several of one minute become one.
    pub fn samples(&self) -> Result<Vec<Sample>, PackingFault> {
        let (version, rest) = self.bytes.split_first().ok_or(PackingFault)?;
        if *version != VERSION {
            return Err(PackingFault);
        }
        let mut reader = Reader {
            rest,
            places: Vec::new(),
        };
        let (mut samples, mut facts): (Vec<Sample>, _) = (Vec::new(), GameFacts::default());
        while !reader.rest.is_empty() {
            let sample = reader.sample(self.hour, &facts).ok_or(PackingFault)?;
            facts.clone_from(&sample.facts);
            samples.push(sample);
            if samples.len() > MAX_SAMPLES {
                return Err(PackingFault);
            }
        }
        samples.sort_by_key(|sample| sample.minute);
        samples.dedup_by(|later, first| {
            let is_same = later.minute == first.minute;
            if is_same {
                first.facts.clone_from(&later.facts);
                first.flow.add(&later.flow);
            }
            is_same
        });
        Ok(samples)
    }

    /// The hour as one sample; `None` if it has none.
    pub fn sum(&self) -> Result<Option<Sample>, PackingFault> {
        let mut samples = self.samples()?;
        let mut flow = Flow::default();
        samples.iter().for_each(|sample| flow.add(&sample.flow));
        Ok(samples.pop().map(|last| Sample {
            minute: self.hour.first_minute(),
            facts: last.facts,
            flow,
        }))
    }
}

/// Packs samples one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    facts: GameFacts,
    places: Vec<Arc<str>>,
}

impl Packer {
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds a sample of the same hour.
    pub(super) fn push(&mut self, sample: &Sample) {
        let minute = sample.minute.0.rem_euclid(HOUR_MINUTES);
        self.bytes.push(u8::try_from(minute).unwrap_or_default());
        let (before, facts) = (std::mem::take(&mut self.facts), &sample.facts);
        let mut fields = Fields::default();
        fields.put_fact(before.credits, facts.credits);
        for (before, place) in [(&before.system, &facts.system), (&before.poi, &facts.poi)] {
            self.put_name(&mut fields, before, place);
        }
        let docked = |docked: Option<bool>| docked.map(i64::from);
        fields.put_fact(docked(before.docked), docked(facts.docked));
        for (before, gauge) in [
            (before.fuel, facts.fuel),
            (before.cargo, facts.cargo),
            (before.hull, facts.hull),
        ] {
            fields.put_fact(before.now.map(i64::from), gauge.now.map(i64::from));
            fields.put_fact(before.most.map(i64::from), gauge.most.map(i64::from));
        }
        let flow = &sample.flow;
        fields.put_if(flow.earned.is_some(), |values| {
            put_number(values, zigzag(flow.earned.unwrap_or(0)));
        });
        for sum in flow.sums() {
            fields.put_if(sum > 0, |values| put_number(values, sum));
        }
        self.put_name(&mut fields, &before.number_name, &facts.number_name);
        fields.put_fact(before.number, facts.number);
        put_number(&mut self.bytes, fields.present);
        self.bytes.append(&mut fields.values);
        self.facts.clone_from(facts);
    }

    /// Puts a name if it changed: whole where it is new, else by its place among those before.
    fn put_name(
        &mut self,
        fields: &mut Fields,
        before: &Option<Arc<str>>,
        name: &Option<Arc<str>>,
    ) {
        let is_changed = before != name;
        let known = |name: &Arc<str>| self.places.iter().position(|known| known == name);
        fields.put_if(is_changed, |values| match name {
            None => put_number(values, 0),
            Some(name) => match known(name) {
                Some(at) => put_number(values, at as u64 + 2),
                None => {
                    put_number(values, 1);
                    put_number(values, name.len() as u64);
                    values.extend_from_slice(name.as_bytes());
                }
            },
        });
        let is_new = |name: &&Arc<str>| is_changed && known(name).is_none();
        if let Some(name) = name.as_ref().filter(is_new) {
            self.places.push(name.clone());
        }
    }

    pub(super) fn packed(&self, hour: Hour, upto: i64) -> PackedHour {
        let bytes = [VERSION].into_iter().chain(self.bytes.iter().copied());
        PackedHour {
            hour,
            upto,
            bytes: bytes.collect(),
        }
    }
}

#[derive(Default)]
struct Fields {
    present: u64,
    next: u32,
    values: Vec<u8>,
}

impl Fields {
    fn put_if(&mut self, is_present: bool, put: impl FnOnce(&mut Vec<u8>)) {
        if is_present {
            self.present |= 1 << self.next;
            put(&mut self.values);
        }
        self.next += 1;
    }

    /// Puts a fact if it changed: 0 if it is not known any more, else its distance from the one
    /// before.
    fn put_fact(&mut self, before: Option<i64>, now: Option<i64>) {
        self.put_if(before != now, |values| match now {
            None => put_number(values, 0),
            Some(now) => {
                let distance = now.wrapping_sub(before.unwrap_or(0));
                put_number(values, zigzag(distance).saturating_add(1));
            }
        });
    }
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap_or_default());
}

/// A sample of an older program has no name and level of a number, the last two.
const FIELDS: u32 = 22;
