//! Warns about settings that are read and checked but have no effect yet.

use super::Settings;

impl Settings {
    /// A sentence for each setting that has no effect yet.
    pub fn ignored_settings(&self) -> Vec<String> {
        let limits = [self.budget.mysis, self.budget.swarm];
        let counts_dollars = limits.iter().any(|of| of.cost_micros.is_some());
        let providers = self.providers.iter();
        let without = providers.filter(|(_, of)| counts_dollars && !of.has_price());
        let remarks = without.map(|(name, _)| {
            format!(
                "providers.{name} has no price: what it costs is unknown and does not count for the \
                 budget in dollars"
            )
        });
        remarks.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_heeds_is_told() {
        let mut settings = Settings::default();
        assert!(settings.ignored_settings().is_empty());
        settings.budget.swarm.cost_micros = Some(5_000_000);
        let remarks = settings.ignored_settings();
        assert!(
            remarks.len() == 1 && remarks[0].contains("no price"),
            "{remarks:?}"
        );
    }
}
