//! A key's entry in the table of its section, without its rule.

/// A key's entry in the table of its section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    /// Its help in the template, line by line; empty if the section's text says everything.
    pub(super) help: &'static [&'static str],
    /// Its default as TOML, or an example if it has no default; empty if the frame of the template
    /// says everything.
    pub(super) sample: &'static str,
    /// The environment variable that overrides it.
    pub(super) variable: Option<&'static str>,
}

impl Key {
    pub(super) const fn of_section(name: &'static str) -> Self {
        Self {
            name,
            help: &[],
            sample: "",
            variable: None,
        }
    }
}
