//! Keys: what the table of a section says of each, but for its rule.

/// A line of the table of a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// Its name.
    pub(super) name: &'static str,
    /// Its help in the template, line by line; none where the text of its section says everything.
    pub(super) help: &'static [&'static str],
    /// Its default, or where it has none an example, as TOML.
    pub(super) sample: &'static str,
    /// The variable of the environment that outranks it.
    pub(super) variable: Option<&'static str>,
}

impl Key {
    /// The key of a whole section.
    pub(super) const fn of_section(name: &'static str) -> Self {
        Self {
            name,
            help: &[],
            sample: "",
            variable: None,
        }
    }
}
