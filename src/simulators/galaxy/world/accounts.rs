//! Accounts: registration, login and logout.

use serde_json::{Map, Value, json};

use super::{
    CommandArguments, GameRefusal, PlayerId, VERSION, World,
    dice::hash_text,
    empire::Empire,
    player::{Newcomer, PlayerAccount, PlayerVisit},
    view,
};

const MAX_CODE_CHARACTERS: usize = 64;

struct Registration<'a> {
    name: &'a str,
    empire: Empire,
}

impl World {
    /// Creates an account and logs it in.
    ///
    /// # Errors
    /// A name, an empire or a registration code that is not accepted.
    pub fn register(
        &mut self,
        arguments: &Map<String, Value>,
    ) -> Result<(PlayerId, Value), GameRefusal> {
        let arguments = CommandArguments::new(arguments);
        let application = read_application(arguments)?;
        self.check_code(arguments)?;
        let (player, password) = self.create_account(&application)?;
        let mut answer =
            self.welcome_answer(player, "Welcome to SpaceMolt", " Save your password now.");
        answer["player_id"] = player.to_string().into();
        answer["password"] = password.into();
        Ok((player, answer))
    }

    /// Creates an account again from its record. Its code was checked when it was recorded.
    ///
    /// # Errors
    /// The refusal of a registration that no record of this galaxy can contain.
    pub fn register_again(
        &mut self,
        arguments: &Map<String, Value>,
    ) -> Result<PlayerId, GameRefusal> {
        let application = read_application(CommandArguments::new(arguments))?;
        self.create_account(&application).map(|(player, _)| player)
    }

    /// Logs an account in. An earlier login of the same account ends.
    ///
    /// # Errors
    /// A wrong name or password.
    pub fn login(
        &mut self,
        arguments: &Map<String, Value>,
    ) -> Result<(PlayerId, Value), GameRefusal> {
        let arguments = CommandArguments::new(arguments);
        let name = lenient_text(arguments, "username");
        let password = lenient_text(arguments, "password");
        let player = self
            .find_player(name)
            .filter(|player| self.password(*player) == password)
            .ok_or_else(|| {
                GameRefusal::new(
                    "auth_failed",
                    "Invalid username or password. Passwords are random hex strings.",
                )
            })?;
        Ok((player, self.log_in(player)))
    }

    /// Logs in the account of this name, which somebody else has vouched for. Returns `None` if
    /// there is none.
    pub fn login_as(&mut self, name: &str) -> Option<(PlayerId, Value)> {
        let player = self.find_player(name)?;
        Some((player, self.log_in(player)))
    }

    pub fn account_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .players
            .values()
            .map(|player| player.name.clone())
            .collect();
        names.sort();
        names
    }

    fn log_in(&mut self, player: PlayerId) -> Value {
        self.begin_visit(player);
        let mut answer = self.welcome_answer(player, "Welcome back", "");
        let player_record = self.player(player);
        let newest: Vec<Value> = player_record.log.entry_json(0).into_iter().collect();
        answer["captains_log"] = newest.into();
        answer["pending_trades"] = json!([]);
        answer["release_info"] = json!({
            "version": VERSION,
            "release_date": super::look::RELEASE_DATE,
            "notes": super::look::RELEASE_NOTES,
        });
        answer["unread_chat"] = view::unread_counts(self, player_record);
        answer
    }

    /// Begins a visit, as a login does after the password was right.
    pub fn begin_visit(&mut self, player: PlayerId) {
        let (now, last_message) = (self.tick, self.talk.next_number());
        let Some(player_record) = self.players.get_mut(&player) else {
            return;
        };
        if let Some(visit) = &player_record.visit {
            player_record.stats.ticks_played += now.saturating_sub(visit.since);
            player_record.last_message = last_message;
        }
        player_record.visit = Some(PlayerVisit {
            since: now,
            read: [player_record.last_message; 4],
            ..PlayerVisit::default()
        });
        player_record.logins += 1;
        player_record.last_login = now;
        player_record.last_active = now;
        if player_record.voyage().is_none() {
            let at = player_record.at;
            self.present.entry(at).or_default().insert(player);
        }
    }

    /// Ends a visit. A ship under way flies on.
    pub fn end_visit(&mut self, player: PlayerId) {
        let (now, last_message) = (self.tick, self.talk.next_number());
        let Some(player_record) = self.players.get_mut(&player) else {
            return;
        };
        if let Some(visit) = player_record.visit.take() {
            player_record.stats.ticks_played += now.saturating_sub(visit.since);
            player_record.last_message = last_message;
        }
        let at = player_record.at;
        if let Some(present) = self.present.get_mut(&at) {
            present.remove(&player);
        }
    }

    /// Ends all visits, as a restart of the server does.
    pub fn everybody_leaves(&mut self) {
        let online = self
            .players
            .values()
            .filter(|player| player.visit.is_some());
        let online: Vec<PlayerId> = online.map(|player| player.id).collect();
        for player in online {
            self.end_visit(player);
        }
    }

    pub fn is_online(&self, player: PlayerId) -> bool {
        self.players
            .get(&player)
            .is_some_and(|player| player.visit.is_some())
    }

    /// The id of the player's current game session: another one after every login.
    pub fn session_id(&self, player: PlayerId) -> String {
        let logins = self.players.get(&player).map_or(0, |player| player.logins);
        self.dice
            .id("session", &[player.roll_key(), logins])
            .to_string()
    }

    fn check_code(&self, arguments: CommandArguments) -> Result<(), GameRefusal> {
        let code = arguments.text_or_empty("registration_code")?;
        if code.is_empty() {
            return Err(GameRefusal::new(
                "registration_code_required",
                "A registration code is required. Pass it as 'registration_code'.",
            ));
        }
        let is_right = match &self.rules.registration_code {
            Some(wanted) => code == wanted,
            None => is_code(code),
        };
        if is_right { Ok(()) } else { Err(wrong_code()) }
    }

    fn create_account(
        &mut self,
        application: &Registration,
    ) -> Result<(PlayerId, String), GameRefusal> {
        let key = application.name.to_lowercase();
        if self.names.contains_key(&key) {
            return Err(GameRefusal::new("username_taken", "Username already taken"));
        }
        let home = self.atlas.home_base(application.empire);
        let at = self.atlas.base(home).poi;
        let newcomer = Newcomer {
            id: self.free_id(&key),
            name: application.name,
            empire: application.empire,
            home,
            at,
            system: self.atlas.poi(at).system,
        };
        let player = PlayerAccount::new(&newcomer, self.dice, self.tick);
        self.names.insert(key, newcomer.id);
        self.players.insert(newcomer.id, player);
        self.begin_visit(newcomer.id);
        Ok((newcomer.id, self.password(newcomer.id)))
    }

    /// A free id that is made from the name, so it does not depend on earlier registrations.
    fn free_id(&self, key: &str) -> PlayerId {
        let hash = hash_text(key);
        let ids = (0..).map(|attempt| self.dice.id("player", &[hash, attempt]));
        ids.into_iter()
            .find(|id| !self.players.contains_key(id))
            .expect("the ids never end")
    }

    fn password(&self, player: PlayerId) -> String {
        self.dice.password(&[player.roll_key()])
    }

    /// The part of the answer that register and login share.
    fn welcome_answer(&self, player: PlayerId, greeting: &str, advice: &str) -> Value {
        let player_record = self.player(player);
        let system = self.system_of(player_record);
        json!({
            "message": format!("{greeting}, {}!{advice}", player_record.name),
            "session_id": self.session_id(player),
            "player": view::player(self, player_record),
            "ship": view::ship(self, player_record),
            "system": view::system(self, system),
            "poi": view::poi_of_system(self, player_record.at),
        })
    }
}

pub(super) fn wrong_code() -> GameRefusal {
    GameRefusal::new(
        "invalid_registration_code",
        "Registration code is not valid.",
    )
}

/// Whether this text can be a code at all: not empty, and at most 64 characters.
pub(super) fn is_code(code: &str) -> bool {
    !code.is_empty() && code.chars().count() <= MAX_CODE_CHARACTERS
}

fn read_application(arguments: CommandArguments<'_>) -> Result<Registration<'_>, GameRefusal> {
    let name = lenient_text(arguments, "username");
    check_name(name)?;
    let empire = lenient_text(arguments, "empire").parse();
    let empire = empire.map_err(|_| wrong_empire())?;
    Ok(Registration { name, empire })
}

/// A parameter of which a wrong form gets the same refusal as a wrong text.
fn lenient_text<'a>(arguments: CommandArguments<'a>, name: &str) -> &'a str {
    arguments.text(name).ok().flatten().unwrap_or_default()
}

fn check_name(name: &str) -> Result<(), GameRefusal> {
    let length = name.chars().count();
    if !(3..=24).contains(&length) || name.trim().is_empty() {
        return Err(GameRefusal::new(
            "invalid_username",
            "Username must be 3-24 characters",
        ));
    }
    let is_allowed = |c: char| {
        c.is_alphanumeric()
            || " _-'.!".contains(c)
            || (!c.is_ascii() && !c.is_control() && !c.is_whitespace())
    };
    if !name.chars().all(is_allowed) {
        return Err(GameRefusal::new(
            "invalid_username",
            "Username may only contain letters, digits, spaces, _ - ' . ! and emoji",
        ));
    }
    Ok(())
}

fn wrong_empire() -> GameRefusal {
    let mut message = "Invalid empire. Choose one of:".to_owned();
    for empire in Empire::ALL {
        message.push_str(&format!("\n - {}: {}", empire.id(), empire.summary()));
    }
    message.push_str(
        "\nExample: {\"username\": \"YourName\", \"empire\": \"solarian\", \"registration_code\": \"YOUR-CODE\"}",
    );
    GameRefusal::new("invalid_empire", message)
}
