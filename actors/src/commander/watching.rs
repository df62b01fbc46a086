//! Watching: what those who look on are told, and what is kept for those who ask.

use std::sync::Arc;

use crate::domain::event::{EventKind, MysisStatus, SwarmEvent};
use crate::domain::login_progress::LoginProgress;
use crate::store::{STORE_HEALED, STORE_TROUBLE};

use super::{CommanderState, Watcher};

impl CommanderState {
    /// The Store or the gate has news. How the budget stands is kept for those who ask; so is
    /// trouble of the Store, which is told once, until its end: whoever comes in between hears of
    /// it too.
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

    /// A new watcher hears how everything stands, then what happens.
    pub(super) fn add_watcher(&mut self, watcher: Watcher) {
        let at = self.now();
        let tell = |mysis, what| {
            // Who is gone already is forgotten with the next event.
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
