//! `zoea doctor --prove`: tests whether a provider and its model can play, and keeps the result.

use anyhow::{Context, bail};
use zoea_settings::{Environment, Settings};

use crate::host::home::Home;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::question::{ask_to_agree, can_ask};
use crate::interface::cli::unfrozen::{refuse_while_frozen, unless_frozen};
use crate::wiring;
use zoea_contract::{ProofCheck, to_value};
use zoea_proof::kept::KeptProofs;
use zoea_proof::{Proof, ProofProgress, ProofTarget, ProofVerdict, prove};

/// What is tested, and how the result is printed.
pub(super) struct ProveOptions<'a> {
    pub(super) provider: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) is_agreed: bool,
    pub(super) as_json: bool,
}

pub(super) async fn run(
    options: &ProveOptions<'_>,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let home = global.open_home(environment)?;
    let loaded = global.load_settings(&home, environment)?;
    for warning in &loaded.warnings {
        out::note(warning);
    }
    refuse_while_frozen(&home)?;
    let target = choose_target(options, &loaded.settings)?;
    agree(&target, options.is_agreed)?;
    let http = zoea_http::build_client().context("build an HTTP client")?;
    let as_json = options.as_json;
    let proof = unless_frozen(&home, async {
        match as_json {
            true => Ok(prove(&http, &target, &|_| {}).await),
            false => Ok(prove_aloud(&http, &target).await?),
        }
    });
    let proof = proof.await?;
    // The verdict counts even if it cannot be kept in the file.
    let kept = keep(&home, &target, &proof);
    if as_json {
        out::json(&to_value(&proof.report))?;
    }
    match kept {
        Ok(file) if !as_json => out::note(&format!(
            "the results are kept in {file}; a swarm uses them from its next start or reload on"
        )),
        Ok(_) => {}
        Err(error) => out::note(&format!("the results could not be kept: {error:#}")),
    }
    match &proof.report.verdict {
        ProofVerdict::Plays => Ok(()),
        ProofVerdict::CannotPlay { .. } if as_json => bail!("{}", proof.report.verdict),
        // The reason and the remedy were printed.
        ProofVerdict::CannotPlay { .. } => {
            bail!("{} at {} cannot play", target.model, target.server())
        }
    }
}

/// Proves a server and its model, and prints all results. The verdict comes last.
///
/// # Errors
/// The output cannot be written.
pub(super) async fn prove_aloud(
    http: &reqwest::Client,
    target: &ProofTarget,
) -> std::io::Result<Proof> {
    let proof = prove(http, target, &|progress| tell_progress(&progress)).await;
    print_report(&proof)?;
    Ok(proof)
}

fn choose_target(options: &ProveOptions<'_>, settings: &Settings) -> anyhow::Result<ProofTarget> {
    let name = options
        .provider
        .unwrap_or(&settings.swarm.rules.default_provider);
    let Some(provider) = settings.providers.get(name) else {
        let known: Vec<&str> = settings.providers.keys().map(String::as_str).collect();
        bail!(
            "there is no provider `{name}`; there are {}",
            known.join(", ")
        );
    };
    Ok(wiring::proof_target(name, provider, options.model))
}

/// Names the cost and asks for confirmation.
fn agree(target: &ProofTarget, is_agreed: bool) -> anyhow::Result<()> {
    let announcement = target.announcement();
    if is_agreed {
        out::note(&announcement);
        return Ok(());
    }
    if !can_ask() {
        bail!(
            "{announcement}; there is no terminal to confirm at: give --yes to go on without a question"
        );
    }
    if ask_to_agree(&format!("{announcement}. Go on?"))? {
        return Ok(());
    }
    bail!("not tested")
}

/// Prints the progress.
fn tell_progress(progress: &ProofProgress<'_>) {
    match progress {
        ProofProgress::Trying(what) => out::write_stderr(&format!("· {what} …\n")),
        ProofProgress::Checked(check) => {
            // A reader that closed the pipe has read enough.
            let _ = out::line(&line_of_check(check));
        }
    }
}

fn line_of_check(check: &ProofCheck) -> String {
    let mark = match check.ok {
        Some(true) => '✓',
        Some(false) => '✗',
        None => '·',
    };
    format!("{mark} {}: {}", check.name, check.detail)
}

fn print_report(proof: &Proof) -> std::io::Result<()> {
    for learnt in &proof.report.learnt {
        out::line(&format!("· learnt: {learnt}"))?;
    }
    let spent = &proof.report.spent;
    out::line(&format!(
        "{} requests, {} tokens sent and {} received",
        spent.requests, spent.tokens_in, spent.tokens_out
    ))?;
    out::line(&format!("verdict: {}", proof.report.verdict))
}

/// Writes the result to the home's file of proofs. Returns the file's name.
///
/// # Errors
/// The file cannot be written.
pub(super) fn keep(home: &Home, target: &ProofTarget, proof: &Proof) -> anyhow::Result<String> {
    let file = home.proofs();
    let known = KeptProofs::read(&file).unwrap_or_else(|error| {
        out::note(&error.to_string());
        KeptProofs::default()
    });
    let text = known.with(target, proof).to_text()?;
    home.keep_proofs(&text)
        .with_context(|| format!("write {}", file.display()))?;
    Ok(file.display().to_string())
}
