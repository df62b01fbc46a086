//! Writes objects as JSON without building values of them: a checkpoint is written with each step.

use serde_json::Result;

/// Writes the members of an object to the end of a text. They come in the order of their names, as those
/// of a value would.
pub(super) struct ObjectWriter<'a> {
    text: &'a mut Vec<u8>,
    is_empty: bool,
}

impl ObjectWriter<'_> {
    /// Begins an object.
    pub(super) fn begin(text: &mut Vec<u8>) -> ObjectWriter<'_> {
        text.push(b'{');
        ObjectWriter {
            text,
            is_empty: true,
        }
    }

    /// Writes a member, whose name needs no escapes.
    ///
    /// # Errors
    /// The value has no form in JSON.
    pub(super) fn member(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.text.push(b',');
        }
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b"\":");
        write(self.text)
    }

    /// Ends the object.
    pub(super) fn end(self) {
        self.text.push(b'}');
    }
}

/// Writes an array.
///
/// # Errors
/// One of its elements has no form in JSON.
pub(super) fn write_array<T>(
    text: &mut Vec<u8>,
    elements: impl IntoIterator<Item = T>,
    write: impl Fn(&mut Vec<u8>, T) -> Result<()>,
) -> Result<()> {
    text.push(b'[');
    for (place, element) in elements.into_iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        write(text, element)?;
    }
    text.push(b']');
    Ok(())
}

/// Writes a value, or null where there is none.
///
/// # Errors
/// The value has no form in JSON.
pub(super) fn write_or_null<T>(
    text: &mut Vec<u8>,
    value: Option<T>,
    write: impl FnOnce(&mut Vec<u8>, T) -> Result<()>,
) -> Result<()> {
    match value {
        Some(value) => write(text, value),
        None => {
            text.extend_from_slice(b"null");
            Ok(())
        }
    }
}
