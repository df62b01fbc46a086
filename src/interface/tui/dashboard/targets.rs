//! The Myses that keys and orders act upon.

use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;

use super::Dashboard;

impl Dashboard {
    /// The Mysis that keys act upon: the one in focus, else the selected one.
    #[must_use]
    pub fn target(&self) -> Option<&Arc<MysisStatus>> {
        let id = match &self.focus {
            Some(focus) => Some(focus.mysis()),
            None => self.table.selected(),
        };
        Some(&self.roster.get(id?)?.status)
    }

    /// The Myses that orders go to: the one in focus, else the marked ones, else the selected one.
    #[must_use]
    pub fn targets(&self) -> Vec<MysisId> {
        if self.focus.is_none() && !self.table.marks().is_empty() {
            return self.table.marks().iter().copied().collect();
        }
        self.target().map(|status| status.id).into_iter().collect()
    }

    pub(in crate::dashboard) fn name_of(&self, id: MysisId) -> Arc<str> {
        let member = self.roster.get(id);
        member.map_or_else(|| "?".into(), |member| member.status.name.clone())
    }
}
