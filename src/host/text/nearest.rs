//! The nearest known name, which is suggested for an unknown one.

/// The name in `known` that is most similar to `written`, if one is similar enough. Case makes no difference. What is
/// much longer or shorter than a name is not compared with it letter for letter.
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let written = written.to_lowercase();
    let length = written.chars().count();
    let near = known
        .into_iter()
        .filter_map(|name| Some((distance(&written, length, &name.to_lowercase())?, name)));
    near.min().map(|(_, name)| name)
}

/// How many letters differ, if the names are near: at most a third of the longer one differs, or one begins with the other.
fn distance(written: &str, length: usize, name: &str) -> Option<usize> {
    let name_length = name.chars().count();
    let (longer, apart) = (length.max(name_length), length.abs_diff(name_length));
    if written.len() >= 2 && name.starts_with(written) || written.starts_with(name) {
        return Some(apart);
    }
    if apart * 3 > longer {
        return None;
    }
    let distance = strsim::osa_distance(written, name);
    (distance * 3 <= longer).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_million_letters_is_compared_with_none() {
        let known: Vec<String> = (0..1000).map(|number| format!("miner-{number}")).collect();
        let known = || known.iter().map(String::as_str);
        let began = std::time::Instant::now();
        assert_eq!(nearest(&"x".repeat(1_000_000), known()), None);
        let long = format!("miner-7{}", "x".repeat(1_000_000));
        assert_eq!(nearest(&long, known()), Some("miner-7"));
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
        assert_eq!(nearest("minre-7", known()), Some("miner-7"));
    }

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
