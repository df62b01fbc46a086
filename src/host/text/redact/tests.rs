//! Tests of redaction: every character in every notation, and the time that it takes.

use proptest::prelude::*;

use super::*;

/// A function that writes a text in a notation.
type Writing = fn(&str) -> String;

fn json(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap();
    json[1..json.len() - 1].to_string()
}

fn units(text: &str, upper: bool) -> String {
    text.encode_utf16()
        .map(|unit| {
            if upper {
                format!("\\u{unit:04X}")
            } else {
                format!("\\u{unit:04x}")
            }
        })
        .collect()
}

/// The notation of cautious JSON writers: `<`, `>`, `&` and non-ASCII characters by number, `/`
/// escaped.
fn careful(text: &str, upper: bool) -> String {
    text.chars()
        .map(|c| match c {
            '/' => "\\/".to_string(),
            '<' | '>' | '&' | '\'' => units(&c.to_string(), upper),
            c if c.is_ascii() => json(&c.to_string()),
            c => units(&c.to_string(), upper),
        })
        .collect()
}

fn percent(text: &str, upper: bool) -> String {
    text.bytes()
        .map(|byte| match byte {
            byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            byte if upper => format!("%{byte:02X}"),
            byte => format!("%{byte:02x}"),
        })
        .collect()
}

fn html(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '<' => "&lt;".to_string(),
            '>' => "&gt;".to_string(),
            '&' => "&amp;".to_string(),
            '"' => "&quot;".to_string(),
            '\'' => "&#39;".to_string(),
            'ä' => "&auml;".to_string(),
            c => c.to_string(),
        })
        .collect()
}

fn entities(text: &str, hex: bool) -> String {
    text.chars()
        .map(|c| match hex {
            true => format!("&#x{:X};", u32::from(c)),
            false => format!("&#{};", u32::from(c)),
        })
        .collect()
}

const WRITINGS: [Writing; 14] = [
    str::to_string,
    json,
    |text| careful(text, false),
    |text| careful(text, true),
    |text| units(text, false),
    |text| units(text, true),
    |text| percent(text, false),
    |text| percent(text, true),
    |text| percent(text, true).replace("%20", "+"),
    |text| text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
    html,
    |text| entities(text, false),
    |text| entities(text, true),
    |text| json(text).replace('/', "\\/"),
];

fn base64(bytes: &[u8], for_addresses: bool, pads: bool) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut letters = letters.to_vec();
    letters.extend(if for_addresses { b"-_" } else { b"+/" });
    let mut coded = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            match place > chunk.len() {
                true if pads => coded.push('='),
                true => {}
                false => coded.push(char::from(
                    letters[(word >> (18 - 6 * place)) as usize & 63],
                )),
            }
        }
    }
    coded
}

const SECRETS: [&str; 8] = [
    "sk-planted-0a1b2c3d4e5f",
    "game-pass-\"1234567890|:é",
    "p<a&s>s'w/o\"r\\d",
    "ein Paßwort mit ä und 🚀",
    "100%sure+1&amp;",
    "line\nbreak\tand more",
    "a4b7fbda9179055ba005b83fe1d9d558",
    "%41\\u0041&#65;",
];

#[test]
fn a_secret_is_found_however_many_begin_alike_with_signs_of_codes() {
    let secrets: Vec<Arc<str>> = (0..200)
        .map(|n| format!("crew+pass%{n:04}").into())
        .collect();
    let redactor = Redactor::new(secrets.clone());
    for secret in secrets {
        for written in [
            secret.to_string(),
            secret.replace('+', "%2B"),
            secret.replace('+', "\\u002b"),
            percent(&secret, true),
        ] {
            assert_eq!(
                redactor.clean(&format!("it is {written}.")),
                "it is [redacted]."
            );
        }
    }
}

#[test]
fn a_secret_is_found_in_every_writing_and_in_two_of_them_in_one_another() {
    let redactor = Redactor::new(SECRETS.map(Into::into));
    let mut tried = 0;
    for secret in SECRETS {
        for (first, inner) in WRITINGS.iter().enumerate() {
            for (second, outer) in WRITINGS.iter().enumerate() {
                let text = format!("a {} b", outer(&inner(secret)));
                // The text around it must not be a part of it.
                let wanted = format!("a {REDACTED} b");
                assert_eq!(
                    redactor.clean(&text),
                    wanted,
                    "{secret} by {first} in {second}"
                );
                tried += 1;
            }
        }
    }
    assert_eq!(tried, SECRETS.len() * WRITINGS.len() * WRITINGS.len());
}

#[test]
fn nothing_of_a_secret_is_left_in_base64() {
    let redactor = Redactor::new(SECRETS.map(Into::into));
    for secret in SECRETS {
        for before in ["", "x", "xy", "user:"] {
            for behind in ["", "z", "zz", " and more"] {
                for (for_addresses, pads) in
                    [(false, true), (false, false), (true, true), (true, false)]
                {
                    let whole = format!("{before}{secret}{behind}");
                    let coded = base64(whole.as_bytes(), for_addresses, pads);
                    for coded in [
                        coded.clone(),
                        json(&coded).replace('/', "\\/"),
                        percent(&coded, true),
                    ] {
                        let text = format!("Basic {coded}, said");
                        let clean = redactor.clean(&text);
                        assert!(clean.contains(REDACTED), "{whole}: {clean}");
                        // Up to two characters may remain on each side. They encode the
                        // neighbouring text.
                        let kept = clean.len() - REDACTED.len() - "Basic , said".len();
                        let around = before.len() + behind.len();
                        assert!(kept <= around * 6 + 12, "{whole}: {clean}");
                    }
                }
            }
        }
    }
}

#[test]
fn in_base64_what_tells_of_a_secret_goes_and_what_tells_of_its_neighbours_stays() {
    for secret in ["sesame42", "sesame421", "sesame4217"] {
        let redactor = Redactor::new([secret.into()]);
        for before in 0..4 {
            for behind in 0..4 {
                let whole = ["q".repeat(before), secret.into(), "z".repeat(behind)].concat();
                let coded = base64(whole.as_bytes(), false, false);
                let (first, last) = (before * 8 / 6, ((before + secret.len()) * 8).div_ceil(6));
                let clean = format!("{}{REDACTED}{}", &coded[..first], &coded[last..]);
                assert_eq!(redactor.clean(&coded), clean, "{whole}");
            }
        }
    }
}

#[test]
fn a_short_secret_is_found_as_a_word_of_its_own() {
    let redactor = Redactor::new(["ore7".into(), "six".into(), "sesame".into()]);
    assert_eq!(format!("{redactor:?}"), "Redactor(2 secrets)");
    for (text, clean) in [
        ("ore7", "[redacted]"),
        ("the (ore7), sesame!", "the ([redacted]), [redacted]!"),
        (r#"{"a":"ore7"}"#, r#"{"a":"[redacted]"}"#),
        (r"line\nore7\n", r"line\n[redacted]\n"),
        ("ore71 more7 sesamee six", "ore71 more7 sesamee six"),
        ("%20ore7%20", "%20[redacted]%20"),
        (r"\nore7", r"\n[redacted]"),
        (r"\u0020ore7", r"\u0020[redacted]"),
        // The end of a word or of a number is not the end of a code.
        ("nore7 bore7 tore7", "nore7 bore7 tore7"),
        ("20ore7 a20ore7 u0020ore7", "20ore7 a20ore7 u0020ore7"),
        (r"\xore7", r"\xore7"),
        ("o%72e7", "[redacted]"),
    ] {
        assert_eq!(redactor.clean(text), clean);
    }
}

#[test]
fn of_secrets_in_one_another_nothing_is_left_and_ordinary_words_stay() {
    let redactor = Redactor::new([
        "password".into(),
        "password-and-more".into(),
        "and-more-to-come".into(),
        "ore".into(),
    ]);
    let text = "ore password-and-more-to-come password";
    assert_eq!(redactor.clean(text), "ore [redacted] [redacted]");
    let same = redactor.clean("pass word");
    assert!(matches!(same, Cow::Borrowed(_)));
}

#[test]
fn every_text_of_a_json_value_is_cleaned() {
    let redactor = Redactor::new(["hunter2-hunter2".into()]);
    let body = serde_json::json!({
        "why": "the key hunter2-hunter2 is refused", "count": 1,
        "deep": [{"hunter2-hunter2": "a"}, ["x hunter2%2Dhunter2"]],
    });
    let clean = redactor.clean_json(body).to_string();
    assert!(
        !clean.contains("hunter2") && clean.contains("is refused"),
        "{clean}"
    );
}

#[test]
fn texts_made_to_be_read_in_many_ways_are_read_to_their_end() {
    let pieces = [
        "\\",
        "%",
        "&",
        "+",
        "%25",
        "\\u005c",
        "&amp;",
        "&#38;",
        "a\\",
        "\\\"",
        "plain text ",
    ];
    let odd = ["\\".repeat(12), "%".repeat(9), "&".repeat(9), "+".repeat(9)];
    let usual = Redactor::new(SECRETS.map(Into::into));
    let oddly = Redactor::new(odd.clone().map(Into::into));
    for piece in pieces {
        // Trying every reading of each position would not end with these texts.
        let text = piece.repeat((8 << 10) / piece.len());
        assert_eq!(usual.clean(&text), text, "{piece}");
        let text = piece.repeat((1 << 10) / piece.len());
        let cleaned = oddly.clean(&text);
        let left = odd.iter().find(|secret| cleaned.contains(secret.as_str()));
        assert_eq!(left, None, "{piece}");
    }
}

#[test]
fn who_learns_one_secret_after_the_other_finds_them_all_and_looks_in_few_places() {
    let secrets: Vec<Arc<str>> = (0..3000)
        .map(|n| format!("{n:05x}-sesame-{n}").into())
        .collect();
    let mut known = Redactor::default();
    for (count, secret) in secrets.iter().enumerate() {
        let before = known.clone();
        known = before.with([secret.clone()]);
        if count % 100 == 0 {
            assert_eq!(
                before.clean(secret),
                **secret,
                "what is learnt later is not known before"
            );
        }
    }
    assert_eq!(format!("{known:?}"), "Redactor(3000 secrets)");
    let at_once = Redactor::new(secrets.clone());
    for secret in &secrets {
        let text = format!(
            "say {} and {}",
            secret,
            base64(secret.as_bytes(), false, false)
        );
        let clean = known.clean(&text);
        assert_eq!(clean, at_once.clean(&text));
        assert_eq!(clean.matches(REDACTED).count(), 2, "{clean}");
    }
    assert!(known.runs.len() <= 8, "{}", known.runs.len());
    assert_eq!(at_once.runs.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Each character is written in its own notation.
    #[test]
    fn letters_may_be_written_each_in_its_own_way(
        secret in "[ -~äß€🚀]{8,24}",
        ways in proptest::collection::vec((0..WRITINGS.len(), 0..WRITINGS.len()), 24),
        before in "[ -~\\\\%&]{0,6} ",
        behind in " [ -~\\\\%&]{0,6}",
    ) {
        let redactor = Redactor::new([secret.as_str().into()]);
        let written: String = secret.chars().zip(&ways).map(|(letter, (inner, outer))| {
            WRITINGS[*outer](&WRITINGS[*inner](&letter.to_string()))
        }).collect();
        let clean = redactor.clean_own(format!("{before}{written}{behind}"));
        prop_assert!(clean.contains(REDACTED), "{written}: {clean}");
        prop_assert!(clean.starts_with(before.trim_end()), "{clean}");
        prop_assert!(!clean.contains(&written) || REDACTED.contains(&written));
    }

    #[test]
    fn a_text_without_a_secret_stays(text in "\\PC{0,200}") {
        let redactor = Redactor::new(["0a1b2c3d4e5f".into(), "ore7".into()]);
        if !text.contains("ore7") {
            prop_assert!(matches!(redactor.clean(&text), Cow::Borrowed(_)));
        }
    }
}
