//! Links: logins that wait for a person, who enters a code at a page and picks a character.
//!
//! Nobody has captured how the real server does it. The names of fields and states are known; the
//! form of codes, the bounds and the figures are guesses, by the usual flow for devices (RFC 8628).

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use super::super::options::LinkRules;

/// The most links of one address that wait at once.
const MAX_OF_AN_ADDRESS: usize = 64;
/// The most links that wait at once.
const MAX_LINKS: usize = 4096;
/// How much longer the pause becomes for a client that asks too soon.
const SLOW_DOWN: Duration = Duration::from_secs(5);
/// The letters of a code: none that is easily taken for another one, and no vowels.
const LETTERS: [u8; 20] = *b"BCDFGHJKLMNPQRSTVWXZ";

/// All links that wait. Codes are random and do not follow from the seed.
#[derive(Debug)]
pub(super) struct LoginLinks {
    rules: LinkRules,
    /// By device code.
    waiting: Mutex<BTreeMap<String, WaitingLink>>,
}

#[derive(Debug)]
struct WaitingLink {
    user_code: String,
    address: IpAddr,
    until: Duration,
    interval: Duration,
    asked: Option<Duration>,
    decision: Option<LinkDecision>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkDecision {
    /// To log in this character.
    Allowed(String),
    Denied,
}

#[derive(Debug)]
pub(super) struct NewLink {
    pub(super) device_code: String,
    pub(super) user_code: String,
    pub(super) interval: Duration,
    pub(super) valid: Duration,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum LinkStatus {
    /// Nobody has decided. The client asks again after this pause.
    Pending(Duration),
    /// The link is over: somebody has decided.
    Decided(LinkDecision),
    Expired,
}

impl LoginLinks {
    pub(super) fn new(rules: LinkRules) -> Self {
        Self {
            rules,
            waiting: Mutex::default(),
        }
    }

    /// Makes a link. Returns `None` if too many wait already.
    pub(super) fn begin(&self, address: IpAddr, now: Duration) -> Option<NewLink> {
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, link| link.until > now);
        let of_address = waiting.values().filter(|link| link.address == address);
        if of_address.count() >= MAX_OF_AN_ADDRESS || waiting.len() >= MAX_LINKS {
            return None;
        }
        let device_code = uuid::Uuid::new_v4().simple().to_string();
        let user_code = user_code();
        let link = WaitingLink {
            user_code: user_code.clone(),
            address,
            until: now + self.rules.valid,
            interval: self.rules.interval,
            asked: None,
            decision: None,
        };
        waiting.insert(device_code.clone(), link);
        Some(NewLink {
            device_code,
            user_code,
            interval: self.rules.interval,
            valid: self.rules.valid,
        })
    }

    /// Tells a client of its link. A decision is told once.
    pub(super) fn poll(&self, device_code: &str, now: Duration) -> LinkStatus {
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, link| link.until > now);
        let Some(link) = waiting.get_mut(device_code) else {
            return LinkStatus::Expired;
        };
        let asked = link.asked.replace(now);
        if let Some(decision) = link.decision.take() {
            waiting.remove(device_code);
            return LinkStatus::Decided(decision);
        }
        // A timer may ring a little early.
        let is_early = |asked| now + Duration::from_millis(100) < asked + link.interval;
        if asked.is_some_and(is_early) {
            link.interval += SLOW_DOWN;
        }
        LinkStatus::Pending(link.interval)
    }

    pub(super) fn is_open(&self, user_code: &str, now: Duration) -> bool {
        let mut waiting = self.waiting.lock();
        find_open(&mut waiting, user_code, now).is_some()
    }

    /// Takes a person's decision. Returns whether a link waited for it.
    pub(super) fn decide(&self, user_code: &str, decision: LinkDecision, now: Duration) -> bool {
        let mut waiting = self.waiting.lock();
        let Some(link) = find_open(&mut waiting, user_code, now) else {
            return false;
        };
        link.decision = Some(decision);
        true
    }
}

/// The link with a code as a person writes it, if nobody has decided about it.
fn find_open<'a>(
    waiting: &'a mut BTreeMap<String, WaitingLink>,
    written: &str,
    now: Duration,
) -> Option<&'a mut WaitingLink> {
    let letters = |code: &str| -> String {
        let letters = code.chars().filter(char::is_ascii_alphabetic);
        letters.map(|letter| letter.to_ascii_uppercase()).collect()
    };
    let written = letters(written);
    let mut links = waiting.values_mut();
    links.find(|link| {
        link.until > now && link.decision.is_none() && letters(&link.user_code) == written
    })
}

/// A code such as `KXRW-PLDT`.
fn user_code() -> String {
    let bytes = uuid::Uuid::new_v4().into_bytes();
    let letters = bytes.iter().take(8).map(|byte| {
        let place = usize::from(*byte) % LETTERS.len();
        char::from(LETTERS[place])
    });
    let mut code: String = letters.collect();
    code.insert(4, '-');
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const SECOND: Duration = Duration::from_secs(1);

    fn links() -> LoginLinks {
        LoginLinks::new(LinkRules::default())
    }

    #[test]
    fn a_decision_is_told_once_and_to_its_own_client() {
        let links = links();
        let [one, other] = [(); 2].map(|()| links.begin(HOME, SECOND).unwrap());
        assert_eq!(
            links.poll(&one.device_code, SECOND),
            LinkStatus::Pending(5 * SECOND)
        );
        let quill = || LinkDecision::Allowed("Quill".to_owned());
        let written = one.user_code.to_lowercase().replace('-', " ");
        assert!(links.is_open(&written, 2 * SECOND));
        assert!(links.decide(&written, quill(), 2 * SECOND));
        assert!(!links.decide(&written, LinkDecision::Denied, 2 * SECOND));
        let now = 6 * SECOND;
        assert_eq!(
            links.poll(&other.device_code, now),
            LinkStatus::Pending(5 * SECOND)
        );
        let answer = links.poll(&one.device_code, now);
        assert_eq!(answer, LinkStatus::Decided(quill()));
        assert_eq!(links.poll(&one.device_code, now), LinkStatus::Expired);
    }

    #[test]
    fn who_asks_too_soon_is_told_to_ask_later() {
        let links = links();
        let link = links.begin(HOME, SECOND).unwrap();
        let answer = [1, 6, 8, 18].map(|at| links.poll(&link.device_code, at * SECOND));
        assert_eq!(
            answer,
            [5, 5, 10, 10].map(|wait| LinkStatus::Pending(wait * SECOND))
        );
    }

    #[test]
    fn a_link_ends_and_so_many_of_an_address_wait_at_once() {
        let links = links();
        let first = links.begin(HOME, SECOND).unwrap();
        for _ in 1..MAX_OF_AN_ADDRESS {
            assert!(links.begin(HOME, SECOND).is_some());
        }
        assert!(links.begin(HOME, SECOND).is_none());
        assert!(links.begin(IpAddr::from([10, 0, 0, 1]), SECOND).is_some());
        let over = 601 * SECOND;
        assert!(!links.decide(&first.user_code, LinkDecision::Denied, over));
        assert_eq!(links.poll(&first.device_code, over), LinkStatus::Expired);
        assert!(links.begin(HOME, over).is_some());
    }
}
