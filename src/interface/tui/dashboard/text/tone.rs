//! Tones: what a piece of text means. The theme turns them into colours.

use super::width;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    #[default]
    Text,
    Strong,
    Dim,
    /// Frames, rulers and fillers: never letters or digits, for it has less contrast than text.
    Faint,
    /// The name of the program and the headings of panes.
    Brand,
    /// Live parts of the screen.
    Accent,
    Success,
    Fault,
    Warning,
    /// An action that is possible here.
    Hint,
    Key,
    /// The operator's message to one Mysis.
    You,
    /// The operator's message to the swarm.
    Broadcast,
    Peer,
    Note,
    Mysis,
    Reasoning,
    Tool,
    /// The runtime's words.
    Host,
    /// A name in structured data.
    Name,
    /// A text in structured data.
    Value,
    /// A number in structured data.
    Number,
    Running,
    Idle,
    Stopped,
    /// A hit of the search.
    Found,
    Errored,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledSpan {
    /// The text, without control characters and line ends.
    pub text: Box<str>,
    pub tone: Tone,
}

impl StyledSpan {
    pub fn new(text: impl Into<Box<str>>, tone: Tone) -> StyledSpan {
        StyledSpan {
            text: text.into(),
            tone,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    /// The pieces, from left to right.
    pub spans: Vec<StyledSpan>,
}

impl StyledLine {
    pub fn of(text: impl Into<Box<str>>, tone: Tone) -> StyledLine {
        StyledLine {
            spans: vec![StyledSpan::new(text, tone)],
        }
    }

    #[must_use]
    pub fn with(mut self, text: impl Into<Box<str>>, tone: Tone) -> StyledLine {
        self.push(text, tone);
        self
    }

    pub fn push(&mut self, text: impl Into<Box<str>>, tone: Tone) {
        let span = StyledSpan::new(text, tone);
        if !span.text.is_empty() {
            self.spans.push(span);
        }
    }

    /// Cuts the line to this width in columns.
    pub fn clip(&mut self, columns: usize) {
        let mut room = columns;
        for (place, span) in self.spans.iter_mut().enumerate() {
            let wide = width::of(&span.text);
            if wide > room {
                span.text = width::clip(&span.text, room).into();
                return self.spans.truncate(place + 1);
            }
            room -= wide;
        }
    }

    pub fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }
}
