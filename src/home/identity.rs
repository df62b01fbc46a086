//! The home's identity: a name by which a database that many homes share knows this one.

use std::fs;
use std::io;

use super::{Home, HomeError, replace};

impl Home {
    /// The name of this home, the same for ever, made when it is first needed. The caller holds the
    /// lock.
    ///
    /// # Errors
    /// The system's, if it refuses.
    pub fn id(&self) -> Result<String, HomeError> {
        let file = self.directory().join("home.id");
        let kept = match fs::read_to_string(&file) {
            Ok(text) => text.trim().to_string(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(cause) => return Err(self.refused("read", cause)),
        };
        if !kept.is_empty() {
            return Ok(kept);
        }
        let id = uuid::Uuid::new_v4().to_string();
        let put = replace::replace_without_sync(&file, id.as_bytes());
        put.map_err(|cause| self.refused("write in", cause))?;
        Ok(id)
    }
}
