//! Which providers and models a Mysis may ask, best first.

use std::sync::Arc;

use super::Life;
use super::input::Route;

impl Life {
    /// The Mysis' own provider and model, then others of its tier, then the fallbacks, with theirs. A
    /// Mysis without progress may ask another provider first.
    pub(super) fn model_routes(&self) -> Vec<Route> {
        let mut routes: Vec<Route> = self.route_of_the_rung().into_iter().collect();
        let own = &self.profile.provider;
        let alike = self.providers_alike().into_iter();
        let fallbacks = self.rules.provider_routes(own);
        for provider in [own.clone()].into_iter().chain(alike).chain(fallbacks) {
            if routes.iter().all(|route| route.provider != provider) {
                routes.push(self.route_to(provider));
            }
        }
        routes
    }

    pub(super) fn own_route(&self) -> Route {
        self.route_to(self.profile.provider.clone())
    }

    pub(super) fn route_to(&self, provider: Arc<str>) -> Route {
        let rules = self.rules.providers.get(&provider);
        let own = self.profile.model.clone();
        let own = own.filter(|_| provider == self.profile.provider);
        let of_provider = || rules.map(|rules| rules.model.clone());
        Route {
            model: own.or_else(of_provider).unwrap_or_default(),
            temperature: self
                .profile
                .temperature
                .or_else(|| rules.and_then(|rules| rules.temperature)),
            provider,
        }
    }

    pub(super) fn model_of(&self, provider: &Arc<str>) -> Arc<str> {
        let mut routes = self.model_routes().into_iter();
        let route = routes.find(|route| route.provider == *provider);
        route.unwrap_or_else(|| self.own_route()).model
    }
}
