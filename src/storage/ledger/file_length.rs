//! The length of the database file. Only compaction makes it shorter; a file that is shorter without
//! one was cut.

#[derive(Debug, Default)]
pub(super) struct FileLength {
    longest: u64,
    /// The compactions in progress.
    compactions: u32,
    /// The length that the file had after a compaction, if it still has pages that this has given back.
    /// The file is cut by the checkpoint that carries the whole log, which may come later: a reader
    /// holds it up. Once the file is longer, its pages are in use again, and no cut is awaited.
    awaits_checkpoint: Option<u64>,
}

impl FileLength {
    /// Takes the length that the file has now. Returns whether somebody else has cut it.
    pub(super) fn see(&mut self, length: u64) -> bool {
        if length >= self.longest {
            self.longest = length;
            self.awaits_checkpoint = self.awaits_checkpoint.filter(|after| length <= *after);
            return false;
        }
        let is_ours = self.compactions > 0 || self.awaits_checkpoint.is_some();
        if is_ours {
            self.longest = length;
            self.awaits_checkpoint = self.awaits_checkpoint.filter(|_| self.compactions > 0);
        }
        !is_ours
    }

    pub(super) fn longest(&self) -> u64 {
        self.longest
    }

    pub(super) fn begin_compaction(&mut self) {
        self.compactions += 1;
    }

    /// Ends a compaction after which the file has this length, and its pages take this many bytes,
    /// if that is known.
    pub(super) fn end_compaction(&mut self, length: u64, content: Option<u64>) {
        self.compactions = self.compactions.saturating_sub(1);
        self.longest = length;
        if content.is_none_or(|content| length > content) {
            self.awaits_checkpoint = Some(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_shorter_by_a_compaction_alone_also_where_its_checkpoint_comes_later() {
        let mut file = FileLength::default();
        assert!(!file.see(10));
        assert!(!file.see(12));
        assert!(file.see(11), "cut");
        let mut file = FileLength::default();
        file.see(12);
        file.begin_compaction();
        file.begin_compaction();
        assert!(!file.see(9));
        file.end_compaction(9, Some(5));
        assert!(!file.see(7), "the second one goes on");
        file.end_compaction(7, Some(5));
        assert!(!file.see(7), "nothing has happened yet");
        assert!(!file.see(6), "the checkpoint");
        assert!(file.see(5), "cut");
        let mut file = FileLength::default();
        file.see(12);
        file.begin_compaction();
        file.end_compaction(5, Some(5));
        assert!(file.see(4), "nothing is awaited");
    }

    #[test]
    fn a_file_that_has_grown_since_its_compaction_awaits_no_checkpoint() {
        let mut file = FileLength::default();
        file.see(12);
        file.begin_compaction();
        file.end_compaction(12, Some(5));
        assert!(!file.see(12), "the checkpoint is held up");
        assert!(!file.see(13), "what was given back is in use again");
        assert!(file.see(9), "cut");
    }

    #[test]
    fn a_file_that_is_too_long_at_its_opening_may_become_shorter_once() {
        let mut file = FileLength::default();
        file.end_compaction(12, Some(5));
        assert!(!file.see(12));
        assert!(!file.see(5), "the checkpoint");
        assert!(file.see(4), "cut");
    }
}
