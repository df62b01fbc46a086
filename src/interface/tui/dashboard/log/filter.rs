//! Which messages the log shows.

use actors::domain::event_record::EventRecordKind;
use strum::VariantArray;

use super::message::LogMessage;
use crate::dashboard::toolkit::list::step_in;

/// In the order of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum LogFilter {
    #[default]
    All,
    Warnings,
    Errors,
    Orders,
    Notices,
    States,
    /// What the program told this operator alone.
    Own,
}

impl LogFilter {
    #[must_use]
    pub fn next(self) -> LogFilter {
        step_in(Self::VARIANTS, self, true)
    }

    #[must_use]
    pub fn shows(self, message: &LogMessage) -> bool {
        match self {
            LogFilter::All | LogFilter::Own => true,
            LogFilter::Warnings => message.is_trouble(),
            LogFilter::Errors => message.is_error(),
            LogFilter::Orders => message.kind == Some(EventRecordKind::Order),
            LogFilter::Notices => matches!(
                message.kind,
                Some(EventRecordKind::Notice | EventRecordKind::Need)
            ),
            LogFilter::States => message.kind == Some(EventRecordKind::State),
        }
    }

    /// The words that the screen shows.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LogFilter::All => "all events",
            LogFilter::Warnings => "warnings and errors",
            LogFilter::Errors => "errors",
            LogFilter::Orders => "orders",
            LogFilter::Notices => "notices",
            LogFilter::States => "changes of state",
            LogFilter::Own => "notices of this terminal",
        }
    }
}
