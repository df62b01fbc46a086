//! The form of an incident: one exchange with a server that failed, as a file that somebody else can
//! serve again.

use std::pin::Pin;

use serde_json::{Map, Value, json};

/// The most bytes of an incident's text.
pub const MAX_INCIDENT_BYTES: usize = 64 << 10;

/// The most bytes of what the program made of a failure, and of the value of a header.
const MAX_WORDS_BYTES: usize = 2 << 10;

const FORM: u64 = 1;

pub trait IncidentKeeper: Send + Sync {
    /// Keeps one. It returns soon, also where that fails.
    fn keep(&self, incident: Incident) -> Keeping;
}

pub type Keeping = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentKind {
    Model,
    Tool,
}

impl IncidentKind {
    fn as_str(self) -> &'static str {
        match self {
            IncidentKind::Model => "model",
            IncidentKind::Tool => "tool",
        }
    }
}

/// An exchange that failed. Its texts contain no secret that the program knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub kind: IncidentKind,
    pub at: String,
    pub server: String,
    pub failure: String,
    /// The body of the request. The middle of a long one is left out.
    pub request: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// Only requests with this text get the answer, if it is not empty.
    pub only_with: String,
}

impl Incident {
    /// An exchange with a server that failed. `clean` removes secrets from each of its texts, before
    /// anything is cut. Only the beginning is kept of the failure and of headers.
    #[must_use]
    pub fn of_exchange(
        kind: IncidentKind,
        server: &str,
        failure: &str,
        request: &str,
        (status, headers, body): (u16, Vec<(String, String)>, &[u8]),
        clean: impl Fn(&str) -> String,
    ) -> Incident {
        // Much more is cleaned than is kept, so that a secret that is cut is not in what is kept.
        let words = |text: &str| {
            let mut words = clean(beginning(text, MAX_INCIDENT_BYTES));
            words.truncate(beginning(&words, MAX_WORDS_BYTES).len());
            words
        };
        let headers = headers.into_iter();
        Incident {
            kind,
            at: String::new(),
            server: clean(server),
            failure: words(failure),
            request: clean(request),
            status,
            headers: headers.map(|(name, value)| (name, words(&value))).collect(),
            body: clean(&String::from_utf8_lossy(body)),
            only_with: String::new(),
        }
    }

    /// Its text, within [`MAX_INCIDENT_BYTES`]. Where that is too little, the middle of the request is
    /// left out, then the end of the answer, then all but the kind, the time and the status.
    pub fn to_text(&self) -> String {
        let mut incident = self.clone();
        let mut text = incident.write();
        while text.len() > MAX_INCIDENT_BYTES {
            let surplus = text.len() - MAX_INCIDENT_BYTES;
            if incident.request.len() > surplus {
                incident.request = without_middle(&incident.request, surplus);
            } else if !incident.body.is_empty() {
                let half = incident.body.floor_char_boundary(incident.body.len() / 2);
                incident.body.truncate(half);
                incident.request = String::new();
            } else {
                incident.headers = Vec::new();
                for words in [
                    &mut incident.failure,
                    &mut incident.server,
                    &mut incident.only_with,
                ] {
                    words.truncate(beginning(words, MAX_WORDS_BYTES).len());
                }
                return incident.write();
            }
            text = incident.write();
        }
        text
    }

    fn write(&self) -> String {
        let headers = self.headers.iter();
        let headers: Map<String, Value> = headers
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        let incident = json!({
            "zoea_incident": FORM,
            "kind": self.kind.as_str(),
            "at": self.at,
            "server": self.server,
            "failure": self.failure,
            "only_with": self.only_with,
            "request": self.request,
            "answer": {"status": self.status, "headers": headers, "body": self.body},
        });
        format!("{incident:#}\n")
    }

    /// Reads the text of an incident. What a person wrote may leave out all but the kind and the
    /// answer's status and body.
    pub fn parse(text: &str) -> Result<Incident, String> {
        let read: Value =
            serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        if read["zoea_incident"].as_u64() != Some(FORM) {
            return Err(format!(
                "no incident: it has no member \"zoea_incident\": {FORM}"
            ));
        }
        let kinds = [IncidentKind::Model, IncidentKind::Tool];
        let kind = kinds.into_iter().find(|kind| read["kind"] == kind.as_str());
        let kind = kind.ok_or("`kind` is neither \"model\" nor \"tool\"")?;
        let answer = &read["answer"];
        let status = answer["status"]
            .as_u64()
            .and_then(|status| u16::try_from(status).ok());
        let status = status.filter(|status| (100..=999).contains(status));
        let status = status.ok_or("`answer` has no `status`, a number from 100 to 999")?;
        let body = text_of(&answer["body"]).ok_or("`answer` has no `body`")?;
        let text = |name: &str| text_of(&read[name]).unwrap_or_default();
        let headers = answer["headers"].as_object().into_iter().flatten();
        let headers = headers.filter_map(|(name, value)| {
            let value = value.as_str()?;
            Some((name.clone(), value.to_string()))
        });
        Ok(Incident {
            kind,
            at: text("at"),
            server: text("server"),
            failure: text("failure"),
            request: text("request"),
            status,
            headers: headers.collect(),
            body,
            only_with: text("only_with"),
        })
    }

    /// Whether it answers a request with this body: one of the same kind as the one that failed.
    pub fn answers(&self, request: &str) -> bool {
        if !request.contains(&self.only_with) {
            return false;
        }
        let Ok(asked) = serde_json::from_str::<Value>(request) else {
            return false;
        };
        // The request of the incident may be cut.
        let failed = serde_json::from_str::<Value>(&self.request).unwrap_or_default();
        match self.kind {
            IncidentKind::Model => {
                let has_tools = |of: &Value| !of["tools"].is_null();
                failed.is_null() || has_tools(&failed) == has_tools(&asked)
            }
            IncidentKind::Tool => {
                let tool = |of: &Value| of["params"]["name"].clone();
                asked["method"] == "tools/call"
                    && (failed.is_null() || tool(&failed) == tool(&asked))
            }
        }
    }

    /// The body of its answer to a request with this body: messages of an MCP server get the request's id,
    /// also those in an array or in events.
    pub fn body_for(&self, request: &str) -> String {
        if self.kind == IncidentKind::Model {
            return self.body.clone();
        }
        let asked = serde_json::from_str::<Value>(request).unwrap_or_default();
        let id = &asked["id"];
        if let Some(whole) = with_id(&self.body, id) {
            return whole;
        }
        let lines = self.body.split('\n').map(|line| {
            let data = line.strip_prefix("data:");
            let answer = data.and_then(|data| with_id(data, id));
            answer.map_or_else(|| line.to_string(), |answer| format!("data: {answer}"))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A text as it is, another value as JSON; `None` for `null`.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Some(value.to_string())
        }
    }
}

/// Messages whose answers get this id; `None` if the text is none.
fn with_id(text: &str, id: &Value) -> Option<String> {
    let mut read: Value = serde_json::from_str(text).ok()?;
    let messages = match &mut read {
        Value::Array(messages) => messages.as_mut_slice(),
        Value::Object(_) => std::slice::from_mut(&mut read),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    for message in messages.iter_mut().filter_map(Value::as_object_mut) {
        let is_answer = message.contains_key("id") && !message.contains_key("method");
        if is_answer {
            message.insert("id".to_string(), id.clone());
        }
    }
    Some(read.to_string())
}

fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A text without at least so many bytes of its middle.
fn without_middle(text: &str, surplus: usize) -> String {
    const MARK_BYTES: usize = 40;
    let kept = text.len().saturating_sub(surplus + MARK_BYTES) / 2;
    let (head, tail) = (
        text.floor_char_boundary(kept),
        text.ceil_char_boundary(text.len() - kept),
    );
    let left = tail - head;
    format!("{}[{left} bytes left out]{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incident() -> Incident {
        Incident {
            kind: IncidentKind::Model,
            at: "2026-11-27T05:00:00Z".to_string(),
            server: "local".to_string(),
            failure: "HTTP 400".to_string(),
            request: r#"{"model":"m","tools":[]}"#.to_string(),
            status: 400,
            headers: vec![("content-type".to_string(), "text/plain".to_string())],
            body: "no \"such\" model\n".to_string(),
            only_with: String::new(),
        }
    }

    #[test]
    fn an_incident_reads_as_it_was_written() {
        let whole = incident();
        assert_eq!(Incident::parse(&whole.to_text()), Ok(whole));
        let short =
            r#"{"zoea_incident": 1, "kind": "tool", "answer": {"status": 500, "body": {"a": 1}}}"#;
        assert_eq!(Incident::parse(short).unwrap().body, r#"{"a":1}"#);
        for wrong in [
            "",
            "{}",
            r#"{"zoea_incident":1,"kind":"x"}"#,
            r#"{"zoea_incident":1,"kind":"tool","answer":{"status":7,"body":""}}"#,
        ] {
            assert!(Incident::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn its_file_keeps_its_form() {
        let whole = Incident {
            only_with: "alpha".to_string(),
            ..incident()
        };
        zoea_golden::hold_text("incident.json", &whole.to_text());
    }

    #[test]
    fn it_is_never_too_long_and_keeps_both_ends_of_the_request() {
        for (request, body) in [("\"ä", 900_000), ("x", 30_000), ("", 200_000)] {
            let long = Incident {
                request: format!("begin{}end", request.repeat(300_000)),
                body: "\u{1}".repeat(body),
                ..incident()
            };
            let text = long.to_text();
            assert!(text.len() <= MAX_INCIDENT_BYTES, "{}", text.len());
            assert!(Incident::parse(&text).is_ok());
        }
        // No text of a server makes it too long, whichever it is.
        let words = "ä".repeat(100_000);
        let long = Incident {
            failure: words.clone(),
            server: words.clone(),
            headers: vec![("content-type".to_string(), words.clone())],
            request: words.clone(),
            ..incident()
        };
        assert!(long.to_text().len() <= MAX_INCIDENT_BYTES);
        let answer = (
            500,
            vec![("retry-after".to_string(), words.clone())],
            &b"x"[..],
        );
        let clean = |text: &str| text.to_string();
        let of = Incident::of_exchange(IncidentKind::Tool, "game", &words, "{}", answer, clean);
        assert_eq!(of.failure.len(), MAX_WORDS_BYTES);
        assert_eq!(of.headers[0].1.len(), MAX_WORDS_BYTES);
        let long = Incident {
            request: format!("begin{}end", "ä".repeat(100_000)),
            ..incident()
        };
        let read = Incident::parse(&long.to_text()).unwrap();
        assert!(read.request.starts_with("begin") && read.request.ends_with("end"));
        assert!(read.request.contains("bytes left out]"));
    }

    #[test]
    fn it_answers_requests_like_the_one_that_failed() {
        let model = incident();
        assert!(model.answers(r#"{"messages":[],"tools":[1]}"#));
        assert!(!model.answers(r#"{"messages":[]}"#));
        let poisoned = Incident {
            only_with: "POISON".to_string(),
            ..incident()
        };
        assert!(!poisoned.answers(r#"{"messages":[],"tools":[1]}"#));
        assert!(poisoned.answers(r#"{"messages":["POISON"],"tools":[1]}"#));
        let cut = Incident {
            request: "{\"mess".to_string(),
            ..incident()
        };
        assert!(cut.answers(r#"{"messages":[]}"#));
        let tool = Incident {
            kind: IncidentKind::Tool,
            request: r#"{"method":"tools/call","params":{"name":"mine"}}"#.to_string(),
            body: r#"{"jsonrpc":"2.0","id":3,"error":{"code":-1}}"#.to_string(),
            ..incident()
        };
        let mine = r#"{"id":9,"method":"tools/call","params":{"name":"mine"}}"#;
        assert!(tool.answers(mine));
        assert!(!tool.answers(&mine.replace("mine", "sell")));
        assert!(!tool.answers(&mine.replace("call", "list")));
        assert!(tool.body_for(mine).contains(r#""id":9"#));
        for (body, replayed) in [
            (r#"[{"id":3,"result":1}]"#, r#"[{"id":9,"result":1}]"#),
            (
                "event: ping\ndata: ping\n\ndata: {\"id\":3,\"result\":1}\r\n\n",
                "event: ping\ndata: ping\n\ndata: {\"id\":9,\"result\":1}\n\n",
            ),
            (r#"{"id":3,"method":"ping"}"#, r#"{"id":3,"method":"ping"}"#),
            ("gone", "gone"),
        ] {
            let tool = Incident {
                body: body.to_string(),
                ..tool.clone()
            };
            assert_eq!(tool.body_for(mine), replayed);
        }
    }
}
