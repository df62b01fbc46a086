//! Opens a conversation from a list over the view, and goes back to the list as it was.

use actors::domain::ids::MysisId;

use super::Dashboard;
use super::conversation::Focus;
use super::conversation::ListBehind;

impl Dashboard {
    /// Opens a conversation. Esc goes back from it to what is open now.
    pub(super) fn open_from_list(&mut self, id: MysisId) {
        let behind = ListBehind {
            layers: std::mem::take(&mut self.overlays),
            focus: self.focus.as_ref().map(Focus::mysis),
        };
        self.open(id);
        if let Some(focus) = &mut self.focus {
            focus.behind = Some(Box::new(behind));
        }
    }

    /// Goes back to the list from which the conversation was opened. Returns whether there was one.
    pub(super) fn return_to_list(&mut self) -> bool {
        let behind = self.focus.as_mut().and_then(|focus| focus.behind.take());
        let Some(behind) = behind else {
            return false;
        };
        self.focus = None;
        if let Some(before) = behind.focus.filter(|id| self.roster.get(*id).is_some()) {
            self.open(before);
        }
        self.overlays = behind.layers;
        // Answers that came meanwhile found nobody.
        self.forget_reads();
        true
    }

    /// Lets the layers ask again for what they wait for, because the answers may be lost.
    pub(super) fn forget_reads(&mut self) {
        if let Some(preview) = &mut self.preview {
            preview.forget_read();
        }
        for layer in &mut self.overlays {
            if let Some(view) = layer.view_mut() {
                view.forget_reads();
            }
        }
    }
}
