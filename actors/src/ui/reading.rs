//! Queries of the store and exports, in tasks of their own.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::ActorRef;

use crate::domain::ids::MysisId;
use crate::domain::reading::{PageQuery, SearchQuery};
use crate::domain::samples::SampleQuery;
use crate::domain::screen::{ExportFormat, ReadId};
use crate::ports::ArchiveFault;

use super::{UiMsg, UiState};

/// How long a query of the store may take.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The most earlier events that are shown.
const MAX_PAST_EVENTS: usize = 500;

impl UiState {
    /// Reads a page of a conversation.
    pub(super) fn load_page(&mut self, myself: &ActorRef<UiMsg>, id: ReadId, page: PageQuery) {
        let read = self.archive.page(page);
        let ui = myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::Paged(id, read_in_time(read).await));
        });
    }

    /// Reads earlier events.
    pub(super) fn load_events(&mut self, myself: &ActorRef<UiMsg>) {
        let read = self.archive.events(MAX_PAST_EVENTS);
        let ui = myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::EventsRead(read_in_time(read).await));
        });
    }

    /// Searches a text.
    pub(super) fn search_archive(
        &mut self,
        myself: &ActorRef<UiMsg>,
        id: ReadId,
        search: SearchQuery,
    ) {
        let read = self.archive.search(search);
        let ui = myself.clone();
        self.jobs.spawn(async move {
            let found = read_in_time(read).await.map(|found| found.rows);
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::Searched(id, found));
        });
    }

    /// Reads samples.
    pub(super) fn read_samples(
        &mut self,
        myself: &ActorRef<UiMsg>,
        id: ReadId,
        query: SampleQuery,
    ) {
        let read = self.archive.samples(query);
        let ui = myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::SamplesRead(id, read_in_time(read).await));
        });
    }

    /// Tells what the swarm uses, and then whether its servers answer.
    pub(super) fn check_setup(&mut self, myself: &ActorRef<UiMsg>) {
        let Some(inspector) = self.link.inspector.clone() else {
            return;
        };
        let ui = myself.clone();
        self.jobs.spawn(async move {
            // A Ui that is gone does not need it.
            let _ = ui.cast(UiMsg::SetupChecked(inspector.list()));
            let checked = AssertUnwindSafe(inspector.check()).catch_unwind();
            if let Ok(setup) = checked.await {
                let _ = ui.cast(UiMsg::SetupChecked(setup));
            }
        });
    }

    /// Exports a conversation to a file.
    pub(super) fn export_conversation(
        &mut self,
        myself: &ActorRef<UiMsg>,
        mysis: MysisId,
        name: Arc<str>,
        format: ExportFormat,
    ) {
        let ui = myself.clone();
        let Some(exporter) = &self.link.exporter else {
            let why = "conversations cannot be written from here; `zoea export` does it";
            let _ = ui.cast(UiMsg::Exported(Err(why.to_string())));
            return;
        };
        let export = AssertUnwindSafe(exporter.export(mysis, name, format)).catch_unwind();
        self.jobs.spawn(async move {
            let done = export
                .await
                .unwrap_or_else(|_| Err("the export panicked".to_string()));
            let _ = ui.cast(UiMsg::Exported(done));
        });
    }
}

/// Limits the time of a query.
async fn read_in_time<T>(read: BoxFuture<'static, Result<T, ArchiveFault>>) -> Result<T, String> {
    let read = AssertUnwindSafe(read).catch_unwind();
    match tokio::time::timeout(READ_TIMEOUT, read).await {
        Ok(Ok(answer)) => answer.map_err(|fault| fault.to_string()),
        Ok(Err(_)) => Err("the store panicked".to_string()),
        Err(_) => Err("the store does not answer".to_string()),
    }
}
