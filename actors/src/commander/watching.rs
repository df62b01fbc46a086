//! Watching: what those who look on are told, and what is kept for those who ask.

use std::sync::Arc;

use crate::domain::arrival::Arrival;
use crate::domain::event::{EventKind, MysisStatus, SwarmEvent};
use crate::store::{STORE_HEALED, STORE_TROUBLE};

use super::{CommanderState, Watcher};

impl CommanderState {
    /// The Store or the gate has news. How the budget stands is kept for those who ask; so is
    /// trouble of the Store, which is told once, until its end: whoever comes in between hears of
    /// it too.
    pub(super) fn heard(&mut self, mut news: SwarmEvent) {
        if let EventKind::Notice { text, .. } = &mut news.what {
            *text = self.secrets.clean(text).as_ref().into();
        }
        if let EventKind::Spending(spending) = &news.what {
            self.spending = spending.clone();
        }
        if let EventKind::Weather(weather) = &news.what {
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

    pub(super) fn trouble(&self) -> Option<Arc<str>> {
        let EventKind::Notice { text, .. } = &self.store_trouble.as_ref()?.what else {
            return None;
        };
        Some(text.clone())
    }

    /// A new watcher hears how everything stands, then what happens.
    pub(super) fn watch(&mut self, watcher: Watcher) {
        let at = self.now();
        let tell = |mysis, what| {
            // Who is gone already is forgotten with the next event.
            let _ = watcher.send_message(Arc::new(SwarmEvent { at, mysis, what }));
        };
        let mission = self.mission.as_ref().map(|mission| mission.text.clone());
        tell(None, EventKind::Mission(mission));
        tell(None, EventKind::Spending(self.spending.clone()));
        tell(None, EventKind::Weather(self.weather.clone()));
        for member in self.members.values() {
            let who = Some(member.who());
            tell(who, EventKind::Standing(member.standing.clone()));
        }
        if let Some(trouble) = &self.store_trouble {
            tell(None, trouble.what.clone());
        }
        self.watchers.push(watcher);
    }

    pub(super) fn arrival(&self) -> Option<Arrival> {
        let standings = self.members.values().map(|member| &*member.standing);
        Arrival::of_all(standings, self.rules.tools.logins_per_minute)
    }

    pub(super) fn standings(&self) -> Vec<Arc<MysisStatus>> {
        let mut standings: Vec<Arc<MysisStatus>> = self
            .members
            .values()
            .map(|member| member.standing.clone())
            .collect();
        standings.sort_by(|a, b| a.name.cmp(&b.name));
        standings
    }
}
