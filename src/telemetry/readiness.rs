//! Readiness: tells the service manager that started the program about its state (`sd_notify`).
//!
//! Each message is a datagram to the socket that the environment names; without a name no message
//! is sent. The program never waits for the manager: a message that it cannot take now is dropped,
//! and the next one tells the newest state. The watchdog gets its signs of life only while the
//! Commander answers.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::state::LifeState;
use tokio_util::task::AbortOnDropHandle;
use zoea_settings::Environment;

use crate::interface::swarm::Swarm;

/// The longest time between two status messages.
const STATUS_INTERVAL: Duration = Duration::from_secs(15);
/// The time that the Commander has to answer; after it the watchdog gets no sign of life.
const COMMANDER_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct ServiceManager {
    socket: Option<Arc<NotifySocket>>,
    /// The longest time that the manager waits for a sign of life.
    watchdog: Option<Duration>,
}

#[derive(Debug)]
struct NotifySocket {
    ours: UnixDatagram,
    theirs: SocketAddr,
}

impl ServiceManager {
    /// The manager that the environment names (`NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`).
    pub fn of(environment: &Environment) -> ServiceManager {
        let Some(name) = environment.get("NOTIFY_SOCKET") else {
            return ServiceManager::default();
        };
        let socket = NotifySocket::open(name.as_bytes())
            .inspect_err(|error| tracing::warn!(%error, "failed to reach the service manager"))
            .ok();
        ServiceManager {
            socket: socket.map(Arc::new),
            watchdog: watchdog_timeout(environment),
        }
    }

    /// Tells that the control interface is open and the swarm runs. Status messages follow until
    /// the returned handle is dropped.
    pub fn ready(&self, swarm: &Swarm) -> Option<AbortOnDropHandle<()>> {
        self.notify("READY=1");
        let socket = self.socket.clone()?;
        let beating = report_status(socket, swarm.clone(), self.watchdog);
        Some(AbortOnDropHandle::new(tokio::spawn(beating)))
    }

    /// Tells that the configuration is being read again.
    pub fn reloading(&self) {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let micros = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1000;
        self.notify(&format!("RELOADING=1\nMONOTONIC_USEC={micros}"));
    }

    pub fn reloaded(&self) {
        self.notify("READY=1");
    }

    pub fn stopping(&self) {
        self.notify("STOPPING=1\nSTATUS=closing");
    }

    fn notify(&self, words: &str) {
        if let Some(socket) = &self.socket {
            socket.notify(words);
        }
    }
}

impl NotifySocket {
    /// Opens the socket of this name: a path, or `@` and an abstract name without a file.
    fn open(name: &[u8]) -> std::io::Result<NotifySocket> {
        let theirs = match name.strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(std::ffi::OsStr::from_bytes(name))?,
        };
        let ours = UnixDatagram::unbound()?;
        ours.set_nonblocking(true)?;
        Ok(NotifySocket { ours, theirs })
    }

    fn notify(&self, words: &str) {
        if let Err(error) = self.ours.send_to_addr(words.as_bytes(), &self.theirs) {
            tracing::debug!(%error, words, "failed to notify the service manager");
        }
    }
}

/// The longest time that the manager waits for a sign of life, if it does so for this process.
fn watchdog_timeout(environment: &Environment) -> Option<Duration> {
    let number = |name: &str| -> Option<u64> { environment.get(name)?.to_str()?.parse().ok() };
    let is_ours = environment.get("WATCHDOG_PID").is_none()
        || number("WATCHDOG_PID") == Some(u64::from(std::process::id()));
    let micros = number("WATCHDOG_USEC").filter(|micros| is_ours && *micros > 0)?;
    Some(Duration::from_micros(micros))
}

/// Sends signs of life twice as often as the watchdog needs them, and the status when it changes.
async fn report_status(socket: Arc<NotifySocket>, swarm: Swarm, watchdog: Option<Duration>) {
    let half = watchdog.map_or(STATUS_INTERVAL, |longest| longest / 2);
    let mut pause = tokio::time::interval(half.min(STATUS_INTERVAL));
    pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last = String::new();
    loop {
        pause.tick().await;
        let answer = tokio::time::timeout(COMMANDER_TIMEOUT, status_line(&swarm)).await;
        let Ok(status) = answer else {
            tracing::warn!(
                "the commander does not answer, so the service manager's watchdog gets no sign of life"
            );
            continue;
        };
        if watchdog.is_some() {
            socket.notify("WATCHDOG=1");
        }
        if status != last {
            socket.notify(&format!("STATUS={status}"));
            last = status;
        }
    }
}

/// The number of Myses of this process in each state, in one line.
async fn status_line(swarm: &Swarm) -> String {
    let mut statuses = swarm.statuses().await;
    statuses.retain(|status| status.elsewhere.is_none());
    let states = LifeState::ALL.map(|state| {
        let count = statuses.iter().filter(|status| status.state == state);
        format!("{} {}", count.count(), state.as_str())
    });
    let frozen = match swarm.frozen_since().await {
        Some(since) => format!("frozen since {since}; "),
        None => String::new(),
    };
    format!("{frozen}{} Myses: {}", statuses.len(), states.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_of_another_process_is_not_ours() {
        let of = |variables: &[(&str, &str)]| {
            watchdog_timeout(&Environment::new(variables.iter().copied()))
        };
        let ours = std::process::id().to_string();
        assert_eq!(of(&[]), None);
        let second = ("WATCHDOG_USEC", "1000000");
        assert_eq!(of(&[second]), Some(Duration::from_secs(1)));
        assert_eq!(
            of(&[second, ("WATCHDOG_PID", &ours)]),
            Some(Duration::from_secs(1))
        );
        assert_eq!(of(&[second, ("WATCHDOG_PID", "1")]), None);
        assert_eq!(of(&[("WATCHDOG_USEC", "0")]), None);
        assert_eq!(of(&[("WATCHDOG_USEC", "soon")]), None);
    }

    #[test]
    fn a_socket_may_be_without_a_file() {
        let name = format!("zoea-{}", uuid::Uuid::new_v4());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let manager = UnixDatagram::bind_addr(&address).unwrap();
        let environment = Environment::new([("NOTIFY_SOCKET", format!("@{name}"))]);
        ServiceManager::of(&environment).stopping();
        let mut words = [0; 64];
        let count = manager.recv(&mut words).unwrap();
        assert_eq!(&words[..count], b"STOPPING=1\nSTATUS=closing");
    }
}
