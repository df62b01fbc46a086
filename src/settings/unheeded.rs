//! Settings that are read and checked and that nothing heeds yet: whoever sets one is told.

use super::Settings;

impl Settings {
    /// What is set and not heeded yet, a sentence each.
    #[must_use]
    pub fn unheeded(&self) -> Vec<String> {
        let mut told = Vec::new();
        let budget = &self.budget;
        if budget.tokens_per_mysis_per_day.is_some() || budget.usd_per_day.is_some() {
            told.push("[budget] is not enforced yet: nothing pauses when it is spent".to_string());
        }
        for (name, provider) in &self.providers {
            if provider.fallback.is_some() {
                told.push(format!(
                    "providers.{name}.fallback is not used yet: while {name} is down, its Myses wait"
                ));
            }
        }
        if self.metrics.listen.is_some() {
            told.push("[metrics] is not served yet".to_string());
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::super::Budget;
    use super::*;

    #[test]
    fn what_nothing_heeds_is_told() {
        let mut settings = Settings::default();
        assert!(settings.unheeded().is_empty());
        settings.budget = Budget {
            usd_per_day: Some(5.0),
            ..Budget::default()
        };
        let told = settings.unheeded();
        assert!(told.len() == 1 && told[0].contains("[budget]"), "{told:?}");
    }
}
