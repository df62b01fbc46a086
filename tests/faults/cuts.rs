//! A connection to a Postgres server that is cut in each phase of a transaction: before it begins,
//! after its beginning, in its middle, and at its COMMIT, before the server has received it and
//! before its answer has arrived.
//!
//! The swarm connects through a proxy, which reads the client's messages one by one and cuts
//! exactly there.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::scene::{Scene, pause};
use crate::verdict::number;
use zoea_rig::postgres;

/// The number of cuts, unless `ZOEA_SERVER_FAULTS` gives another.
const CUTS: u64 = 12;
/// The time that a transaction is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    BeforeBegin,
    AfterBegin,
    Middle,
    BeforeCommit,
    BeforeItsAnswer,
    /// Not the proxy cuts it: the server ends the session.
    Terminated,
}

const PHASES: [Phase; 6] = [
    Phase::BeforeBegin,
    Phase::AfterBegin,
    Phase::Middle,
    Phase::BeforeCommit,
    Phase::BeforeItsAnswer,
    Phase::Terminated,
];

/// The phase of the next cut, the number of cuts so far, and the phases that were cut.
#[derive(Default)]
struct Plan {
    next: Option<(Phase, u64)>,
    cut: BTreeMap<Phase, u64>,
}

#[derive(Clone, Default)]
struct Plans(Arc<Mutex<Plan>>);

impl Plans {
    fn set(&self, next: Option<(Phase, u64)>) {
        self.0.lock().next = next;
    }

    fn is_over(&self) -> bool {
        self.0.lock().next.is_none()
    }

    fn count(&self, phase: Phase) {
        let mut plan = self.0.lock();
        *plan.cut.entry(phase).or_default() += 1;
    }

    /// Whether the connection is to be cut in this phase.
    fn cuts_at(&self, here: Phase) -> bool {
        let mut plan = self.0.lock();
        let Some((phase, left)) = plan.next.filter(|(phase, _)| *phase == here) else {
            return false;
        };
        plan.next = (left > 1).then_some((phase, left - 1));
        *plan.cut.entry(phase).or_default() += 1;
        true
    }
}

/// Listens in front of a server. Returns the port.
fn proxy(server: String, plans: Plans) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&server) else {
                continue;
            };
            let plans = plans.clone();
            std::thread::spawn(move || carry(client, server, &plans));
        }
    });
    port
}

/// Both ends of a connection.
struct Ends {
    client: TcpStream,
    server: TcpStream,
}

impl Ends {
    fn cut(&self) {
        for end in [&self.client, &self.server] {
            // The connection may be cut already.
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    fn again(&self) -> Ends {
        Ends {
            client: self.client.try_clone().expect("a handle"),
            server: self.server.try_clone().expect("a handle"),
        }
    }
}

/// Forwards data in both directions until the connection is cut or ends.
fn carry(client: TcpStream, server: TcpStream, plans: &Plans) {
    let ends = Ends { client, server };
    for end in [&ends.client, &ends.server] {
        // Without this, each message waits until the one before it is confirmed.
        end.set_nodelay(true).expect("it is a socket");
    }
    let is_answer_lost = Arc::new(AtomicBool::new(false));
    let (back, is_lost) = (ends.again(), is_answer_lost.clone());
    std::thread::spawn(move || carry_answers(&back, &is_lost));
    let _ = carry_questions(&ends, plans, &is_answer_lost);
    ends.cut();
}

fn carry_answers(ends: &Ends, is_lost: &AtomicBool) {
    let (mut from, mut to) = (&ends.server, &ends.client);
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if is_lost.load(Ordering::Acquire) || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    ends.cut();
}

/// Reads the client's messages and follows the phase of the transaction.
fn carry_questions(ends: &Ends, plans: &Plans, is_answer_lost: &AtomicBool) -> std::io::Result<()> {
    let (mut from, mut to) = (&ends.client, &ends.server);
    let mut length = [0; 4];
    // The first message has no kind.
    from.read_exact(&mut length)?;
    let rest = read_rest(from, length)?;
    to.write_all(&length)?;
    to.write_all(&rest)?;
    let mut is_within = false;
    loop {
        let mut kind = [0; 1];
        from.read_exact(&mut kind)?;
        from.read_exact(&mut length)?;
        let rest = read_rest(from, length)?;
        let says = |word: &[u8]| kind[0] == b'Q' && rest.starts_with(word);
        let (before, behind) = match () {
            () if says(b"BEGIN") => (Some(Phase::BeforeBegin), Some(Phase::AfterBegin)),
            () if says(b"COMMIT") => (Some(Phase::BeforeCommit), Some(Phase::BeforeItsAnswer)),
            () if is_within && kind[0] == b'E' => (None, Some(Phase::Middle)),
            () => (None, None),
        };
        if before.is_some_and(|phase| plans.cuts_at(phase)) {
            return Ok(());
        }
        if behind.is_some_and(|phase| plans.cuts_at(phase)) {
            // The server has received it and answers; the answer is dropped.
            is_answer_lost.store(true, Ordering::Release);
        }
        is_within = (is_within || says(b"BEGIN")) && !says(b"COMMIT");
        to.write_all(&[&kind[..], &length[..], &rest[..]].concat())?;
    }
}

/// The rest of a message after its length, which includes itself.
fn read_rest(mut from: &TcpStream, length: [u8; 4]) -> std::io::Result<Vec<u8>> {
    let rest = u32::from_be_bytes(length).saturating_sub(4);
    let mut bytes = vec![0; rest as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[test]
fn cut_off_in_any_phase_of_a_transaction_it_loses_nothing_and_repeats_nothing() {
    let Some(url) = postgres::database() else {
        return;
    };
    let cuts = number("ZOEA_SERVER_FAULTS", CUTS);
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let plans = Plans::default();
    let (head, database) = url.rsplit_once('/').expect("a database");
    let (user, server) = head.rsplit_once('@').expect("a server");
    let port = proxy(server.to_string(), plans.clone());
    // Encrypted messages could not be read.
    let store =
        format!("[store]\ndatabase_url = \"{user}@127.0.0.1:{port}/{database}?sslmode=disable\"\n");
    let mut scene = Scene::new(seed, &store, &std::env::temp_dir());
    assert!(scene.start(|_| ()));
    let (mut stroke, mut kills, mut ends) = (0_u64, 0, 0);
    let total = || plans.0.lock().cut.values().sum::<u64>();
    while total() < cuts || stroke < PHASES.len() as u64 {
        let phase = PHASES[usize::try_from(stroke).unwrap_or(0) % PHASES.len()];
        stroke += 1;
        scene.send();
        if phase == Phase::Terminated {
            pause(Duration::from_millis(scene.dice.u64(..200)));
            let terminate = format!(
                "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
                 WHERE datname = '{database}' AND application_name = 'zoea'"
            );
            if !postgres::column(&url, &terminate).is_empty() {
                plans.count(phase);
            }
        } else {
            plans.set(Some((phase, scene.dice.u64(1..=3))));
            let started = Instant::now();
            while started.elapsed() < PATIENCE && !plans.is_over() {
                pause(Duration::from_millis(5));
            }
            plans.set(None);
        }
        scene.goes_on();
        match scene.dice.u8(..8) {
            0 => {
                kills += 1;
                scene.kill();
            }
            1 => {
                ends += 1;
                assert!(scene.end(), "seed {seed}: in good order");
            }
            _ => continue,
        }
        assert!(scene.start(|_| ()), "seed {seed}: it comes up");
    }
    let cut = std::mem::take(&mut plans.0.lock().cut);
    println!(
        "seed {seed}: {} connections cut in {stroke} strokes ({kills} kills, {ends} orderly ends): {cut:?}",
        cut.values().sum::<u64>(),
    );
    println!("seed {seed}: {}", scene.judge());
    for phase in PHASES {
        assert!(cut.get(&phase).is_some_and(|count| *count > 0), "{phase:?}");
    }
}
