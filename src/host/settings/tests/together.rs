//! Tests of keys that depend on each other, and of values that follow from others.

use super::*;

#[test]
fn what_belongs_together_is_judged_together() {
    let two = "[providers.a]\nendpoint='http://a'\nmodel='m'\n[providers.b]\nendpoint='http://b'\nmodel='m'\n";
    let cases = [
        (
            two.to_owned(),
            "z:1:1: swarm.default_provider is missing; allowed: \"a\" or \"b\"",
        ),
        (
            "[providers.a]\n".to_owned(),
            "z:1:1: providers.a.endpoint is missing; allowed: \
             an http or https URL to which /chat/completions can be appended\n\
             z:1:1: providers.a.model is missing; allowed: a text that is not empty",
        ),
        (
            "[providers.local]\nprice = { input = 1 }\n".to_owned(),
            "z:2:9: providers.local.price.output is missing; allowed: a number from 0 to 100000",
        ),
        (
            "[providers.local]\nprice = { input = -1, output = 1 }\n".to_owned(),
            "z:2:19: providers.local.price.input is -1; allowed: a number from 0 to 100000",
        ),
        (
            "[providers.local]\nprice = { input = 1e308, output = 1 }\n".to_owned(),
            "z:2:19: providers.local.price.input is 1e308; allowed: a number from 0 to 100000",
        ),
        (
            "[providers.local]\napi_key_env = 'A'\napi_key_name = 'b'\n".to_owned(),
            "z:3:16: providers.local.api_key_name is given beside api_key_env; allowed: one of the two",
        ),
        (
            format!("{two}fallback = 'c'\n[swarm]\ndefault_provider='a'"),
            "z:7:12: providers.b.fallback is \"c\", which names no other provider; allowed: \"a\"",
        ),
        (
            "[[myses]]\n".to_owned(),
            "z:1:1: myses[1].name is missing; allowed: 1 to 32 letters, digits, -, _ or ., not beginning with - or .",
        ),
        (
            "[[myses]]\nname = 'a'\n[[myses]]\nname = 'a'\n".to_owned(),
            "z:4:8: myses[2].name is \"a\", which another Mysis has already; allowed: names that differ",
        ),
        (
            "[[myses]]\nname = 'a'\nprovider = 'x'\n".to_owned(),
            "z:3:12: myses[1].provider is \"x\", which names no provider; allowed: \"local\"",
        ),
        (
            "[swarm]\nmax_myses = 1\n[[myses]]\nname = 'a'\n[[myses]]\nname = 'b'\n".to_owned(),
            "z:3:1: myses is a list of 2; allowed: up to 1, the limit that swarm.max_myses sets",
        ),
        (
            "swarm = 1".to_owned(),
            "z:1:9: swarm is 1; allowed: a table",
        ),
        (
            "providers = []".to_owned(),
            "z:1:13: providers is a list; allowed: a table",
        ),
        (
            "[providers]\nlocal = 'x'".to_owned(),
            "z:2:9: providers.local is \"x\"; allowed: a table",
        ),
        (
            "myses = 'a'".to_owned(),
            "z:1:9: myses is \"a\"; allowed: a list of tables, each headed [[myses]]",
        ),
        (
            "myses = ['a']".to_owned(),
            "z:1:10: myses[1] is \"a\"; allowed: a table",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(&text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn the_default_provider_is_the_named_the_only_or_the_local_one() {
    let provider =
        |name: &str| format!("[providers.{name}]\nendpoint='http://{name}'\nmodel='m'\n");
    let of = |text: String| parse(&text).map(|settings| settings.swarm.rules.default_provider);
    assert_eq!(of(provider("cloud")), Ok("cloud".into()));
    assert_eq!(
        of(provider("cloud") + &provider("local")),
        Ok("local".into())
    );
    let named = "[swarm]\ndefault_provider='cloud'\n".to_owned();
    assert_eq!(
        of(named + &provider("cloud") + &provider("local")),
        Ok("cloud".into())
    );
}

#[test]
fn the_kind_is_guessed_from_the_endpoint_unless_it_is_named() {
    let cases = [
        ("http://127.0.0.1:11434/v1", "", ProviderKind::Ollama),
        ("https://my-ollama.example.com/v1", "", ProviderKind::Ollama),
        ("https://api.openai.com/ollama/v1", "", ProviderKind::OpenAi),
        ("http://127.0.0.1:8080/v1", "", ProviderKind::OpenAi),
        (
            "http://127.0.0.1:11434/v1",
            "kind='openai'",
            ProviderKind::OpenAi,
        ),
        (
            "http://127.0.0.1:8080/v1",
            "kind='ollama'",
            ProviderKind::Ollama,
        ),
    ];
    for (endpoint, kind, expected) in cases {
        let settings = parse(&format!(
            "[providers.local]\nendpoint='{endpoint}'\n{kind}\n"
        ))
        .unwrap();
        assert_eq!(
            settings.providers["local"].kind, expected,
            "{endpoint} {kind}"
        );
    }
}
