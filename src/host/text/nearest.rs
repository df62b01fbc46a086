//! The nearest known name, which is suggested for an unknown one.

/// The name in `known` that is most similar to `written`, if one is similar enough.
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(written, name), name))
        .filter(|(distance, name)| is_near(written, name, *distance))
        .min()
        .map(|(_, name)| name)
}

/// Names are near if at most a third of the longer one differs, or if one begins with the other.
fn is_near(written: &str, name: &str, distance: usize) -> bool {
    let is_beginning = written.len() >= 2 && name.starts_with(written) || written.starts_with(name);
    let longer = written.chars().count().max(name.chars().count());
    is_beginning || distance * 3 <= longer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let known = [
            "max_myses",
            "turn_pause",
            "max_tool_iterations",
            "api_key_env",
            "api_key_name",
        ];
        let cases = [
            ("max_mysis", Some("max_myses")),
            ("maxmyses", Some("max_myses")),
            ("turn_puase", Some("turn_pause")),
            ("tool_iterations", Some("max_tool_iterations")),
            ("api_key", Some("api_key_env")),
            ("colour", None),
            ("", None),
        ];
        for (written, expected) in cases {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
    }
}
