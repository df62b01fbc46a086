//! Base64 cores: the part of a secret's Base64 form that does not depend on the bytes around it.

use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

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
    for alphabet in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
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

fn base64_core(secret: &[u8], offset: usize, alphabet: &GeneralPurpose) -> Base64Core {
    let (first_bit, last_bit) = (offset * 8, (offset + secret.len()) * 8);
    let letters = alphabet.encode([&[0; 2][..offset], secret].concat());
    Base64Core {
        letters: letters.as_bytes()[first_bit.div_ceil(6)..last_bit / 6].to_vec(),
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
