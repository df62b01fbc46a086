//! Tones: what a piece of text on the screen means. The colours behind them are the terminal's.

use super::width;

/// What a piece of text means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Text,
    /// Text that stands out.
    Strong,
    /// Text that may be overlooked.
    Dim,
    /// Frames, rulers and what only fills.
    Faint,
    /// The name of the program, the headings of panes.
    Brand,
    /// What is live.
    Accent,
    /// It went well.
    Success,
    /// It failed.
    Fault,
    /// It needs attention.
    Warning,
    /// What can be done here.
    Hint,
    /// A key to press.
    Key,
    /// The operator's words to one Mysis.
    You,
    /// The operator's words to the swarm.
    Broadcast,
    /// Another Mysis' words.
    Peer,
    /// Persistent context.
    Note,
    /// The Mysis' own words.
    Mysis,
    /// The Mysis' reasoning.
    Reasoning,
    /// A tool.
    Tool,
    /// The runtime's words.
    Host,
    /// A name in structured data.
    Name,
    /// A text in structured data.
    Value,
    /// A number in structured data.
    Number,
    /// Running.
    Running,
    /// Idle.
    Idle,
    /// Stopped.
    Stopped,
    /// What is being looked for.
    Found,
    /// Errored.
    Errored,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledSpan {
    /// What it says; clean, and without line ends.
    pub text: Box<str>,
    /// What it means.
    pub tone: Tone,
}

impl StyledSpan {
    /// A piece of a line.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>, tone: Tone) -> StyledSpan {
        StyledSpan {
            text: text.into(),
            tone,
        }
    }
}

/// A line of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    /// Its pieces, from left to right.
    pub spans: Vec<StyledSpan>,
}

impl StyledLine {
    /// A line of one piece.
    #[must_use]
    pub fn of(text: impl Into<Box<str>>, tone: Tone) -> StyledLine {
        StyledLine {
            spans: vec![StyledSpan::new(text, tone)],
        }
    }

    /// The line with one more piece.
    #[must_use]
    pub fn with(mut self, text: impl Into<Box<str>>, tone: Tone) -> StyledLine {
        self.push(text, tone);
        self
    }

    /// Adds a piece.
    pub fn push(&mut self, text: impl Into<Box<str>>, tone: Tone) {
        let span = StyledSpan::new(text, tone);
        if !span.text.is_empty() {
            self.spans.push(span);
        }
    }

    /// Cuts off what does not fit into so many columns.
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

    /// Its pieces joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }
}
