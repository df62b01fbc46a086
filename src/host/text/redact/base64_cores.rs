//! Base64 cores: the part of a secret's Base64 form that does not depend on the bytes around it.

const STANDARD_ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE_ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Shorter cores would match by chance.
const MIN_CORE_LETTERS: usize = 7;

/// The characters that the secret alone determines. One on each side may be determined in part.
pub(super) struct Base64Core {
    pub(super) letters: Vec<u8>,
    pub(super) has_part_before: bool,
    pub(super) has_part_behind: bool,
}

/// The Base64 cores of a secret that begins at the first, second or third byte of a group of three.
pub(super) fn base64_cores(secret: &[u8]) -> Vec<Base64Core> {
    let mut cores: Vec<Base64Core> = Vec::new();
    for alphabet in [STANDARD_ALPHABET, URL_SAFE_ALPHABET] {
        for offset in 0..3 {
            let core = base64_core(secret, offset, alphabet);
            let is_known = cores.iter().any(|known| known.letters == core.letters);
            if core.letters.len() >= MIN_CORE_LETTERS && !is_known {
                cores.push(core);
            }
        }
    }
    cores
}

fn base64_core(secret: &[u8], offset: usize, alphabet: &[u8; 64]) -> Base64Core {
    let first_bit = offset * 8;
    let last_bit = first_bit + secret.len() * 8;
    let bit = |place: usize| {
        let place = place - first_bit;
        secret[place / 8] >> (7 - place % 8) & 1
    };
    let (first, behind) = (first_bit.div_ceil(6), last_bit / 6);
    let letters = (first..behind).map(|letter| {
        let bits = letter * 6..letter * 6 + 6;
        let six = bits.fold(0, |six, place| six << 1 | bit(place));
        alphabet[usize::from(six)]
    });
    Base64Core {
        letters: letters.collect(),
        has_part_before: !first_bit.is_multiple_of(6),
        has_part_behind: !last_bit.is_multiple_of(6),
    }
}

/// Whether a byte is a character of either alphabet.
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cores_are_what_base64_writes_at_every_place() {
        // `user:sesame42`, `xsesame42` and `xysesame42`, encoded by another program.
        let cores = base64_cores(b"sesame42");
        let texts = [
            "dXNlcjpzZXNhbWU0Mg==",
            "c2VzYW1lNDI=",
            "eHNlc2FtZTQy",
            "eHlzZXNhbWU0Mg==",
        ];
        for text in texts {
            let found = cores.iter().any(|core| {
                text.as_bytes()
                    .windows(core.letters.len())
                    .any(|window| window == core.letters)
            });
            assert!(found, "{text}");
        }
        assert_eq!(cores.len(), 3);
    }
}
