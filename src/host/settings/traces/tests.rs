//! Tests: what the configuration leaves open, and what the environment says then.

use super::*;

/// The settings of a configuration in an environment, and the warnings.
fn completed(
    configured: TraceSettings,
    variables: &[(&str, &str)],
) -> (TraceSettings, Vec<String>, usize) {
    let mut settings = configured;
    let mut remarks = KeyRemarks::default();
    let environment = Environment::new(variables.iter().copied());
    settings.complete(&environment, &mut remarks);
    (settings, remarks.warnings, remarks.mistakes.len())
}

fn of_environment(variables: &[(&str, &str)]) -> (TraceSettings, Vec<String>, usize) {
    completed(TraceSettings::default(), variables)
}

const GENERAL: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://general:4318/");

#[test]
fn the_configuration_goes_before_the_special_variable_and_that_before_the_general_one() {
    let own = TraceSettings {
        endpoint: Some("http://own:4318".to_string()),
        ..TraceSettings::default()
    };
    let special = (
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "http://special:1/as/it/is/",
    );
    let collector = |of: TraceSettings, variables: &[(&str, &str)]| {
        let (settings, warnings, _) = completed(of, variables);
        (settings.collector, warnings.len())
    };
    let text = |url: &str, warnings| (Some(url.to_string()), warnings);
    let none = TraceSettings::default;
    assert_eq!(
        collector(own, &[GENERAL, special]),
        text("http://own:4318/v1/traces", 0)
    );
    assert_eq!(
        collector(none(), &[GENERAL, special]),
        text("http://special:1/as/it/is/", 1)
    );
    assert_eq!(
        collector(none(), &[GENERAL]),
        text("http://general:4318/v1/traces", 1)
    );
    assert_eq!(collector(none(), &[]), (None, 0));
    for off in [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ] {
        assert_eq!(collector(none(), &[GENERAL, off]), (None, 0));
    }
    let odd = ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector");
    assert_eq!(collector(none(), &[odd]), (None, 1));
}

#[test]
fn a_key_in_the_address_stays_in_the_query_and_is_shown_to_nobody() {
    let special = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    let general = "OTEL_EXPORTER_OTLP_ENDPOINT";
    for (name, url, collector) in [
        (
            special,
            "https://c.example/v1/traces?api-key=s3cr3t",
            "https://c.example/v1/traces?api-key=s3cr3t",
        ),
        (
            general,
            "https://c.example/?api-key=s3cr3t",
            "https://c.example/v1/traces?api-key=s3cr3t",
        ),
        (
            general,
            "https://c.example/s3cr3t",
            "https://c.example/s3cr3t/v1/traces",
        ),
    ] {
        let (settings, warnings, _) = of_environment(&[(name, url)]);
        assert_eq!(settings.collector.as_deref(), Some(collector));
        let text = warnings.concat();
        assert!(
            text.contains("sent to https://c.example, because") && !text.contains("s3cr3t"),
            "{text}"
        );
    }
    for endpoint in [
        "https://c.example?api-key=s3cr3t/",
        "https://c.example/v1/traces?api-key=s3cr3t/",
        "https://c.example/v1/traces/?api-key=s3cr3t/",
    ] {
        let own = TraceSettings {
            endpoint: Some(endpoint.to_string()),
            ..TraceSettings::default()
        };
        let (settings, ..) = completed(own, &[]);
        let expected = "https://c.example/v1/traces?api-key=s3cr3t/";
        assert_eq!(settings.collector.as_deref(), Some(expected));
    }
}

#[test]
fn the_form_is_that_of_the_configuration_then_of_the_environment() {
    let form = |own, text: &str| {
        let own = TraceSettings {
            protocol: own,
            ..TraceSettings::default()
        };
        let (settings, warnings, _) =
            completed(own, &[GENERAL, ("OTEL_EXPORTER_OTLP_PROTOCOL", text)]);
        (settings.protocol.unwrap_or_default(), warnings.len() - 1)
    };
    assert_eq!(form(None, ""), (TraceProtocol::Protobuf, 0));
    assert_eq!(form(None, "http/json"), (TraceProtocol::Json, 0));
    let own = Some(TraceProtocol::Protobuf);
    assert_eq!(form(own, "http/json"), (TraceProtocol::Protobuf, 0));
    assert_eq!(form(None, "grpc"), (TraceProtocol::Protobuf, 1));
}

#[test]
fn headers_are_decoded_and_shown_to_nobody() {
    let text = "authorization=Bearer%20s3cr3t-t0ken, x-scope = belt,";
    let (settings, warnings, _) = of_environment(&[GENERAL, ("OTEL_EXPORTER_OTLP_HEADERS", text)]);
    let headers = settings.header_map();
    assert_eq!(headers["authorization"], "Bearer s3cr3t-t0ken");
    assert_eq!(headers["x-scope"], "belt");
    assert!(!format!("{settings:?} {headers:?} {warnings:?}").contains("s3cr3t"));
    let secrets: Vec<&str> = settings.header_secrets().collect();
    assert_eq!(secrets, ["Bearer s3cr3t-t0ken", "s3cr3t-t0ken"]);
    for odd in ["no pair", "a b=1", "a=%0A"] {
        let variables = [GENERAL, ("OTEL_EXPORTER_OTLP_HEADERS", odd)];
        let (settings, warnings, mistakes) = of_environment(&variables);
        assert_eq!(
            (settings.headers.len(), warnings.len(), mistakes),
            (0, 2, 0)
        );
        let named = TraceSettings {
            headers_env: Some("MINE".to_string()),
            ..TraceSettings::default()
        };
        let (settings, _, mistakes) = completed(named, &[("MINE", odd)]);
        assert_eq!((settings.headers.len(), mistakes), (0, 1), "{odd}");
    }
}

#[test]
fn the_named_variable_goes_before_the_environments_own() {
    let named = || TraceSettings {
        headers_env: Some("MINE".to_string()),
        ..TraceSettings::default()
    };
    let general = ("OTEL_EXPORTER_OTLP_HEADERS", "a=theirs");
    let (settings, ..) = completed(named(), &[GENERAL, general, ("MINE", "a=mine")]);
    assert_eq!(settings.header_map()["a"], "mine");
    let (settings, warnings, _) = completed(named(), &[GENERAL, general]);
    assert_eq!(settings.headers.len(), 0);
    assert!(warnings.iter().any(|text| text.contains("MINE is not set")));
}

#[test]
fn a_swarm_is_called_as_the_configuration_the_variable_or_the_resource_says() {
    let name = |own: Option<&str>, variables: &[(&str, &str)]| {
        let own = TraceSettings {
            service: own.map(ToString::to_string),
            ..TraceSettings::default()
        };
        let variables: Vec<_> = variables.iter().copied().chain([GENERAL]).collect();
        let (settings, ..) = completed(own, &variables);
        settings.service_name().to_string()
    };
    let resource = (
        "OTEL_RESOURCE_ATTRIBUTES",
        "service.name=of%20resource,team=ore",
    );
    let variable = ("OTEL_SERVICE_NAME", "variable");
    assert_eq!(name(Some("own"), &[variable, resource]), "own");
    assert_eq!(name(None, &[variable, resource]), "variable");
    assert_eq!(name(None, &[resource]), "of resource");
    assert_eq!(name(None, &[]), "zoea");
    let (settings, ..) = of_environment(&[GENERAL, resource]);
    let team = ("team".to_string(), "ore".to_string());
    assert_eq!(settings.resource[1], team);
}
