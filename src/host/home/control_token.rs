//! The control interface's token: made once from the system's random numbers, and kept across runs.

use std::io;

use super::{Home, HomeError, HomeLock, replace};
use zoea_settings::Secret;

const MAX_TOKEN_BYTES: u64 = 4096;

/// Shorter ones could be guessed.
const MIN_TOKEN_BYTES: usize = 32;

impl Home {
    /// The token, for a program that wants to reach the running one; `None` if none was ever made.
    pub fn control_token(&self) -> Result<Option<Secret>, HomeError> {
        let file = self.token_file();
        let text = match zoea_system::files::read_text(&file, MAX_TOKEN_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(HomeError::refused("read", &file)(cause)),
        };
        let token = text.trim();
        let is_token =
            token.len() >= MIN_TOKEN_BYTES && token.chars().all(|c| c.is_ascii_graphic());
        if is_token {
            Ok(Some(Secret::new(token)))
        } else {
            Err(HomeError::NoToken { file })
        }
    }
}

impl HomeLock {
    /// The token; makes one if there is none.
    pub fn control_token(&self) -> Result<Secret, HomeError> {
        if let Some(token) = self.home.control_token()? {
            return Ok(token);
        }
        let file = self.home.token_file();
        let token = random_token().map_err(HomeError::refused("make", &file))?;
        replace::replace(&file, token.as_bytes()).map_err(HomeError::refused("write", &file))?;
        Ok(Secret::new(token))
    }
}

/// 32 random bytes in hexadecimal digits.
fn random_token() -> io::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_made_once_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        assert_eq!(home.control_token().unwrap(), None);
        let token = home.lock().unwrap().control_token().unwrap();
        assert_eq!(token.expose().len(), 64);
        assert!(token.expose().chars().all(|c| c.is_ascii_hexdigit()));
        assert_eq!(home.lock().unwrap().control_token().unwrap(), token);
        assert_eq!(home.control_token().unwrap(), Some(token));
        let mode = fs::metadata(home.token_file())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn two_homes_have_two_tokens() {
        let token = || {
            let directory = tempfile::tempdir().unwrap();
            Home::open(directory.path())
                .unwrap()
                .lock()
                .unwrap()
                .control_token()
                .unwrap()
        };
        assert_ne!(token(), token());
    }

    #[test]
    fn a_file_that_holds_no_token_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        for content in ["", "short", "a line that is long enough\nand another one"] {
            fs::write(home.token_file(), content).unwrap();
            let error = home
                .lock()
                .unwrap()
                .control_token()
                .unwrap_err()
                .to_string();
            let expected = format!(
                "{} holds no token; delete it, and the next run makes a new one",
                home.token_file().display()
            );
            assert_eq!(error, expected);
            assert_eq!(fs::read_to_string(home.token_file()).unwrap(), content);
        }
    }
}
