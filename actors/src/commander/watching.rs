//! Informs watchers about the swarm, and keeps facts for later queries.

use std::sync::Arc;

use crate::domain::event::{EventKind, MysisStatus, SwarmEvent};
use crate::domain::login_progress::LoginProgress;
use crate::store::{STORE_HEALED, STORE_TROUBLE};

use super::{CommanderState, Watcher};

impl CommanderState {
    /// Handles an event of the Store or the gate. The state of the budget is kept for queries. A
    /// failure of the Store is kept until it ends, so that watchers who come meanwhile are told,
    /// too.
    pub(super) fn on_child_event(&mut self, mut news: SwarmEvent) {
        if let EventKind::Notice { text, .. } = &mut news.what {
            *text = self.secrets.clean(text).as_ref().into();
        }
        if let EventKind::BudgetChanged(spending) = &news.what {
            self.spending = spending.clone();
        }
        if let EventKind::OutagesChanged(weather) = &news.what {
            self.weather = weather.clone();
        }
        if let EventKind::Notice { code, .. } = news.what {
            match code {
                STORE_TROUBLE => self.store_trouble = Some(news.clone()),
                STORE_HEALED => self.store_trouble = None,
                _ => {}
            }
        }
        self.tell_all(news);
    }

    pub(super) fn trouble_text(&self) -> Option<Arc<str>> {
        let EventKind::Notice { text, .. } = &self.store_trouble.as_ref()?.what else {
            return None;
        };
        Some(text.clone())
    }

    /// Adds a watcher and sends it the present state first.
    pub(super) fn add_watcher(&mut self, watcher: Watcher) {
        let at = self.now();
        let tell = |mysis, what| {
            // A watcher that is gone is removed with the next event.
            let _ = watcher.send_message(Arc::new(SwarmEvent { at, mysis, what }));
        };
        let mission = self.mission.as_ref().map(|mission| mission.text.clone());
        tell(None, EventKind::Mission(mission));
        tell(None, EventKind::BudgetChanged(self.spending.clone()));
        tell(None, EventKind::OutagesChanged(self.weather.clone()));
        for member in self.members.values() {
            let who = Some(member.mysis_ref());
            tell(who, EventKind::StatusChanged(member.standing.clone()));
        }
        if let Some(trouble) = &self.store_trouble {
            tell(None, trouble.what.clone());
        }
        self.watchers.push(watcher);
    }

    pub(super) fn login_progress(&self) -> Option<LoginProgress> {
        let statuses = self.members.values().map(|member| &*member.standing);
        LoginProgress::of_all(statuses, self.rules.tools.logins_per_minute)
    }

    pub(super) fn statuses(&self) -> Vec<Arc<MysisStatus>> {
        let mut statuses: Vec<Arc<MysisStatus>> = self
            .members
            .values()
            .map(|member| member.standing.clone())
            .collect();
        statuses.sort_by(|a, b| a.name.cmp(&b.name));
        statuses
    }
}
