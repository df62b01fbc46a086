//! Lists the models of a server and what it says about each.

use std::time::Duration;

use actors::domain::bounds;
use actors::domain::price::TokenPrice;
use serde_json::value::RawValue;
use zoea_http::raw_json::{as_text, for_each_element, member, member_at, pick};
use zoea_provider::ProviderEndpoint;

const LIST_TIMEOUT: Duration = Duration::from_secs(15);
/// The longest list in bytes. Routers have thousands of models.
const MAX_LIST_BYTES: usize = 8 << 20;
const MAX_MODELS: usize = 5000;

#[derive(Clone, Debug, PartialEq)]
pub struct ListedModel {
    pub name: String,
    /// Its context in tokens, if the server names it.
    pub context_tokens: Option<u64>,
    /// The price of its tokens, if the server names it.
    pub price: Option<TokenPrice>,
}

/// Why there is no list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListFault {
    /// The server cannot be reached, for this reason.
    Unreachable(String),
    Status(u16),
    NoList,
}

/// Requests the list of models.
pub async fn list_models(
    http: &reqwest::Client,
    endpoint: &ProviderEndpoint,
) -> Result<Vec<ListedModel>, ListFault> {
    let url = format!("{}/models", endpoint.url.trim_end_matches('/'));
    let headers = endpoint.request_headers();
    let headers = headers.map_err(ListFault::Unreachable)?;
    let request = http.get(url).headers(headers).timeout(LIST_TIMEOUT);
    let unreachable = |error| ListFault::Unreachable(zoea_http::error_text(&error));
    let mut response = request.send().await.map_err(unreachable)?;
    if !response.status().is_success() {
        return Err(ListFault::Status(response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        body.extend_from_slice(&piece);
        if body.len() > MAX_LIST_BYTES {
            return Err(ListFault::NoList);
        }
    }
    // No tree is built of it: that would take many times the memory.
    let list: &RawValue = serde_json::from_slice(&body).map_err(|_| ListFault::NoList)?;
    read_list(list.get()).ok_or(ListFault::NoList)
}

fn read_list(list: &str) -> Option<Vec<ListedModel>> {
    let [data, models] = pick(list, ["data", "models"]);
    let mut lists = [data, models, Some(list)].into_iter().flatten();
    let listed = lists.find(|list| list.trim_ascii_start().starts_with('['))?;
    let (mut models, mut count) = (Vec::new(), 0);
    for_each_element(listed, |model| {
        models.extend(read_model(model));
        count += 1;
        count < MAX_MODELS
    });
    Some(models)
}

fn read_model(model: &str) -> Option<ListedModel> {
    let names = pick(model, ["id", "name", "model"]);
    let name = names.into_iter().flatten().find_map(as_text)?;
    // The model's theoretical context is ignored, because this server may use a smaller one.
    let contexts = pick(
        model,
        [
            "max_model_len",
            "loaded_context_length",
            "context_length",
            "context_window",
        ],
    );
    let contexts = contexts
        .into_iter()
        .chain([member_at(model, &["meta", "n_ctx"])]);
    let tokens = contexts
        .flatten()
        .find_map(|tokens| tokens.parse::<u64>().ok());
    let pricing = member(model, "pricing").unwrap_or_default();
    let prices = pick(pricing, ["prompt", "completion", "input_cache_read"]);
    let [input, output, cached] = prices.map(|price| price.and_then(dollars_per_million));
    Some(ListedModel {
        name: bounds::bounded_name(name),
        context_tokens: tokens.filter(|tokens| *tokens > 0),
        price: input.zip(output).map(|(input, output)| TokenPrice {
            input,
            output,
            cached,
        }),
    })
}

/// Converts a price. Routers name dollars for one token, as text.
fn dollars_per_million(price: &str) -> Option<f64> {
    let text = as_text(price);
    let price: f64 = text.as_deref().unwrap_or(price).parse().ok()?;
    let price = (price * 1e12).round() / 1e6;
    (0.0..=bounds::MAX_PRICE).contains(&price).then_some(price)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_of_different_servers_are_read_with_what_they_tell() {
        let list = json!({"object": "list", "data": [
            {"id": "qwen", "max_model_len": 32768},
            {"id": "router/one", "context_length": 131_072,
             "pricing": {"prompt": "0.00000005", "completion": "0.0000002"}},
            {"id": "auto", "context_length": 2_000_000,
             "pricing": {"prompt": "-1", "completion": "-1"}},
            {"id": "bare"}, {"no": "name"}, 7,
        ]});
        let models = read_list(&list.to_string()).unwrap();
        let shown = models.iter().map(|model| {
            let price = model.price.map(|price| (price.input, price.output));
            (&*model.name, model.context_tokens, price)
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                ("qwen", Some(32768), None),
                ("router/one", Some(131_072), Some((0.05, 0.2))),
                ("auto", Some(2_000_000), None),
                ("bare", None, None),
            ]
        );
        for (list, count) in [
            (r#"{"data": null, "models": [{"name": "a"}]}"#, Some(1)),
            (r#"[{"model": "a", "context_length": "many"}]"#, Some(1)),
            (r#"{"data": {}}"#, None),
            ("\"data\"", None),
        ] {
            let models = read_list(list).map(|models| models.len());
            assert_eq!(models, count, "{list}");
        }
    }

    #[test]
    fn no_tree_is_built_of_what_a_list_holds_beside_its_models() {
        // As a tree this would be too deep to be read.
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let model = format!(r#"{{"id":"a","meta":{{"n_ctx":4096,"more":{deep}}},"all":{deep}}}"#);
        let list = format!(r#"{{"more":{deep},"data":[{deep},{model}]}}"#);
        let models = read_list(&list).unwrap();
        assert_eq!(models.len(), 1);
        assert_eq!(models[0].context_tokens, Some(4096));
        let many = format!("[{}7]", r#"{"id":"a"},"#.repeat(MAX_MODELS + 1));
        assert_eq!(
            read_list(&many).map(|models| models.len()),
            Some(MAX_MODELS)
        );
    }
}
