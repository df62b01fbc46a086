//! Which questions are understood, and which values answer them.

use serde_json::json;

use super::*;

fn form(properties: &Value, required: &[&str]) -> Result<Question, String> {
    let params = json!({
        "message": "Who are\u{1b}[31m you?",
        "requestedSchema": {"type": "object", "properties": properties, "required": required},
    });
    Question::read("game.example", &params)
}

fn answer(question: &Question, pairs: &[&str]) -> Result<Value, String> {
    let values = read_pairs(pairs.iter().copied())?;
    let values = question.check(&AnswerValues(values))?;
    Ok(Value::Object(values.0))
}

fn crew() -> Question {
    let properties = json!({
        "name": {"type": "string", "minLength": 2, "maxLength": 5},
        "mail": {"type": "string", "format": "email"},
        "age": {"type": "integer", "minimum": 18, "maximum": 99},
        "share": {"type": "number"},
        "sure": {"type": "boolean", "default": false},
        "ship": {"type": "string", "enum": ["hauler", "scout"], "enumNames": ["Big", "Small"]},
        "goods": {"type": "array", "minItems": 1, "maxItems": 2,
            "items": {"anyOf": [{"const": "ore", "title": "Ore"}, {"const": "gas"}, {"const": "ice"}]}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
    });
    form(&properties, &["name", "age"]).expect("a form")
}

#[test]
fn values_become_what_their_fields_are() {
    let question = crew();
    let pairs = [
        "name=Zoë",
        "age= 42",
        "share=0.5",
        "sure=yes",
        "ship=Big",
        "goods=Ore, gas",
        "note=a=b",
    ];
    assert_eq!(
        answer(&question, &pairs),
        Ok(
            json!({"name": "Zoë", "age": 42, "share": 0.5, "sure": true, "ship": "hauler",
            "goods": ["ore", "gas"], "note": "a=b"})
        )
    );
    assert_eq!(
        answer(&question, &["name=Al", "age=18"]),
        Ok(json!({"name": "Al", "age": 18, "sure": false})),
        "defaults are given, what is left out is left out"
    );
    let typed = json!({"name": "Al", "age": 18, "sure": true, "goods": ["ice"]});
    let Value::Object(values) = typed.clone() else {
        unreachable!()
    };
    let checked = question.check(&AnswerValues(values)).unwrap();
    assert_eq!(Value::Object(checked.0), typed);
}

#[test]
fn a_value_that_does_not_fit_is_refused_by_the_name_of_its_field() {
    let question = crew();
    for (pairs, why) in [
        (
            &["age=20"][..],
            "name: is required (a text of 2 to 5 characters)",
        ),
        (
            &["name=Al"],
            "age: is required (a whole number from 18 to 99)",
        ),
        (
            &["name=A", "age=20"],
            "name: must be a text of 2 to 5 characters",
        ),
        (
            &["name=Al", "age=17"],
            "age: must be a whole number from 18 to 99",
        ),
        (
            &["name=Al", "age=20.5"],
            "age: must be a whole number from 18 to 99",
        ),
        (
            &["name=Al", "age=old"],
            "age: must be a whole number from 18 to 99",
        ),
        (&["name=Al", "age=20", "share=x"], "share: must be a number"),
        (
            &["name=Al", "age=20", "sure=maybe"],
            "sure: must be yes or no",
        ),
        (
            &["name=Al", "age=20", "ship=tug"],
            "ship: must be one of hauler (Big), scout (Small)",
        ),
        (
            &["name=Al", "age=20", "goods=ore,gas,ice"],
            "goods: must be 1 to 2 of ore (Ore), gas, ice",
        ),
        (
            &["name=Al", "age=20", "goods="],
            "goods: must be 1 to 2 of ore (Ore), gas, ice",
        ),
        (
            &["name=Al", "age=20", "mail=@x"],
            "mail: must be an e-mail address",
        ),
        (
            &["agee=1"],
            "agee: there is no such field, only age, name, goods, mail, note, share, ship, sure",
        ),
        (&["age"], "`age` is not of the form field=value"),
    ] {
        assert_eq!(answer(&question, pairs), Err(why.to_string()), "{pairs:?}");
    }
}

#[test]
fn formats_are_checked_as_far_as_that_makes_sense() {
    for (format, good, bad) in [
        ("email", "a@b.example", "a b@c"),
        ("uri", "https://example.com/x", "example.com"),
        ("date", "2028-02-29", "2027-02-29"),
        (
            "date-time",
            "2026-07-28T12:00:00.5+02:00",
            "2026-07-28T25:00:00Z",
        ),
        ("of-their-own", "anything", ""),
    ] {
        let properties = json!({"it": {"type": "string", "format": format, "minLength": 1}});
        let question = form(&properties, &[]).unwrap();
        let [good, bad] = [good, bad].map(|text| answer(&question, &[&format!("it={text}")]));
        assert!(good.is_ok() && bad.is_err(), "{format}: {good:?} {bad:?}");
    }
}

#[test]
fn a_question_that_cannot_be_shown_is_not_understood() {
    for (properties, why) in [
        (
            json!({"a": {"type": "object"}}),
            "the field a: the type object is not known",
        ),
        (json!({"a": {}}), "the field a: it has no type"),
        (
            json!({"a": {"type": "array", "items": {"type": "string"}}}),
            "the field a: a list of anything cannot be asked for",
        ),
        (
            json!({"a\u{7}": {"type": "string"}}),
            "the field a·: its name cannot be used",
        ),
        (
            json!({"a": {"enum": []}}),
            "the field a: its options cannot be shown",
        ),
        (json!(3), "it has no requestedSchema with properties"),
    ] {
        assert_eq!(form(&properties, &[]), Err(why.to_string()));
    }
    for url in [
        "javascript:alert(1)",
        "https://a b",
        "",
        "https://x/\u{202e}",
    ] {
        let params = json!({"mode": "url", "message": "", "url": url});
        assert!(Question::read("s", &params).is_err(), "{url}");
    }
    let params = json!({"mode": "dance", "message": ""});
    assert!(Question::read("s", &params).is_err());
}

#[test]
fn an_address_is_visited_and_takes_no_values() {
    let params = json!({"mode": "url", "message": "Pay", "url": "https://pay.example/1",
        "elicitationId": "x"});
    let question = Question::read("shop.example", &params).unwrap();
    assert_eq!(
        question.summary(),
        "shop.example asks: Pay (open https://pay.example/1)"
    );
    assert_eq!(answer(&question, &[]), Ok(json!({})));
    let why = "a: the question has no fields".to_string();
    assert_eq!(answer(&question, &["a=1"]), Err(why));
}

#[test]
fn what_is_shown_is_clean_and_without_secrets_and_values_are_never_shown() {
    let properties =
        json!({"pin": {"type": "string", "title": "like hunter22?", "default": "hunter22"}});
    let mut question = form(&properties, &["pin"]).unwrap();
    assert_eq!(question.summary(), "game.example asks: Who are you? (pin*)");
    question.remove_secrets(&Redactor::new(["hunter22".into()]));
    let field = &question.fields()[0];
    assert!(!field.title.contains("hunter22"), "{}", field.title);
    assert_eq!(field.default, None);
    let values = AnswerValues(read_pairs(["pin=1234"]).unwrap());
    assert_eq!(format!("{values:?}"), r#"{"pin"}"#);
}

#[test]
fn an_option_that_contains_a_secret_is_not_offered() {
    let properties = json!({"which": {"type": "string", "enum": ["hunter22-a", "other"]}});
    let mut question = form(&properties, &["which"]).unwrap();
    question.remove_secrets(&Redactor::new(["hunter22".into()]));
    assert_eq!(question.fields()[0].kind.describe(), "one of other");
}

#[test]
fn a_typed_line_is_split_where_fields_begin() {
    let properties = json!({
        "ore": {"type": "string"},
        "ore kind": {"type": "string"},
        "goods": {"type": "array", "default": ["a,b", "c"],
            "items": {"type": "string", "enum": ["a,b", "c"]}},
    });
    let question = form(&properties, &["ore"]).unwrap();
    let read = |line: &str| read_line(question.fields(), line).map(Value::Object);
    assert_eq!(
        read("ore=white gold = x= ore kind=a goods="),
        Ok(json!({"ore": "white gold = x=", "ore kind": "a"}))
    );
    assert_eq!(read(" "), Ok(json!({})));
    assert_eq!(read("oer=1 ore=2"), Ok(json!({"oer": "1", "ore": "2"})));
    let why = "`iron` is not of the form field=value".to_string();
    assert_eq!(read("iron ore=2"), Err(why));
    // What a key prepares is read back as the default.
    let goods = question
        .fields()
        .iter()
        .find(|field| &*field.name == "goods");
    let typed = typed_value(goods.and_then(|field| field.default.as_ref()).unwrap());
    assert_eq!(typed, r#"["a,b","c"]"#);
    let line = format!("ore=x goods={typed}");
    let values = AnswerValues(read_line(question.fields(), &line).unwrap());
    let checked = question.check(&values).unwrap();
    assert_eq!(checked.0["goods"], json!(["a,b", "c"]));
    assert_eq!(typed_value(&json!(["c", "d"])), "c,d");
}
