//! The machine's name.

/// Where Linux says it.
const PLACES: [&str; 2] = ["/proc/sys/kernel/hostname", "/etc/hostname"];

/// The name of this machine; where the system does not say it, a word for that.
pub fn host_name() -> String {
    let texts = PLACES
        .iter()
        .filter_map(|place| std::fs::read_to_string(place).ok());
    let mut names = texts.map(|text| text.trim().to_string());
    let name = names.find(|name| !name.is_empty());
    name.unwrap_or_else(|| "this machine".to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_machine_has_a_name() {
        assert!(!super::host_name().trim().is_empty());
    }
}
