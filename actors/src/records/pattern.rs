//! Patterns with which the operator names tools.

pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    // A text has at least one part.
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_whole_names() {
        for (pattern, name, is_meant) in [
            ("mine", "mine", true),
            ("mine", "undermine", false),
            ("get_*", "get_status", true),
            ("get_*", "forget_it", false),
            ("*_log_*", "captains_log_add", true),
            ("*", "", true),
            ("", "mine", false),
            ("a*a", "a", false),
            ("a*b*c", "a_c_b", false),
            ("a*b*c", "abbc", true),
        ] {
            assert_eq!(matches_pattern(pattern, name), is_meant, "{pattern} {name}");
        }
    }
}
