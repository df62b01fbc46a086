//! What was pasted. A terminal with extended keys, as tmux with `extended-keys on`, writes some letters of a
//! pasted text as it writes keys: `ESC[106;5u` or `ESC[27;5;106~` for a line break.

/// The bit of Shift, and of Ctrl, in the modifiers of a key less one.
const SHIFT: u32 = 1;
const CTRL: u32 = 4;

/// A pasted text with the letters that its keys mean.
pub(super) fn plain_paste(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at + 2..];
        let is_parameter = |letter: char| letter.is_ascii_digit() || matches!(letter, ';' | ':');
        let end = sequence.find(|letter| !is_parameter(letter));
        let key = end.and_then(|end| {
            Some((
                end,
                key_of(&sequence[..end], sequence[end..].chars().next()?)?,
            ))
        });
        match key {
            Some((end, letter)) => {
                plain.extend(letter);
                rest = &sequence[end + 1..];
            }
            // It is no key. Who shows the text makes it safe.
            None => {
                plain.push_str("\u{1b}[");
                rest = sequence;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The letter of a key that is written so; `Some(None)` for a key without one, `None` for no key.
fn key_of(parameters: &str, last: char) -> Option<Option<char>> {
    let mut parts = parameters.split(';');
    // The letter itself comes before those that it has with Shift and on other keyboards.
    let number = |part: Option<&str>| part?.split(':').next()?.parse::<u32>().ok();
    let (code, modifiers) = match last {
        'u' => {
            let code = number(parts.next())?;
            (code, number(parts.next()).unwrap_or(1))
        }
        '~' if parts.next() == Some("27") => {
            let modifiers = number(parts.next())?;
            (number(parts.next())?, modifiers)
        }
        _ => return None,
    };
    let held = modifiers.saturating_sub(1);
    let letter = char::from_u32(code)?;
    Some(match (letter, held & CTRL != 0) {
        ('j' | 'J' | 'm' | 'M', true) | ('\r' | '\n', _) => Some('\n'),
        ('i' | 'I', true) | ('\t', _) => Some('\t'),
        (_, true) => None,
        (letter, false) if letter.is_control() => None,
        (letter, false) if held & SHIFT != 0 => letter.to_uppercase().next(),
        (letter, false) => Some(letter),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_a_paste_are_the_letters_that_they_mean() {
        for (pasted, plain) in [
            ("one\u{1b}[106;5utwo", "one\ntwo"),
            ("one\u{1b}[27;5;106~two", "one\ntwo"),
            ("one\u{1b}[109;5u\u{1b}[27;5;109~two", "one\n\ntwo"),
            ("one\u{1b}[13utwo\u{1b}[13;2uthree", "one\ntwo\nthree"),
            ("a\u{1b}[9ub\u{1b}[105;5uc\u{1b}[27;5;105~", "a\tb\tc\t"),
            ("\u{1b}[97;2u\u{1b}[98u\u{1b}[27;2;65~", "AbA"),
            ("\u{1b}[228u\u{1b}[97:65;2u", "äA"),
            ("\u{1b}[99;5u\u{1b}[27u", ""),
            ("plain\nlines", "plain\nlines"),
            (
                "\u{1b}[31mred\u{1b}[0m \u{1b}[",
                "\u{1b}[31mred\u{1b}[0m \u{1b}[",
            ),
        ] {
            assert_eq!(plain_paste(pasted), plain, "{pasted:?}");
        }
    }
}
