//! The questions of setup at a terminal. Enter accepts the proposed answer.

mod game;

use anyhow::Context;
use zoea_settings::prices::price_list;

use super::flags::{is_price_known, listed_model, names_of, resolve_server};
use super::model_check::{PassedCheck, prove_answers, target_of};
use super::present::{Present, typed_key};
use super::prompts::{Choice, ask_key, ask_password, ask_text, choose, confirm, say};
use super::{Extras, Prepared, SetupArgs, SetupLeft, print_configuration, settings_of};
use crate::host::home::Home;
use crate::interface::cli::out;
use crate::interface::cli::unfrozen::refuse_while_frozen;
use crate::interface::setup::{
    Answers, DailyCap, KeyAnswer, LocalServer, ModelChoice, ServerChoice, ServerFault,
    find_local_servers, list_models, seller_at, sellers,
};
use zoea_model_check::listing::ListedModel;

struct QuestionDialog<'a> {
    args: SetupArgs,
    present: &'a Present,
    home: &'a Home,
    http: reqwest::Client,
    found: Vec<LocalServer>,
}

/// Asks all questions and proves the answers, and asks again until they pass the proof.
pub(super) async fn ask(
    args: &SetupArgs,
    present: &Present,
    home: &Home,
) -> anyhow::Result<Prepared> {
    say(&format!(
        "Setting up a swarm in {}. Enter chooses the marked line. Esc or Ctrl-C cancels; nothing is written \
         before the end.\n",
        home.directory().display()
    ))?;
    let http = zoea_http::build_client().context("build an HTTP client")?;
    let found = find_local_servers(&http).await;
    let mut asker = QuestionDialog {
        args: args.clone(),
        present,
        home,
        http,
        found,
    };
    loop {
        let (mut answers, extras) = asker.ask_all().await?;
        let passed = match asker.try_out(&answers).await? {
            Ok(passed) => passed,
            Err(fault) => {
                say(&format!("{fault:#}. Choose again, or cancel with Esc.\n"))?;
                // What was told could not play, so it is asked for now.
                asker.args = asker.args.without_choices();
                continue;
            }
        };
        answers.model.context_tokens = passed.context_tokens().or(answers.model.context_tokens);
        asker.confirm(&answers)?;
        return Ok(Prepared {
            answers,
            extras,
            passed,
        });
    }
}

impl QuestionDialog<'_> {
    async fn ask_all(&self) -> anyhow::Result<(Answers, Extras)> {
        let (server, key, models) = self.ask_server().await?;
        let model = self.ask_model(&server, &models)?;
        let game = self.ask_game()?;
        let (extras, code) = self.ask_account(&game)?;
        let myses = self.ask_myses()?;
        let cap = self.ask_cap(&server, &model)?;
        let answers = Answers {
            server,
            key,
            model,
            game,
            code,
            myses,
            cap,
        };
        Ok((answers, extras))
    }

    /// Proves the answers, after the operator agrees to the cost of the proof. The inner error says
    /// what cannot play.
    async fn try_out(&self, answers: &Answers) -> anyhow::Result<anyhow::Result<PassedCheck>> {
        let (_, settings) = settings_of(answers, self.present)?;
        let target = target_of(&settings, &answers.server.name)?;
        let announcement = target.announcement();
        say(&format!("\nBefore anything is written, {announcement}."))?;
        if !confirm("Run the test now?")? {
            return Err(SetupLeft.into());
        }
        // The question may have been open for long.
        refuse_while_frozen(self.home)?;
        Ok(prove_answers(&self.http, &settings, target).await)
    }

    async fn ask_server(&self) -> anyhow::Result<(ServerChoice, KeyAnswer, Vec<ListedModel>)> {
        let mut named = self.args.provider.clone();
        loop {
            let server = match named.take() {
                Some(text) => resolve_server(&text, self.present).map_err(anyhow::Error::msg)?,
                None => self.choose_server()?,
            };
            let mut key = self.first_key(&server)?;
            loop {
                let secret = self.present.key(&key);
                let asked = self.present.access_to(&server.endpoint, secret.as_ref());
                match list_models(&self.http, &asked).await {
                    Ok(models) => return Ok((server, key, models)),
                    Err(fault @ ServerFault::KeyRefused(_)) => {
                        match secret {
                            Some(_) => say(&sentence_of(&fault))?,
                            None => say("This server needs a key.")?,
                        }
                        key = KeyAnswer::Typed(ask_key("Key of the server", None)?);
                    }
                    Err(fault) => {
                        say(&format!("At {}: {fault}.", server.endpoint))?;
                        break;
                    }
                }
            }
        }
    }

    fn choose_server(&self) -> anyhow::Result<ServerChoice> {
        let mut choices = Vec::new();
        let mut add = |server: ServerChoice, text: String| {
            let known = |choice: &Choice<Option<ServerChoice>>| {
                let known = choice.value.as_ref();
                known.is_some_and(|known| known.endpoint == server.endpoint)
            };
            if !choices.iter().any(known) {
                choices.push(Choice::new(Some(server), &text));
            }
        };
        if let Some((name, provider)) = self.present.provider() {
            let (name, endpoint) = (name.to_string(), provider.endpoint.clone());
            let text = format!("{name} at {endpoint}, as now");
            add(ServerChoice { name, endpoint }, text);
        }
        for found in &self.found {
            let seller = found.seller;
            let place = seller.endpoint.trim_start_matches("http://");
            let models = match found.models {
                None => "needs a key".to_string(),
                Some(1) => "1 model".to_string(),
                Some(count) => format!("{count} models"),
            };
            let text = format!("{} at {place}, {models}", seller.label);
            add(seller.server(), text);
        }
        for seller in sellers() {
            let text = format!("{} ({})", seller.label, host_of(seller.endpoint));
            add(seller.server(), text);
        }
        choices.push(Choice::new(None, "another address"));
        match choose("Which model server?", choices, 0)? {
            Some(server) => Ok(server),
            None => self.ask_address(),
        }
    }

    fn ask_address(&self) -> anyhow::Result<ServerChoice> {
        loop {
            let text = ask_text(
                "Address of the model server",
                None,
                "such as http://192.168.1.5:8080/v1",
            )?;
            match resolve_server(&text, self.present) {
                Ok(server) => return Ok(server),
                Err(why) => say(&format!("{why}."))?,
            }
        }
    }

    fn first_key(&self, server: &ServerChoice) -> anyhow::Result<KeyAnswer> {
        if let Some(name) = &self.args.key_env {
            self.present
                .variable(name)
                .with_context(|| format!("--key-env: the variable {name} holds no key"))?;
            return Ok(KeyAnswer::Variable(name.clone()));
        }
        let present = self.present.key_at(&server.endpoint);
        let Some(seller) = seller_at(&server.endpoint) else {
            return Ok(present.unwrap_or(KeyAnswer::None));
        };
        let of_variable = self
            .present
            .variable(seller.key_variable)
            .map(|_| KeyAnswer::Variable(seller.key_variable.to_string()));
        let usual = present.or(of_variable);
        let question = format!("Key of {}", seller.label);
        let help = match &usual {
            Some(KeyAnswer::Variable(name)) => {
                Some(format!("press Enter to use the key in {name}"))
            }
            Some(KeyAnswer::Stored(_)) => Some("press Enter to keep the present one".to_string()),
            Some(KeyAnswer::None | KeyAnswer::Typed(_)) | None => None,
        };
        match (ask_password(&question, help.as_deref())?, usual) {
            (text, Some(usual)) if text.trim().is_empty() => Ok(usual),
            (text, _) => match typed_key(&text) {
                Ok(key) => Ok(KeyAnswer::Typed(key)),
                Err(why) => Ok(KeyAnswer::Typed(ask_key(&question, Some(&why))?)),
            },
        }
    }

    fn ask_model(
        &self,
        server: &ServerChoice,
        listed: &[ListedModel],
    ) -> anyhow::Result<ModelChoice> {
        let present = self.present.provider_at(&server.endpoint);
        let present = present.map(|(_, provider)| &*provider.rules.model);
        let wanted = self.args.model.as_deref().or(present);
        let wanted = wanted.or(seller_at(&server.endpoint).map(|seller| seller.model));
        if listed.is_empty() {
            let name = ask_text("Which model?", wanted, "as the server names it")?;
            return Ok(listed_model(name.trim(), listed));
        }
        let prices = price_list(&server.endpoint);
        let shown = |model: &ListedModel| {
            let mut text = model.name.clone();
            if let Some(tokens) = model.context_tokens {
                text += &format!("  {}k context", tokens / 1000);
            }
            if let Some(price) = model.price.or_else(|| prices.find(&model.name)) {
                text += &format!("  ${} in, ${} out per million", price.input, price.output);
            }
            text
        };
        let mut choices: Vec<Choice<Option<&ListedModel>>> = listed
            .iter()
            .map(|model| Choice::new(Some(model), &shown(model)))
            .collect();
        choices.push(Choice::new(None, "another name"));
        let start = listed
            .iter()
            .position(|model| Some(model.name.as_str()) == wanted);
        match choose("Which model?", choices, start.unwrap_or(0))? {
            Some(model) => Ok(listed_model(&model.name, listed)),
            None => {
                let name = ask_text("Name of the model", wanted, "as the server names it")?;
                Ok(listed_model(name.trim(), listed))
            }
        }
    }

    fn ask_myses(&self) -> anyhow::Result<Vec<String>> {
        if self.args.myses.is_some() {
            return Ok(names_of(self.args.myses, self.present));
        }
        let usual = names_of(None, self.present).len().to_string();
        loop {
            let text = ask_text("How many Myses?", Some(&usual), "each one plays on its own")?;
            match text.trim().parse::<u32>() {
                Ok(count) if (1..=1000).contains(&count) => {
                    return Ok(names_of(Some(count), self.present));
                }
                Ok(_) | Err(_) => say("Write a number from 1 to 1000.")?,
            }
        }
    }

    fn ask_cap(&self, server: &ServerChoice, model: &ModelChoice) -> anyhow::Result<DailyCap> {
        if let Some(cap) = &self.args.cap {
            return DailyCap::parse(cap).map_err(anyhow::Error::msg);
        }
        let is_priced = is_price_known(server, model, self.present);
        let usual = self
            .present
            .cap()
            .unwrap_or(DailyCap::default_for(is_priced));
        let help = match is_priced {
            true => "2usd, 20Mtokens or unlimited",
            false => "price unknown: 20Mtokens or unlimited",
        };
        loop {
            let text = ask_text(
                "How much may the swarm spend a day?",
                Some(&usual.to_string()),
                help,
            )?;
            match DailyCap::parse(&text) {
                Ok(cap) => return Ok(cap),
                Err(why) => say(&format!("{why}."))?,
            }
        }
    }

    /// Shows the new configuration, and asks whether to write it.
    fn confirm(&self, answers: &Answers) -> anyhow::Result<()> {
        let (text, _) = settings_of(answers, self.present)?;
        out::line(&format!(
            "\nzoea will write this to {}:\n",
            self.present.files.configuration.display()
        ))?;
        print_configuration(&text)?;
        let question = match (self.args.no_start, self.present.is_there) {
            (true, false) => "Write it?",
            (true, true) => "Write it? A copy of the present one is kept.",
            (false, false) => "Write it and start?",
            (false, true) => "Write it and start? A copy of the present one is kept.",
        };
        match confirm(question)? {
            true => Ok(()),
            false => Err(SetupLeft.into()),
        }
    }
}

fn sentence_of(fault: &ServerFault) -> String {
    let text = fault.to_string();
    let mut letters = text.chars();
    let begin = letters.next().into_iter().flat_map(char::to_uppercase);
    begin.chain(letters).chain(['.']).collect()
}

fn host_of(endpoint: &str) -> String {
    let rest = endpoint.trim_start_matches("https://");
    rest.split('/').next().unwrap_or_default().to_string()
}
