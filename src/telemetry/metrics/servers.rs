//! The metrics of the servers that the swarm depends on.

use std::collections::BTreeMap;

use actors::domain::ids::Lane;
use actors::domain::outages::{Light, ServerOutages};

use super::text::MetricsPage;

/// The label of the game's server among the providers.
const GAME_SERVER: &str = "game";

/// Writes the light of each server that was asked, or is known to be in trouble.
pub(super) fn write<'a>(
    outages: &'a ServerOutages,
    asked: impl Iterator<Item = &'a str>,
    page: &mut MetricsPage,
) {
    let green = asked.chain([GAME_SERVER]).map(|name| (name, Light::Green));
    let mut lights: BTreeMap<&str, Light> = green.collect();
    for outage in &outages.0 {
        let light = lights.entry(label(&outage.lane)).or_insert(Light::Green);
        *light = outage.stage.light().max(*light);
    }
    let help = "1 for a server that is away, so that its Myses wait, else 0.";
    page.write_head("zoea_server_away", "gauge", help);
    for (server, light) in &lights {
        let is_away = u64::from(*light == Light::Red);
        page.write_line("zoea_server_away", &[("server", server)], is_away);
    }
    let help = "The light of a server: 0 green, 1 amber (a call takes far longer \
                than usual, or one was refused), 2 red.";
    page.write_head("zoea_server_light", "gauge", help);
    for (server, light) in &lights {
        let light = match light {
            Light::Green => 0,
            Light::Amber => 1,
            Light::Red => 2,
        };
        page.write_line("zoea_server_light", &[("server", server)], light);
    }
}

fn label(lane: &Lane) -> &str {
    match lane {
        Lane::Provider(name) => name,
        Lane::Logins | Lane::Game => GAME_SERVER,
    }
}
