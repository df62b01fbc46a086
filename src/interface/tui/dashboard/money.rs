//! What the game tells of money and ships, as the screen shows it.

use actors::domain::ids::Timestamp;
use actors::domain::samples::{Gauge, Minute, TREND_MINUTES, TREND_POINTS};
use zoea_text::figures::group_digits;

use super::roster::RosterMember;
use super::text::figures;

/// Without a gain for longer than this, the hour of the points is said to begin later.
const LONGEST_PAUSE_MINUTES: i64 = 10;
const HOUR_MS: u64 = 3_600_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwarmMoney {
    /// The credits in all wallets that are known; `None` if none is.
    pub credits: Option<i64>,
    /// The credits that were earned in the last hour; `None` if no result ever told of credits.
    pub earned: Option<i64>,
    /// The sum of the number that the operator named; `None` if none is told, or credits are.
    pub number: Option<i64>,
    /// What was earned in the last hour, or by how much the number changed.
    pub points: [i64; TREND_POINTS],
    /// When the first of them was created.
    pub begun: Option<Timestamp>,
    /// Whether any Mysis ever earned or lost anything, as far as is known.
    pub has_earned: bool,
    /// The highest point that one Mysis has: the scale that all rows share.
    pub scale: i64,
    /// The cost of today in millionths of a US dollar, without that of deleted Myses.
    pub cost_today: u64,
}

impl SwarmMoney {
    /// Whether a rate is known: what is earned, or how the named number changes.
    pub fn has_rate(&self) -> bool {
        self.earned.is_some() || self.number.is_some()
    }

    /// What all points come to.
    pub fn in_an_hour(&self) -> i64 {
        sum_of(&self.points)
    }

    /// Since when the points tell anything, if that is less than the hour of which they are.
    pub fn known_since(&self, now: Timestamp) -> Option<Timestamp> {
        let minutes = |points: usize| i64::try_from(points).unwrap_or(0) * TREND_MINUTES;
        let first = self.points.iter().position(|point| *point != 0);
        // Who sells every few minutes has such pauses.
        let first = first.filter(|first| minutes(*first) > LONGEST_PAUSE_MINUTES);
        let newest = Minute::of(now).0.div_euclid(TREND_MINUTES) * TREND_MINUTES;
        let known = first.map(|first| newest - minutes(TREND_POINTS - 1 - first));
        let known = known.map(|minute| Minute(minute).start_time());
        let begun = self.begun.filter(|begun| now.since(*begun) < HOUR_MS);
        known.max(begun)
    }
}

fn sum_of(points: &[i64]) -> i64 {
    points
        .iter()
        .fold(0, |sum, point| sum.saturating_add(*point))
}

pub fn money_of<'a>(members: impl Iterator<Item = &'a RosterMember>, now: Timestamp) -> SwarmMoney {
    let mut money = SwarmMoney::default();
    for member in members {
        let figures = &member.status.figures;
        let created = member.status.created_at;
        money.begun = Some(money.begun.map_or(created, |begun| begun.min(created)));
        if let Some(credits) = figures.facts.credits {
            money.credits = Some(money.credits.unwrap_or(0).saturating_add(credits));
        }
        if let Some(points) = figures.rate_points(now) {
            let changes = figures.number.as_ref().map(|number| &number.changes);
            let changes = [Some(&figures.trend), changes];
            money.has_earned |= changes.iter().flatten().any(|trend| trend.is_known());
            for (sum, point) in money.points.iter_mut().zip(points) {
                *sum = sum.saturating_add(point);
                money.scale = money.scale.max(point);
            }
            let earned = sum_of(&points);
            if figures.earned_last_hour(now).is_some() {
                money.earned = Some(money.earned.unwrap_or(0).saturating_add(earned));
            } else if let Some(number) = &figures.number {
                money.number = Some(money.number.unwrap_or(0).saturating_add(number.level));
            }
        }
        money.cost_today = money.cost_today.saturating_add(figures.cost_today(now));
    }
    money
}

/// The filled part of a gauge in percent; `None` if it is not known.
pub fn percent(gauge: Gauge) -> Option<u32> {
    let (now, most) = (u64::from(gauge.now?), u64::from(gauge.most?));
    let percent = (now * 100).checked_div(most)?;
    u32::try_from(percent).ok()
}

/// Credits in groups of three digits, as `17,574`, or in short if they are wider than that.
pub fn credits(credits: i64, columns: usize) -> String {
    let sign = if credits < 0 { "-" } else { "" };
    let whole = format!("{sign}{}", group_digits(credits.unsigned_abs()));
    if whole.len() <= columns {
        return whole;
    }
    short_credits(credits)
}

/// Credits in short, with the sign of a gain.
pub fn signed_credits(credits: i64) -> String {
    let sign = if credits > 0 { "+" } else { "" };
    format!("{sign}{}", short_credits(credits))
}

/// Credits in at most six columns, as `59.1k`, `-310`.
pub fn short_credits(credits: i64) -> String {
    let sign = if credits < 0 { "-" } else { "" };
    format!("{sign}{}", figures::amount(credits.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_are_grouped_while_they_fit() {
        assert_eq!(credits(301_257, 8), "301,257");
        assert_eq!(credits(-1_000, 8), "-1,000");
        assert_eq!(credits(123_456_789, 8), "123M");
        assert_eq!(
            [short_credits(59_100), short_credits(-310)],
            ["59.1k", "-310"]
        );
        let gauge = |now, most| Gauge { now, most };
        assert_eq!(percent(gauge(Some(43), Some(75))), Some(57));
        assert_eq!(percent(gauge(Some(1), Some(0))), None);
        assert_eq!(percent(gauge(None, Some(75))), None);
    }
}
