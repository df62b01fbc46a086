//! Queries of the store and exports, in tasks of their own.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::domain::ids::Timestamp;
use crate::domain::reading::{EVENT_PAGE, EventQuery};
use crate::domain::screen::{FileOrder, ReadId, StoreAnswer, StoreQuery};
use crate::domain::swarm_books::{BooksQuery, SwarmBooks};
use crate::ports::{Archive, ArchiveFault};

use super::{UiMsg, UiState};

const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The queries under way. They end with the Ui. They run beside the swarm's other queries, because a
/// connection belongs to the runtime that opened it, and that may not be the Ui's.
pub(super) struct ReadingTasks {
    tasks: JoinSet<()>,
    runtime: Handle,
}

impl ReadingTasks {
    pub(super) fn new(runtime: Handle) -> ReadingTasks {
        ReadingTasks {
            tasks: JoinSet::new(),
            runtime,
        }
    }

    fn spawn(&mut self, query: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(query, &self.runtime);
    }

    pub(super) fn forget_ended(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }
}

impl UiState {
    pub(super) fn read_store(&mut self, id: ReadId, query: StoreQuery) {
        let read = answer_of(self.archive.clone(), query).boxed();
        let ui = self.myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::Read(id, read_in_time(read).await));
        });
    }

    pub(super) fn load_events(&mut self) {
        let read = self.archive.events(EventQuery::newest(EVENT_PAGE));
        let ui = self.myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::EventsRead(read_in_time(read).await));
        });
    }

    /// Tells what the swarm uses, and then whether its servers answer.
    pub(super) fn check_setup(&mut self) {
        let Some(inspector) = self.link.inspector.clone() else {
            return;
        };
        let ui = self.myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::SetupChecked(inspector.list()));
            let checked = AssertUnwindSafe(inspector.check()).catch_unwind();
            if let Ok(setup) = checked.await {
                let _ = ui.cast(UiMsg::SetupChecked(setup));
            }
        });
    }

    pub(super) fn write_file(&mut self, order: FileOrder) {
        let ui = self.myself.clone();
        let Some(archivist) = &self.link.archivist else {
            let why =
                "no file can be written from here; `zoea export`, `report` and `db backup` do it";
            let _ = ui.cast(UiMsg::Exported(Err(why.to_string())));
            return;
        };
        let write = AssertUnwindSafe(archivist.write(order)).catch_unwind();
        self.jobs.spawn(async move {
            let done = write
                .await
                .unwrap_or_else(|_| Err("the export panicked".to_string()));
            let _ = ui.cast(UiMsg::Exported(done));
        });
    }

    /// Sums up what happened since a time. What cannot be read is in the log: nobody asked for it.
    pub(super) fn sum_up(&mut self, since: Timestamp) {
        let Some(archivist) = &self.link.archivist else {
            return;
        };
        let ui = self.myself.clone();
        let summary = AssertUnwindSafe(archivist.sum_up(since)).catch_unwind();
        self.jobs.spawn(async move {
            match summary.await {
                Ok(Ok(summary)) => drop(ui.cast(UiMsg::SummedUp(since, summary))),
                Ok(Err(error)) => tracing::warn!(%error, "failed to sum up what happened"),
                Err(_) => tracing::error!("the summary panicked"),
            }
        });
    }
}

async fn answer_of(
    archive: Arc<dyn Archive>,
    query: StoreQuery,
) -> Result<StoreAnswer, ArchiveFault> {
    Ok(match query {
        StoreQuery::Page(query) => StoreAnswer::Page(archive.page(query).await?),
        StoreQuery::Search(query) => StoreAnswer::Search(archive.search(query).await?),
        StoreQuery::Samples(query) => StoreAnswer::Samples(archive.samples(query).await?),
        StoreQuery::Books(query) => StoreAnswer::Books(books_of(&*archive, &query).await?),
        StoreQuery::SystemMap(query) => StoreAnswer::SystemMap(archive.system_map(query).await?),
        StoreQuery::Processes => StoreAnswer::Processes(archive.processes().await?),
        StoreQuery::Events(query) => StoreAnswer::Events(archive.events(query).await?),
    })
}

async fn books_of(archive: &dyn Archive, query: &BooksQuery) -> Result<SwarmBooks, ArchiveFault> {
    let costs = archive.books(query.first).await?;
    let saved = archive.saved_calls(query.first).await?;
    let series = archive.samples(query.samples(&costs)).await?;
    Ok(SwarmBooks::new(costs, saved, &series))
}

async fn read_in_time<T>(read: BoxFuture<'static, Result<T, ArchiveFault>>) -> Result<T, String> {
    let read = AssertUnwindSafe(read).catch_unwind();
    match tokio::time::timeout(READ_TIMEOUT, read).await {
        Ok(Ok(answer)) => answer.map_err(|fault| fault.to_string()),
        Ok(Err(_)) => Err("the store panicked".to_string()),
        Err(_) => Err("the store does not answer".to_string()),
    }
}
