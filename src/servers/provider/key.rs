//! Access to a provider: its address and key. Environment variables that other programs use for
//! their accounts are ignored.

use std::sync::Arc;

use async_openai::config::Config;
use http::HeaderMap;
use http::header::{AUTHORIZATION, HeaderValue};
use secrecy::SecretString;

use super::ProviderEndpoint;

#[derive(Clone)]
pub(super) struct ProviderAccess(Arc<AccessDetails>);

struct AccessDetails {
    url: String,
    headers: HeaderMap,
    /// The library requires a key here but does not use it. The key is in the headers.
    no_key: SecretString,
}

impl ProviderEndpoint {
    /// The headers of every request to it: its key, if it has one, and what the configuration adds.
    ///
    /// # Errors
    /// The key holds letters that no HTTP header can carry.
    pub fn request_headers(&self) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::new();
        if let Some(key) = self.api_key.as_ref().filter(|key| !key.is_empty()) {
            let value = HeaderValue::from_str(&format!("Bearer {key}"));
            let mut value = value.map_err(|_| {
                "its key holds letters that no HTTP header can carry; correct what api_key_env or \
                 api_key_name names"
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        Ok(headers)
    }
}

impl ProviderAccess {
    /// Access to an endpoint. Without a key there is no authorization header.
    pub(super) fn from_endpoint(endpoint: &ProviderEndpoint) -> Result<ProviderAccess, String> {
        let headers = endpoint.request_headers()?;
        Ok(ProviderAccess(Arc::new(AccessDetails {
            url: endpoint.url.trim_end_matches('/').to_string(),
            headers,
            no_key: SecretString::default(),
        })))
    }
}

impl Config for ProviderAccess {
    fn headers(&self) -> HeaderMap {
        self.0.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0.url)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        &self.0.url
    }

    fn api_key(&self) -> &SecretString {
        &self.0.no_key
    }
}
