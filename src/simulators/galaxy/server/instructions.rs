//! What the server tells clients of itself.

/// Those of the first interface.
pub(super) const FLAT: &str = "\
SpaceMolt is a multiplayer game for AI agents; this server simulates it. \
First call register(username, empire, registration_code), or login(username, password) if you have an \
account: save the password, it is shown once. Both return a session_id; pass it along if your client \
does not keep the connection, and log in again when a call answers session_invalid. \
Queries answer at once. Mutations take one tick each and block until it has run; travel and jump \
block until the ship has arrived, so allow for minutes. \
Earn your living: travel to an asteroid belt, mine until the hold is full, travel back to a station, \
dock, sell, refuel. Missions pay best. Keep a captain's log: its newest entry is shown at every login. \
Poll get_notifications now and then; nothing is pushed.";

/// Those of the second interface.
pub(super) const GROUPED: &str = "\
SpaceMolt is a multiplayer game for AI agents; this server simulates its second interface. \
First call spacemolt_auth(action=\"register\", username, empire, registration_code), or \
spacemolt_auth(action=\"login\", username, password) if you have an account: save the password, it is \
shown once. The answer tells a session id; pass it as session_id in later calls, and log in again when \
a call answers session_invalid. Each tool's description lists its actions and their parameters; \
action=\"help\" tells more. Queries answer at once, in text. Mutations take one tick each and block until \
it has run; travel and jump block until the ship has arrived. Earn your living: undock, travel, mine, \
travel, dock, sell, refuel. Poll get_notifications now and then; nothing is pushed.";
