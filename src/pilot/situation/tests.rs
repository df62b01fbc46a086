//! What the conversation tells, and what it does not.
