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

    /// The Myses that orders go to: the one in focus, else the marked ones, else the selected one or those of the
    /// selected group.
    #[must_use]
    pub fn targets(&self) -> Vec<MysisId> {
        if self.focus.is_some() {
            return self.target().map(|status| status.id).into_iter().collect();
        }
        match self.table.marks().is_empty() {
            true => self.table.selected_myses().to_vec(),
            false => self.table.marks().iter().copied().collect(),
        }
    }

    pub(in crate::dashboard) fn name_of(&self, id: MysisId) -> Arc<str> {
        let member = self.roster.get(id);
        member.map_or_else(|| "?".into(), |member| member.status.name.clone())
    }
}
