//! `zoea doctor --prove`: tests whether a provider and its model can play, and keeps the result.

use anyhow::{Context, bail};
use clap::Args;
use zoea_settings::Settings;

use crate::host::home::Home;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::question::{ask_to_agree, can_ask};
use crate::interface::cli::unfrozen::{refuse_while_frozen, unless_frozen};
use crate::wiring;
use zoea_contract::{ModelCheckStep, to_value};
use zoea_model_check::kept::KeptChecks;
use zoea_model_check::{CheckProgress, CheckTarget, CheckVerdict, ModelCheck, prove};

/// What is tested.
#[derive(Debug, Args)]
pub(super) struct ProveArgs {
    /// Test whether a provider and its model can play. It costs tokens, and asks
    /// first.
    #[arg(long)]
    pub(super) prove: bool,
    /// The provider of the configuration to test [default: default_provider].
    #[arg(long, value_name = "NAME", requires = "prove")]
    provider: Option<String>,
    /// Test this model instead of the configuration's.
    #[arg(long, value_name = "M", requires = "prove")]
    model: Option<String>,
    /// Agree to the cost of the test without being asked.
    #[arg(long, requires = "prove")]
    yes: bool,
}

pub(super) async fn run(
    args: &ProveArgs,
    as_json: bool,
    global: &GlobalArgs,
) -> anyhow::Result<()> {
    let home = global.open_home()?;
    let loaded = global.load_settings(&home)?;
    for warning in &loaded.warnings {
        out::note(warning);
    }
    refuse_while_frozen(&home)?;
    let target = choose_target(args, &loaded.settings)?;
    agree(&target, args.yes)?;
    let http = zoea_http::build_client().context("build an HTTP client")?;
    let check_result = unless_frozen(&home, async {
        match as_json {
            true => Ok(prove(&http, &target, &|_| {}).await),
            false => Ok(prove_aloud(&http, &target).await?),
        }
    });
    let check_result = check_result.await?;
    // The verdict counts even if it cannot be kept in the file.
    let kept = keep(&home, &target, &check_result);
    if as_json {
        out::json(&to_value(&check_result.report))?;
    }
    match kept {
        Ok(file) if !as_json => out::note(&format!(
            "the results are kept in {file}; a swarm uses them from its next start or reload on"
        )),
        Ok(_) => {}
        Err(error) => out::note(&format!("the results could not be kept: {error:#}")),
    }
    match &check_result.report.verdict {
        CheckVerdict::Plays => Ok(()),
        CheckVerdict::CannotPlay { .. } if as_json => bail!("{}", check_result.report.verdict),
        // The reason and the remedy were printed.
        CheckVerdict::CannotPlay { .. } => {
            bail!("{} at {} cannot play", target.model, target.server())
        }
    }
}

/// Proves a server and its model, and prints all results. The verdict comes last.
pub(super) async fn prove_aloud(
    http: &reqwest::Client,
    target: &CheckTarget,
) -> std::io::Result<ModelCheck> {
    let check_result = prove(http, target, &|progress| print_progress(&progress)).await;
    print_report(&check_result)?;
    Ok(check_result)
}

fn choose_target(args: &ProveArgs, settings: &Settings) -> anyhow::Result<CheckTarget> {
    let name = args.provider.as_deref();
    let name = name.unwrap_or(&settings.swarm.rules.default_provider);
    let Some(provider) = settings.providers.get(name) else {
        let known: Vec<&str> = settings.providers.keys().map(String::as_str).collect();
        bail!(
            "there is no provider `{name}`; there are {}",
            known.join(", ")
        );
    };
    Ok(wiring::check_target(name, provider, args.model.as_deref()))
}

/// Names the cost and asks for confirmation.
fn agree(target: &CheckTarget, is_agreed: bool) -> anyhow::Result<()> {
    let announcement = target.announcement();
    if is_agreed {
        out::note(&announcement);
        return Ok(());
    }
    if !can_ask() {
        bail!(
            "{announcement}; there is no terminal to confirm this: give --yes to continue without a question"
        );
    }
    if ask_to_agree(&format!("{announcement}. Continue?"))? {
        return Ok(());
    }
    bail!("not tested")
}

fn print_progress(progress: &CheckProgress<'_>) {
    match progress {
        CheckProgress::Trying(what) => out::write_stderr(&format!("· {what} …\n")),
        CheckProgress::Checked(check) => {
            // A reader that closed the pipe has read enough.
            let _ = out::line(&line_of_check(check));
        }
    }
}

fn line_of_check(check: &ModelCheckStep) -> String {
    let mark = match check.ok {
        Some(true) => '✓',
        Some(false) => '✗',
        None => '·',
    };
    format!("{mark} {}: {}", check.name, check.detail)
}

fn print_report(check_result: &ModelCheck) -> std::io::Result<()> {
    for learnt in &check_result.report.learnt {
        out::line(&format!("· learnt: {learnt}"))?;
    }
    let spent = &check_result.report.spent;
    out::line(&format!(
        "{} requests, {} tokens sent and {} received",
        spent.requests, spent.tokens_in, spent.tokens_out
    ))?;
    out::line(&format!("verdict: {}", check_result.report.verdict))
}

/// Writes the result to the home's file of proofs. Returns the file's name.
pub(super) fn keep(
    home: &Home,
    target: &CheckTarget,
    check_result: &ModelCheck,
) -> anyhow::Result<String> {
    let file = home.model_checks();
    let known = KeptChecks::read(&file).unwrap_or_else(|error| {
        out::note(&error.to_string());
        KeptChecks::default()
    });
    let text = known.with(target, check_result).to_text()?;
    home.keep_model_checks(&text)
        .with_context(|| format!("write {}", file.display()))?;
    Ok(file.display().to_string())
}
