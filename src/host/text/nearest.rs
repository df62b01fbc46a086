//! The nearest known name, which is suggested for an unknown one.

/// The name in `known` that is most similar to `written`, if one is similar enough. Case makes no difference.
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let written = written.to_lowercase();
    known
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = strsim::osa_distance(&written, &lower);
            is_near(&written, &lower, distance).then_some((distance, name))
        })
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
            ("Max_Mysis", Some("max_myses")),
            ("colour", None),
            ("", None),
        ];
        for (written, expected) in cases {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
    }
}
