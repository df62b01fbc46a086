//! The nearest known key, which is suggested for an unknown one.

use zoea_text::nearest;

/// The key in `known` that is most similar to `written`, whatever its letters' case and its dashes, if one is
/// similar enough.
pub(super) fn nearest<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    let written = written.to_lowercase().replace('-', "_");
    nearest::nearest(&written, known.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_they_are_written() {
        assert_eq!(
            nearest("MAX-MYSES", &["max_myses", "turn_pause"]),
            Some("max_myses")
        );
    }
}
