//! What servers say of the operator's account: nothing is left to spend, or a window of use is over. Words
//! of a server that fails may quote what the model wrote of a game's credits, so they count less.

use super::error_hints::holds;

/// Texts of servers whose account has no credit, or is not active.
const CREDIT_WORDS: [&str; 26] = [
    "insufficient_quota",
    "insufficient quota",
    "insufficient credits",
    "insufficient balance",
    "insufficient funds",
    "insufficient_user_quota",
    "credit balance is too low",
    "doesn't have any credits",
    "not enough credits",
    "no credits left",
    "out of credits",
    "requires more credits",
    "payment_required",
    "payment required",
    "billing_not_active",
    "account is not active",
    "check your billing details",
    "billing hard limit",
    "billing_hard_limit",
    "account is in arrears",
    "arrearage",
    "account has been suspended",
    "account is deactivated",
    "account_deactivated",
    "余额不足",
    "free-models-per-day",
];

/// Texts of servers whose account has used up what it may use in some time, or its own budget. No model
/// writes them.
const WINDOW_WORDS: [&str; 26] = [
    "usage limit",
    "usage_limit",
    "usage cap",
    "limit will reset",
    "limit resets",
    "quota will reset",
    "quota resets",
    "regain access",
    "key limit exceeded",
    "daily limit",
    "weekly limit",
    "monthly limit",
    "daily quota",
    "weekly quota",
    "monthly quota",
    "quota for this month",
    "quota exceeded for this month",
    "budget has been exceeded",
    "budget exceeded",
    "budget_exceeded",
    "exceeded budget",
    "over budget",
    "exceeded_budget",
    "spending limit",
    "spend limit",
    "monthly spend",
];

pub(super) fn is_about_credit(text: &str) -> bool {
    holds(text, &CREDIT_WORDS)
}

/// Whether a window of use is over, or a budget is spent.
pub(super) fn is_about_window(text: &str) -> bool {
    holds(text, &WINDOW_WORDS)
}
