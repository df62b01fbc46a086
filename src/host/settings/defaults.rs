//! Tells the operator which defaults are used without a configuration file.

use super::{CONFIG_FILE, LoadedSettings};

impl LoadedSettings {
    /// The defaults in a sentence; `None` if there is a configuration file.
    pub fn describe_defaults(&self) -> Option<String> {
        if self.file.is_some() {
            return None;
        }
        let name = &self.settings.swarm.rules.default_provider;
        let provider = self.settings.providers.get(&**name)?;
        let game = match &self.settings.mcp.upstream {
            // A query may hold a key.
            Some(address) => format!(
                "the game server {}",
                address.split('?').next().unwrap_or_default()
            ),
            None => "no game server".to_owned(),
        };
        Some(format!(
            "there is no {CONFIG_FILE}, so the defaults are used: the provider `{name}` at {} with \
             the model {}, and {game}; `zoea setup` asks for what is needed, `zoea init` writes a {CONFIG_FILE}, `zoea doctor` checks what \
             it names, `zoea run --offline` plays without any of it",
            provider.endpoint, provider.rules.model
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use crate::Settings;

    use super::*;

    #[test]
    fn the_defaults_are_told_where_there_is_no_file() {
        let mut loaded = LoadedSettings {
            settings: Settings::default(),
            file: None,
            warnings: Vec::new(),
        };
        let address = "https://game.spacemolt.com/mcp?key=sk-secret";
        loaded.settings.mcp.upstream = Some(address.to_owned());
        let notice = loaded.describe_defaults().unwrap();
        assert!(!notice.contains("sk-secret"), "{notice}");
        for part in [
            "http://127.0.0.1:11434/v1",
            "qwen3:8b",
            "https://game.spacemolt.com/mcp",
            "zoea init",
            "zoea doctor",
            "--offline",
        ] {
            assert!(notice.contains(part), "{part}: {notice}");
        }
        loaded.file = Some(PathBuf::from("zoea.toml"));
        assert_eq!(loaded.describe_defaults(), None);
    }
}
