//! Keeps in the home what the operator allowed the swarm for one day.

use parking_lot::Mutex;
use std::sync::Arc;

use actors::domain::budget::BudgetRules;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::host::home::Home;

/// The file, and what was allowed last. Orders that come at the same time are stored one after the other.
#[derive(Clone, Debug)]
pub(super) struct RaiseFile {
    home: Home,
    newest: Arc<Mutex<BudgetRules>>,
    writing: Arc<Mutex<()>>,
}

impl RaiseFile {
    pub(super) fn of(home: &Home) -> RaiseFile {
        RaiseFile {
            home: home.clone(),
            newest: Arc::default(),
            writing: Arc::default(),
        }
    }

    pub(super) fn keep(&self, budget: BudgetRules) -> BoxFuture<'static, Result<(), String>> {
        *self.newest.lock() = budget;
        let file = self.clone();
        let keeping = tokio::task::spawn_blocking(move || file.write_newest());
        async move { keeping.await.unwrap_or_else(|error| Err(error.to_string())) }.boxed()
    }

    /// Each write takes the newest rules, so the last one stores them, in whatever order the writes begin.
    fn write_newest(&self) -> Result<(), String> {
        let _alone = self.writing.lock();
        let newest = *self.newest.lock();
        write(&self.home, &newest)
    }
}

fn write(home: &Home, budget: &BudgetRules) -> Result<(), String> {
    let text = serde_json::to_string(budget).map_err(|error| error.to_string())?;
    let kept = home.keep_raise(&text);
    kept.map_err(|error| format!("{}: {error}", home.raise_file().display()))
}

/// These limits at the start of a process, with what the operator allowed in an earlier one for the same limits. It holds
/// for its day alone. Other limits end it, but for those of a command, which may read another configuration.
pub(super) fn with_kept_raise(budget: BudgetRules, home: &Home, is_live: bool) -> BudgetRules {
    let kept = match home.kept_raise() {
        Ok(None) => return budget,
        Ok(Some(text)) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match kept {
        Ok(kept) => {
            let rules = budget.keeping_raise_of(&kept);
            if is_live
                && rules != kept
                && let Err(why) = write(home, &rules)
            {
                tracing::warn!(
                    why,
                    "what was allowed for other limits could not be taken back"
                );
            }
            rules
        }
        Err(why) => {
            let file = home.raise_file();
            tracing::warn!(file = %file.display(), why, "what was allowed for today cannot be read; `zoea budget AMOUNT` allows it again");
            budget
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::books::Day;
    use actors::domain::budget::BudgetLimits;

    #[tokio::test]
    async fn what_was_allowed_holds_while_the_limits_stay_and_a_damaged_file_allows_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path().join("home")).unwrap();
        let limits = |tokens| BudgetLimits {
            tokens: Some(tokens),
            cost_micros: None,
        };
        let configured = BudgetRules {
            swarm: limits(5),
            ..BudgetRules::default()
        };
        assert_eq!(with_kept_raise(configured, &home, true), configured);
        let raised = |tokens| BudgetRules {
            raised: Some((Day(7), limits(tokens))),
            ..configured
        };
        let file = RaiseFile::of(&home);
        let both = [file.keep(raised(20)), file.keep(raised(30))];
        for kept in futures::future::join_all(both).await {
            assert_eq!(kept, Ok(()));
        }
        assert_eq!(with_kept_raise(configured, &home, true), raised(30));
        let other = BudgetRules {
            swarm: limits(6),
            ..configured
        };
        assert_eq!(with_kept_raise(other, &home, false), other, "a command");
        assert_eq!(with_kept_raise(configured, &home, true), raised(30));
        assert_eq!(with_kept_raise(other, &home, true), other);
        assert_eq!(
            with_kept_raise(configured, &home, true),
            configured,
            "it is over"
        );
        home.keep_raise("{").unwrap();
        assert_eq!(with_kept_raise(configured, &home, true), configured);
    }
}
