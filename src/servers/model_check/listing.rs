//! Lists the models of a server and what it says about each.

use std::time::Duration;

use actors::domain::bounds;
use actors::domain::price::TokenPrice;
use serde_json::Value;

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
///
/// # Errors
/// The server does not answer, or not with a list.
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
    let list: Value = serde_json::from_slice(&body).map_err(|_| ListFault::NoList)?;
    read_list(&list).ok_or(ListFault::NoList)
}

fn read_list(list: &Value) -> Option<Vec<ListedModel>> {
    let lists = [&list["data"], &list["models"], list];
    let listed = lists.into_iter().find_map(Value::as_array)?;
    Some(
        listed
            .iter()
            .take(MAX_MODELS)
            .filter_map(read_model)
            .collect(),
    )
}

fn read_model(model: &Value) -> Option<ListedModel> {
    let names = [&model["id"], &model["name"], &model["model"]];
    let name = names.into_iter().find_map(Value::as_str)?;
    // The model's theoretical context is ignored, because this server may use a smaller one.
    let contexts = [
        &model["max_model_len"],
        &model["loaded_context_length"],
        &model["context_length"],
        &model["context_window"],
        &model["meta"]["n_ctx"],
    ];
    let price = |name: &str| dollars_per_million(&model["pricing"][name]);
    let price = price("prompt").zip(price("completion"));
    Some(ListedModel {
        name: bounds::bounded_name(name.to_string()),
        context_tokens: contexts
            .into_iter()
            .find_map(Value::as_u64)
            .filter(|tokens| *tokens > 0),
        price: price.map(|(input, output)| TokenPrice {
            input,
            output,
            cached: dollars_per_million(&model["pricing"]["input_cache_read"]),
        }),
    })
}

/// Converts a price. Routers name dollars for one token, as text.
fn dollars_per_million(price: &Value) -> Option<f64> {
    let price = price.as_f64().or_else(|| price.as_str()?.parse().ok())?;
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
        let models = read_list(&list).unwrap();
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
        assert_eq!(
            read_list(&json!({"models": [{"name": "a"}]}))
                .unwrap()
                .len(),
            1
        );
        assert_eq!(read_list(&json!({"data": {}})), None);
    }
}
