//! The form for a new Mysis or for a Mysis' profile.

pub(crate) mod view;

use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::record::CONFIGURED_ROLE;
use actors::domain::rules::SwarmRules;

use crate::dashboard::facts::Facts;
use crate::dashboard::input_event::{has_alt, has_ctrl};
use crate::dashboard::outbox::Outbox;
use crate::dashboard::text::field::TextField;
use crate::dashboard::toolkit::list::{beside, step_in};
use actors::domain::screen::OrderId;
use crossterm::event::{KeyCode, KeyEvent};
use strum::IntoStaticStr;

#[derive(Clone, Debug, PartialEq)]
pub struct MysisForm {
    pub purpose: FormPurpose,
    pub at: FormField,
    pub name: TextField,
    /// The configured providers and their models.
    pub providers: Vec<(Arc<str>, Arc<str>)>,
    pub provider: usize,
    /// The model; empty for the provider's.
    pub model: TextField,
    /// The words for roles; empty where the configuration has none.
    pub roles: Vec<Arc<str>>,
    pub role: usize,
    /// The provider, the model and the role that the form began with. `None` stands for one that is not configured any
    /// more: what the form shows instead is another one.
    pub before: (Option<usize>, String, Option<usize>),
    /// The temperature; empty for the provider's.
    pub temperature: TextField,
    /// Whether a new Mysis starts at once. If not, it stays idle.
    pub starts: bool,
    pub complaint: Option<Arc<str>>,
    /// The order that the form became, while it is not answered yet.
    pub awaited: Option<OrderId>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FormPurpose {
    Create,
    Configure {
        mysis: MysisId,
        name: Arc<str>,
        temperature: Option<f32>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FormField {
    Name,
    Role,
    Provider,
    Model,
    Temperature,
    /// Whether it starts at once.
    Start,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FormOutcome {
    Used,
    /// The form is complete and becomes this order.
    Give(Order),
    Leave,
}

impl MysisForm {
    /// Gives the order of the form, whose answer it awaits.
    pub(crate) fn send(&mut self, order: Order, facts: &Facts, outbox: &mut Outbox) {
        let ids = match &self.purpose {
            FormPurpose::Configure { mysis, .. } => {
                outbox.order_each(facts, "configure", &[*mysis], |_| order.clone())
            }
            FormPurpose::Create => outbox.order(facts, "create", order),
        };
        self.complaint = None;
        self.awaited = ids.first().copied();
    }

    pub fn create(rules: &SwarmRules) -> MysisForm {
        let providers = rules.providers.iter();
        let providers = providers.map(|(name, it)| (name.clone(), it.model.clone()));
        let providers: Vec<(Arc<str>, Arc<str>)> = providers.collect();
        let provider = place_of(&providers, &rules.default_provider);
        MysisForm {
            purpose: FormPurpose::Create,
            at: FormField::Name,
            name: TextField::default(),
            providers,
            provider: provider.unwrap_or(0),
            model: TextField::default(),
            roles: rules.roles.words().into_iter().map(Into::into).collect(),
            role: 0,
            before: (provider, String::new(), Some(0)),
            temperature: TextField::default(),
            starts: true,
            complaint: None,
            awaited: None,
        }
    }

    pub fn configure(rules: &SwarmRules, status: &MysisStatus) -> MysisForm {
        let form = MysisForm::create(rules);
        let temperature = status.temperature.map(|value| value.to_string());
        let provider = place_of(&form.providers, &status.profile.provider);
        // Another provider has other models.
        let model = provider.map_or("", |_| &*status.model);
        let own = status.own_profile.role.as_deref();
        let own = own.unwrap_or(CONFIGURED_ROLE);
        let role = form.roles.iter().position(|word| **word == *own);
        let gone = match (provider, role) {
            (None, _) => Some(format!("the provider {}", status.profile.provider)),
            (Some(_), None) if !form.roles.is_empty() => Some(format!("the role {own}")),
            (Some(_), _) => None,
        };
        MysisForm {
            at: FormField::Provider,
            provider: provider.unwrap_or(0),
            role: role.unwrap_or(0),
            before: (provider, model.to_string(), role),
            model: TextField::with_text(model),
            complaint: gone.map(|gone| format!("{gone} is not configured any more").into()),
            temperature: TextField::with_text(&temperature.unwrap_or_default()),
            purpose: FormPurpose::Configure {
                mysis: status.id,
                name: status.name.clone(),
                temperature: status.temperature,
            },
            ..form
        }
    }

    pub fn slots(&self) -> Vec<FormField> {
        let is_new = self.purpose == FormPurpose::Create;
        let slots = [
            (FormField::Name, is_new),
            (FormField::Role, !self.roles.is_empty()),
            (FormField::Provider, true),
            (FormField::Model, true),
            (FormField::Temperature, !is_new),
            (FormField::Start, is_new),
        ];
        let there = slots.into_iter().filter(|(_, is_there)| *is_there);
        there.map(|(slot, _)| slot).collect()
    }

    pub fn provider_model(&self) -> &str {
        self.providers
            .get(self.provider)
            .map_or("", |(_, model)| model)
    }

    pub fn press(&mut self, press: KeyEvent) -> FormOutcome {
        match (press.code, has_ctrl(press)) {
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => return FormOutcome::Leave,
            (KeyCode::Enter, _) => return self.build_order(),
            (KeyCode::BackTab | KeyCode::Up, _) => self.at = step_in(&self.slots(), self.at, false),
            (KeyCode::Tab | KeyCode::Down, _) => self.at = step_in(&self.slots(), self.at, true),
            _ => self.fill(press),
        }
        FormOutcome::Used
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(field) = self.field() {
            field.insert(text.lines().next().unwrap_or_default());
        }
    }

    pub fn complain(&mut self, why: &str) {
        self.awaited = None;
        self.complaint = Some(why.into());
    }

    fn field(&mut self) -> Option<&mut TextField> {
        match self.at {
            FormField::Name => Some(&mut self.name),
            FormField::Model => Some(&mut self.model),
            FormField::Temperature => Some(&mut self.temperature),
            FormField::Role | FormField::Provider | FormField::Start => None,
        }
    }

    fn fill(&mut self, press: KeyEvent) {
        self.complaint = None;
        if let Some(field) = self.field() {
            field.press(press);
            return;
        }
        let is_back = press.code == KeyCode::Left;
        let is_letter =
            matches!(press.code, KeyCode::Char(_)) && !has_ctrl(press) && !has_alt(press);
        if !(is_back || is_letter || press.code == KeyCode::Right) {
            return;
        }
        if self.at == FormField::Role {
            self.role = beside(self.role, self.roles.len(), !is_back);
        } else if self.at == FormField::Start {
            self.starts = !self.starts;
        } else if let KeyCode::Char(letter) = press.code
            && letter != ' '
        {
            self.choose_by_letter(letter);
        } else {
            self.choose(beside(self.provider, self.providers.len(), !is_back));
        }
    }

    fn choose_by_letter(&mut self, letter: char) {
        let count = self.providers.len();
        let next = (1..=count)
            .map(|step| (self.provider + step) % count)
            .find(|place| self.providers[*place].0.starts_with(letter));
        if let Some(place) = next {
            self.choose(place);
        }
    }

    /// Chooses a provider. The model field becomes empty, because another provider has other
    /// models; the present provider brings the present model back.
    fn choose(&mut self, provider: usize) {
        if provider != self.provider {
            let (before, model, _) = &self.before;
            self.model = match *before == Some(provider) {
                true => TextField::with_text(model),
                false => TextField::default(),
            };
            self.provider = provider;
        }
    }

    /// Whether provider and model stay as they are, so that the role's or the configuration's go on to hold.
    fn leaves_provider(&self) -> bool {
        let (provider, model, _) = &self.before;
        let is_same = Some(self.provider) == *provider && self.model.text().trim() == *model;
        let is_known = matches!(self.purpose, FormPurpose::Configure { .. });
        is_same && (is_known || !self.roles.is_empty())
    }

    fn build_order(&mut self) -> FormOutcome {
        if self.awaited.is_some() {
            return FormOutcome::Used;
        }
        let written = |field: &TextField| {
            let text = field.text().trim();
            (!text.is_empty()).then(|| text.to_string())
        };
        let provider = self.providers.get(self.provider);
        let (provider, model) = match self.leaves_provider() {
            true => (None, None),
            false => (
                provider.map(|(name, _)| name.to_string()),
                written(&self.model),
            ),
        };
        let role = self.roles.get(self.role);
        let role = role.filter(|_| Some(self.role) != self.before.2);
        let role = role.map(ToString::to_string);
        match &self.purpose {
            FormPurpose::Create => match written(&self.name) {
                None => {
                    self.at = FormField::Name;
                    self.complaint = Some("a Mysis needs a name".into());
                    FormOutcome::Used
                }
                Some(name) => FormOutcome::Give(Order::Create {
                    name,
                    provider,
                    model,
                    role,
                    start: self.starts,
                }),
            },
            FormPurpose::Configure {
                name, temperature, ..
            } => {
                let name = name.to_string();
                // Another provider, model or role may bring another temperature than the one in the field.
                let stays = provider.is_none() && model.is_none() && role.is_none();
                let asked = match written(&self.temperature).map(|text| text.parse::<f32>()) {
                    None => None,
                    Some(Ok(value)) => {
                        Some(value).filter(|_| !stays || Some(value) != *temperature)
                    }
                    Some(Err(_)) => {
                        self.at = FormField::Temperature;
                        self.complaint = Some("a temperature is a number from 0 to 2".into());
                        return FormOutcome::Used;
                    }
                };
                if stays && asked.is_none() {
                    return FormOutcome::Leave;
                }
                let order = MysisOrder::configure(provider, model, asked, role);
                FormOutcome::Give(order.for_mysis(name))
            }
        }
    }
}

fn place_of(providers: &[(Arc<str>, Arc<str>)], name: &str) -> Option<usize> {
    providers.iter().position(|(known, _)| **known == *name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use actors::domain::ids::Timestamp;
    use actors::domain::record::{MysisProfile, MysisRecord};
    use actors::domain::role::RoleBook;
    use actors::domain::state::LifeState;

    use super::*;
    use crate::dashboard::input_event::{ctrl, key};
    use crate::dashboard::tests::{rules, status};

    fn form(names: &[&str]) -> MysisForm {
        let providers = names.iter();
        MysisForm {
            providers: providers
                .map(|name| (Arc::from(*name), Arc::from("model")))
                .collect(),
            provider: 0,
            before: (Some(0), String::new(), Some(0)),
            roles: Vec::new(),
            ..MysisForm::create(&rules())
        }
    }

    fn press_all(form: &mut MysisForm, keys: &[KeyCode]) -> FormOutcome {
        let mut last = FormOutcome::Used;
        for code in keys {
            last = form.press(key(*code));
        }
        last
    }

    #[test]
    fn a_form_becomes_an_order() {
        let mut form = form(&["local", "remote"]);
        assert_eq!(press_all(&mut form, &[KeyCode::Enter]), FormOutcome::Used);
        assert!(form.complaint.is_some());
        let keys = [
            KeyCode::Char('z'),
            KeyCode::Tab,
            KeyCode::Right,
            KeyCode::Down,
            KeyCode::Tab,
            KeyCode::Char(' '),
            KeyCode::Enter,
        ];
        assert_eq!(
            press_all(&mut form, &keys),
            FormOutcome::Give(Order::Create {
                name: "z".to_string(),
                provider: Some("remote".to_string()),
                model: None,
                role: None,
                start: false,
            })
        );
    }

    #[test]
    fn a_role_is_chosen_and_what_it_names_goes_on_to_hold() {
        let mut form = form(&["local", "remote"]);
        form.roles = ["default", "none", "miner"].map(Arc::from).to_vec();
        form.name = TextField::with_text("z");
        let keys = [KeyCode::Tab, KeyCode::Left, KeyCode::Enter];
        assert_eq!(
            press_all(&mut form, &keys),
            FormOutcome::Give(Order::Create {
                name: "z".to_string(),
                provider: None,
                model: None,
                role: Some("miner".to_string()),
                start: true,
            })
        );
        let named = press_all(&mut form, &[KeyCode::Tab, KeyCode::Right, KeyCode::Enter]);
        let FormOutcome::Give(Order::Create { provider, .. }) = named else {
            panic!("{named:?}");
        };
        assert_eq!(provider.as_deref(), Some("remote"));
    }

    /// The form for a Mysis with this provider and role, and the order that Enter makes of it.
    fn configured(rules: &SwarmRules, provider: &str, role: &str) -> (MysisForm, FormOutcome) {
        let profile = MysisProfile {
            model: Some("old".into()),
            role: Some(role.into()),
            ..MysisProfile::of("alpha", provider)
        };
        let record = MysisRecord::new(MysisId(1), profile, Timestamp(0));
        let status = MysisStatus {
            temperature: None,
            ..MysisStatus::from_record(&record, rules, Timestamp(0))
        };
        let mut form = MysisForm::configure(rules, &status);
        let given = press_all(&mut form, &[KeyCode::Enter]);
        (form, given)
    }

    #[test]
    fn what_stands_for_a_provider_or_a_role_that_is_gone_is_another_one() {
        let own = |text: &str| Some(text.to_string());
        let give = |provider, model, role| {
            let order = MysisOrder::configure(provider, model, None, role);
            FormOutcome::Give(order.for_mysis("alpha"))
        };
        let plain = rules();
        let (form, given) = configured(&plain, "gone", "miner");
        assert_eq!(form.model.text(), "");
        let complaint = form.complaint.as_deref();
        assert_eq!(
            complaint,
            Some("the provider gone is not configured any more")
        );
        assert_eq!(given, give(own("local"), None, None));
        let (_, given) = configured(&plain, "remote", "miner");
        assert_eq!(given, FormOutcome::Leave);

        let with_roles = SwarmRules {
            roles: Arc::new(RoleBook {
                roles: BTreeMap::from([("miner".into(), Arc::default())]),
                ..RoleBook::default()
            }),
            ..SwarmRules::clone(&plain)
        };
        let (_, given) = configured(&with_roles, "gone", "miner");
        assert_eq!(given, give(own("local"), None, None));
        let (form, given) = configured(&with_roles, "remote", "digger");
        let complaint = form.complaint.as_deref();
        assert_eq!(
            complaint,
            Some("the role digger is not configured any more")
        );
        assert_eq!(given, give(None, None, own(CONFIGURED_ROLE)));
        let (_, given) = configured(&with_roles, "remote", "miner");
        assert_eq!(given, FormOutcome::Leave);
    }

    #[test]
    fn what_nobody_touched_is_not_ordered() {
        let status = MysisStatus {
            temperature: Some(0.7),
            ..MysisStatus::clone(&status(1, "alpha", LifeState::Idle))
        };
        let configure = |keys: &[KeyCode]| {
            let mut form = MysisForm::configure(&rules(), &status);
            form.at = FormField::Temperature;
            press_all(&mut form, keys)
        };
        let give = |temperature| {
            let order = MysisOrder::configure(None, None, temperature, None);
            FormOutcome::Give(order.for_mysis("alpha"))
        };
        assert_eq!(configure(&[KeyCode::Enter]), FormOutcome::Leave);
        let other = [KeyCode::Backspace, KeyCode::Char('5'), KeyCode::Enter];
        assert_eq!(configure(&other), give(Some(0.5)));
        // What the field says holds at another provider, too; one that was chosen and left again is none.
        let mut form = MysisForm::configure(&rules(), &status);
        form.at = FormField::Provider;
        let before = form.clone();
        press_all(&mut form, &[KeyCode::Right, KeyCode::Left]);
        assert_eq!(form, before);
        press_all(&mut form, &[KeyCode::Right]);
        let FormOutcome::Give(order) = form.press(key(KeyCode::Enter)) else {
            panic!("no order is given");
        };
        let order = format!("{order:?}");
        assert!(order.contains("temperature: Some(0.7)"), "{order}");
    }

    #[test]
    fn keys_that_are_no_letters_choose_nothing_and_control_c_leaves() {
        let mut form = form(&["local", "lunar", "cloud"]);
        form.roles = ["default", "miner"].map(Arc::from).to_vec();
        form.model = TextField::with_text("mine");
        for field in [FormField::Role, FormField::Provider, FormField::Start] {
            form.at = field;
            let before = form.clone();
            for press in [ctrl('l'), ctrl('z'), key(KeyCode::PageDown)] {
                assert_eq!(form.press(press), FormOutcome::Used);
                assert_eq!(form, before, "{field:?} {press:?}");
            }
        }
        form.at = FormField::Provider;
        assert_eq!(form.press(ctrl('c')), FormOutcome::Leave);
        assert_eq!(form.model.text(), "mine");
    }

    #[test]
    fn a_form_without_providers_takes_every_key() {
        let mut form = form(&[]);
        form.at = FormField::Provider;
        for key in [
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Char('x'),
            KeyCode::Up,
            KeyCode::Tab,
            KeyCode::Down,
        ] {
            form.at = FormField::Provider;
            press_all(&mut form, &[key]);
        }
        assert_eq!(form.provider_model(), "");
    }
}
