//! The terminal's options from command line, environment and configuration.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use actors::ports::Clock;
use actors::ui::{self, TerminalLink};
use anyhow::{Context, anyhow};
use clap::Args;
use clap::builder::PossibleValuesParser;
use tokio_util::sync::CancellationToken;
use zoea_settings::{Environment, TuiSettings};
use zoea_system::clock::MachineClock;
use zoea_tui::dashboard::appearance::{Appearance, Letters, Motion, Theme};
use zoea_tui::dashboard::text::figures::UtcOffset;
use zoea_tui::dashboard::view_choices::ViewChoices;

use crate::host::home::Home;
use crate::interface::input_history::{keep_history, read_history};
use crate::interface::report::WallClock;
use zoea_tui::theme::{Depth, weak_colours};
use zoea_tui::{DashboardTerminal, TerminalGuard, TerminalOptions};

/// How the terminal is to look; these go before the configuration.
#[derive(Debug, Default, Args)]
pub(super) struct LookArgs {
    /// Colours: dark, light, contrast, terminal (its own 16 colours) or none.
    #[arg(long, value_name = "THEME",
          value_parser = PossibleValuesParser::new(Theme::ALL.map(Theme::as_str)))]
    theme: Option<String>,
    /// ASCII letters only.
    #[arg(long)]
    ascii: bool,
    /// No animation: only figures change.
    #[arg(long)]
    reduced_motion: bool,
}

/// Takes the terminal over. Returns the link for the Commander, which tells when the operator quits.
pub(super) fn open_terminal(
    home: &Home,
    settings: &TuiSettings,
    look: &LookArgs,
    environment: &Environment,
) -> anyhow::Result<(TerminalLink, TerminalGuard)> {
    require_terminal(environment)
        .map_err(|why| anyhow!("{why}; `zoea run --headless` runs without a terminal"))?;
    let options = terminal_options(home, settings, look, environment);
    let (address, handle) = ui::new_address();
    let (display, terminal) = TerminalGuard::start(handle, options).context("open the terminal")?;
    let link = TerminalLink {
        terminal: DashboardTerminal::new(display),
        address: Arc::new(address),
        quit: CancellationToken::new(),
        successor: Arc::default(),
        archivist: None,
        inspector: None,
    };
    Ok((link, terminal))
}

/// # Errors
/// The program was not started in a terminal, or in one that cannot place text.
pub(super) fn require_terminal(environment: &Environment) -> anyhow::Result<()> {
    if !has_terminal() {
        anyhow::bail!("there is no terminal here");
    }
    if environment.get("TERM").is_some_and(|term| term == "dumb") {
        anyhow::bail!("this terminal cannot place text on its screen (TERM=dumb)");
    }
    Ok(())
}

/// Whether the program was started in a terminal.
pub(super) fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Sentences about chosen colours that are hard to read.
pub(super) fn colour_warnings(
    settings: &TuiSettings,
    look: &LookArgs,
    environment: &Environment,
) -> Vec<String> {
    weak_colours(&appearance(settings, look, environment))
}

impl LookArgs {
    /// The options as they are written on a command line.
    pub(super) fn words(&self) -> Vec<&str> {
        let mut words = Vec::new();
        if let Some(theme) = &self.theme {
            words.extend(["--theme", theme]);
        }
        words.extend(self.ascii.then_some("--ascii"));
        words.extend(self.reduced_motion.then_some("--reduced-motion"));
        words
    }
}

/// The terminal's options and the file of its history.
pub(super) fn terminal_options(
    home: &Home,
    settings: &TuiSettings,
    look: &LookArgs,
    environment: &Environment,
) -> TerminalOptions {
    TerminalOptions {
        appearance: appearance(settings, look, environment),
        keymap: settings.keymap.clone(),
        depth: colour_depth(environment),
        history: read_history(&home.history()),
        keep_history: Box::new({
            let home = home.clone();
            move |history| keep_history(&home, history)
        }),
        choices: read_choices(&home.view_choices()),
        keep_choices: Box::new({
            let home = home.clone();
            move |choices| keep_choices(&home, choices)
        }),
        dumps: home.screens(),
    }
}

/// The appearance. The command line takes precedence over the environment, and that over the
/// configuration.
fn appearance(settings: &TuiSettings, look: &LookArgs, environment: &Environment) -> Appearance {
    let theme = match (&look.theme, is_set(environment, "NO_COLOR")) {
        (Some(name), _) => name.parse().ok(),
        (None, true) => Some(Theme::NoColour),
        (None, false) => settings.theme,
    };
    let letters = if look.ascii {
        Letters::Ascii
    } else {
        settings.letters.unwrap_or(letters_of_locale(environment))
    };
    let motion = if look.reduced_motion {
        Motion::Reduced
    } else {
        settings.motion
    };
    let theme = theme.unwrap_or_default();
    Appearance {
        theme,
        colours: settings.colours.on_top_of(theme),
        letters,
        motion,
        mouse: settings.mouse,
        notify: settings.notify,
        offset: local_offset(),
        ..Appearance::default()
    }
}

fn letters_of_locale(environment: &Environment) -> Letters {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find(|name| is_set(environment, name));
    match locale {
        Some(name) if !contains_any(environment, name, &["utf-8", "utf8"]) => Letters::Ascii,
        Some(_) | None => Letters::Unicode,
    }
}

fn colour_depth(environment: &Environment) -> Depth {
    if contains_any(environment, "COLORTERM", &["truecolor", "24bit"]) {
        Depth::True
    } else {
        Depth::Indexed
    }
}

fn is_set(environment: &Environment, name: &str) -> bool {
    environment.get(name).is_some_and(|value| !value.is_empty())
}

fn contains_any(environment: &Environment, name: &str, words: &[&str]) -> bool {
    environment
        .get(name)
        .and_then(|value| value.to_str())
        .is_some_and(|value| words.iter().any(|word| value.to_lowercase().contains(word)))
}

/// The offset of this machine's time zone from UTC.
fn local_offset() -> UtcOffset {
    UtcOffset::of_zone(MachineClock.now(), |at| {
        i16::try_from(WallClock::Local.offset_ms(at) / 60_000).unwrap_or_default()
    })
}

/// The largest file of choices about the views that is read, in bytes. The program writes some hundred.
const MAX_CHOICES_BYTES: u64 = 64 << 10;

/// Reads what the operator chose about the views. A file that cannot be read, or says something else, counts as no
/// choices.
pub(super) fn read_choices(file: &Path) -> ViewChoices {
    let read = zoea_system::files::read_text(file, MAX_CHOICES_BYTES);
    let parsed = read.and_then(|text| Ok(serde_json::from_str(&text)?));
    match parsed {
        Ok(choices) => choices,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => ViewChoices::default(),
        Err(error) => {
            tracing::warn!(%error, file = %file.display(), "failed to read the choices of views");
            ViewChoices::default()
        }
    }
}

/// Keeps what the operator chose about the views. Of several terminals of the home the last change wins.
fn keep_choices(home: &Home, choices: &ViewChoices) {
    let text = serde_json::to_string_pretty(choices);
    let kept = text
        .map_err(std::io::Error::other)
        .and_then(|text| home.keep_view_choices(&text));
    if let Err(error) = kept {
        tracing::warn!(%error, "failed to keep the choices of views");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(theme: Option<&str>) -> LookArgs {
        LookArgs {
            theme: theme.map(str::to_owned),
            ..LookArgs::default()
        }
    }

    fn theme_of(settings: Option<Theme>, flag: Option<&str>, variables: &[(&str, &str)]) -> Theme {
        let settings = TuiSettings {
            theme: settings,
            ..TuiSettings::default()
        };
        let environment = Environment::new(variables.iter().copied());
        appearance(&settings, &look(flag), &environment).theme
    }

    #[test]
    fn a_flag_goes_before_the_environment_and_that_before_the_configuration() {
        let no_colour = [("NO_COLOR", "1")];
        assert_eq!(theme_of(None, None, &[]), Theme::Dark);
        assert_eq!(theme_of(Some(Theme::Light), None, &[]), Theme::Light);
        assert_eq!(
            theme_of(Some(Theme::Light), None, &no_colour),
            Theme::NoColour
        );
        assert_eq!(
            theme_of(None, Some("contrast"), &no_colour),
            Theme::HighContrast
        );
        assert_eq!(theme_of(None, None, &[("NO_COLOR", "")]), Theme::Dark);
    }

    #[test]
    fn letters_are_those_of_the_locale_unless_the_operator_says() {
        let letters = |settings: Option<Letters>, ascii: bool, variables: &[(&str, &str)]| {
            let settings = TuiSettings {
                letters: settings,
                ..TuiSettings::default()
            };
            let look = LookArgs {
                ascii,
                ..LookArgs::default()
            };
            let environment = Environment::new(variables.iter().copied());
            appearance(&settings, &look, &environment).letters
        };
        assert_eq!(letters(None, false, &[]), Letters::Unicode);
        assert_eq!(letters(None, false, &[("LANG", "C")]), Letters::Ascii);
        let overruled = [("LC_ALL", "C.UTF-8"), ("LANG", "C")];
        assert_eq!(letters(None, false, &overruled), Letters::Unicode);
        let said = letters(Some(Letters::Unicode), false, &[("LANG", "C")]);
        assert_eq!(said, Letters::Unicode);
        assert_eq!(letters(Some(Letters::Unicode), true, &[]), Letters::Ascii);
    }
}
