//! Answers: the beginning of what a server says, for readers who are told of it.

/// The most bytes of an answer that are read.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// The beginning of an answer. One that breaks off has nothing that is needed.
pub async fn read_beginning(mut answer: reqwest::Response) -> Vec<u8> {
    let mut said = Vec::new();
    while let Ok(Some(bytes)) = answer.chunk().await {
        let room = MAX_ANSWER_BYTES - said.len();
        said.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if said.len() == MAX_ANSWER_BYTES {
            break;
        }
    }
    said
}

/// The readable part of an answer, which may be no text at all.
pub fn readable(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_control() && *letter != char::REPLACEMENT_CHARACTER)
        .collect();
    text.trim().to_string()
}
