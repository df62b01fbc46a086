//! How many idle connections are kept for each server, and for how long.

use std::time::Duration;

/// The most: as many as some hundred Myses use at once. Opening one anew costs up to three round trips
/// and, with TLS, more time of the processor than a request does.
const MAX_IDLE: u64 = 256;
/// The descriptors of the system for each of them. Where there are fewer than for 64, as usual systems
/// have, some are left for the operator's connections.
const DESCRIPTORS_PER_IDLE: u64 = 16;
const USUAL_IDLE: u64 = 64;
const FEW_IDLE: usize = 8;

/// How long an idle connection is kept. A swarm that plays needs each again within seconds, and its
/// first requests, which all Myses make together, leave many that it does not need any more. One that
/// is idle for long may be closed by its server just as a call is sent.
pub(crate) const IDLE_TIME: Duration = Duration::from_secs(20);

/// The idle connections for each server where the system allows so many descriptors.
pub(crate) fn max_idle(descriptors: u64) -> usize {
    match descriptors / DESCRIPTORS_PER_IDLE {
        0..USUAL_IDLE => FEW_IDLE,
        idle @ USUAL_IDLE.. => usize::try_from(idle.min(MAX_IDLE)).unwrap_or(FEW_IDLE),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::serve::ListenerExt as _;
    use tokio::sync::Barrier;
    use tokio::task::JoinSet;

    use super::*;

    const TOGETHER: usize = 100;

    #[test]
    fn few_descriptors_leave_some_for_the_operator() {
        let idle = [256, 1_023, 1_024, 2_048, 20_000, u64::MAX].map(max_idle);
        assert_eq!(idle, [8, 8, 64, 128, 256, 256]);
    }

    #[tokio::test]
    async fn a_hundred_who_ask_together_find_their_connections_again() {
        let together = Arc::new(Barrier::new(TOGETHER));
        let app = axum::Router::new().fallback(move || {
            let together = together.clone();
            async move {
                together.wait().await;
                "{}"
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = opened.clone();
        let listener = listener.tap_io(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        let http = crate::build_direct_client().unwrap();
        // A connection is given back by a task of its own, so the first rounds may open more.
        for _ in 0..50 {
            let before = opened.load(Ordering::SeqCst);
            let mut asked = JoinSet::new();
            for _ in 0..TOGETHER {
                let request = http.get(&url).send();
                asked.spawn(async move { request.await.unwrap().text().await.unwrap() });
            }
            assert_eq!(asked.join_all().await.len(), TOGETHER);
            if opened.load(Ordering::SeqCst) == before {
                return;
            }
        }
        // Each round of fewer idle ones opens the others again.
        panic!("each round opens connections");
    }
}
