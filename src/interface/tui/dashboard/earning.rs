//! What is earned a minute: the figure by which a row, and the swarm, is judged at a glance.

use actors::domain::ids::Timestamp;
use actors::domain::samples::{TREND_MINUTES, TREND_POINTS};

use super::money::signed_credits;
use super::text::tone::{StyledLine, Tone};

/// What was earned in the last hour, in points of some minutes, oldest first; the last one is not over.
pub type EarnedPoints = [i64; TREND_POINTS];

/// The points by which the present rate is judged, and those before them by which its direction is.
const JUDGED_POINTS: usize = 5;
const LEAST_POINTS_BEFORE: usize = 3;
/// A change by less than this part of what was before is none.
const STEADY_PART: i64 = 4;
/// The length of a point in milliseconds.
const POINT_MS: i64 = TREND_MINUTES * 60_000;
/// The shortest time that a rate is made of, in milliseconds: a sum of seconds is no rate of a minute.
const LEAST_MS: i64 = 60_000;
/// The columns of a figure with its sign, and of the arrow behind it.
const FIGURE_COLUMNS: usize = 6;

/// What is earned a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarnRate {
    /// Credits a minute, judged by the last ten minutes.
    pub per_minute: i64,
    /// Whether that is more or less than before.
    pub direction: Direction,
    /// For how many minutes nothing was earned or lost.
    pub quiet_minutes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Steady,
    Falling,
}

impl Direction {
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Direction::Rising => "▲",
            Direction::Steady => " ",
            Direction::Falling => "▼",
        }
    }

    /// The word on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::Rising => "rising",
            Direction::Steady => "steady",
            Direction::Falling => "falling",
        }
    }
}

impl EarnRate {
    /// The rate by the points of the last hour, for one that is there since this time: what it did not earn since then
    /// counts, too.
    pub fn of(points: &EarnedPoints, now: Timestamp, since: Option<Timestamp>) -> EarnRate {
        let first = points.iter().position(|earned| *earned != 0);
        let last = points.iter().rposition(|earned| *earned != 0);
        let known = first.map_or(TREND_POINTS, |first| TREND_POINTS - first);
        let known = known.max(since.map_or(0, |since| points_since(since, now)));
        let judged = known.clamp(1, JUDGED_POINTS);
        let (before, recent) = points.split_at(TREND_POINTS - judged);
        let whole = i64::try_from(judged - 1).unwrap_or(0) * POINT_MS;
        let per_minute = rate_of(recent, whole + now.0.rem_euclid(POINT_MS));
        let before = &before[before
            .len()
            .saturating_sub((known - judged).min(JUDGED_POINTS))..];
        let direction = match before.len() < LEAST_POINTS_BEFORE {
            true => Direction::Steady,
            false => {
                let ms = i64::try_from(before.len()).unwrap_or(0) * POINT_MS;
                direction(rate_of(before, ms), per_minute)
            }
        };
        let quiet = last.map_or(TREND_POINTS, |last| TREND_POINTS - 1 - last);
        let minutes = TREND_MINUTES.unsigned_abs();
        EarnRate {
            per_minute,
            direction,
            quiet_minutes: u64::try_from(quiet).unwrap_or(0) * minutes,
        }
    }

    /// The rate with its sign, as `+245` or `-1.2k`.
    pub fn figure(&self) -> String {
        signed_credits(self.per_minute)
    }

    /// How the figure is shown: a gain is what is normal.
    pub fn tone(&self) -> Tone {
        match self.per_minute {
            1.. => Tone::Text,
            0 => Tone::Dim,
            ..0 => Tone::Fault,
        }
    }
}

/// The points as if the newest one were over: by what it brought so far, or with the one before where that is too short
/// to tell. A point that has just begun would look like a fall.
pub fn whole_points(points: &EarnedPoints, now: Timestamp) -> EarnedPoints {
    let mut whole = *points;
    let [.., before, newest] = &mut whole;
    let ms = now.0.rem_euclid(POINT_MS);
    let (sum, ms) = match ms < LEAST_MS {
        true => (before.saturating_add(*newest), ms + POINT_MS),
        false => (*newest, ms),
    };
    let by_time = i128::from(sum) * i128::from(POINT_MS) / i128::from(ms.max(1));
    *newest = i64::try_from(by_time).unwrap_or(sum);
    whole
}

/// How many of the points began after this time.
fn points_since(since: Timestamp, now: Timestamp) -> usize {
    let points = now.0.div_euclid(POINT_MS) - since.0.div_euclid(POINT_MS);
    usize::try_from(points).unwrap_or(0).min(TREND_POINTS)
}

fn rate_of(points: &[i64], ms: i64) -> i64 {
    let sum: i128 = points.iter().map(|earned| i128::from(*earned)).sum();
    let rate = sum * 60_000 / i128::from(ms.max(LEAST_MS));
    i64::try_from(rate).unwrap_or(if rate < 0 { i64::MIN } else { i64::MAX })
}

fn direction(before: i64, now: i64) -> Direction {
    let change = now.saturating_sub(before);
    let least = (before.saturating_abs() / STEADY_PART).max(1);
    match change {
        change if change > least => Direction::Rising,
        change if change < -least => Direction::Falling,
        _ => Direction::Steady,
    }
}

/// The rate of a row that is there since a time, its direction and its newest points, in so many columns. All rows
/// share the scale: the point that is the highest of all Myses fills its cell.
pub fn rate_line(
    points: &EarnedPoints,
    (now, since): (Timestamp, Option<Timestamp>),
    scale: i64,
    columns: usize,
) -> StyledLine {
    let rate = EarnRate::of(points, now, since);
    let arrow = match rate.direction {
        Direction::Rising => Tone::Success,
        Direction::Steady => Tone::Dim,
        Direction::Falling => Tone::Warning,
    };
    let mut line = StyledLine::of(format!("{:>FIGURE_COLUMNS$}", rate.figure()), rate.tone())
        .with(rate.direction.sign(), arrow);
    let bars = columns.saturating_sub(FIGURE_COLUMNS + 1).min(TREND_POINTS);
    let points = whole_points(points, now);
    push_bars(&points[TREND_POINTS - bars..], scale, &mut line);
    line
}

/// Adds a bar for each point: gains upward, losses as a mark of their own.
fn push_bars(points: &[i64], scale: i64, line: &mut StyledLine) {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    for run in points.chunk_by(|one, other| (*one < 0) == (*other < 0)) {
        let is_loss = run.first().is_some_and(|point| *point < 0);
        let bars = run.iter().map(|point| match *point {
            ..0 => '▾',
            0 => ' ',
            gain => {
                let eighths = i128::from(gain) * 8 / i128::from(scale.max(1));
                BARS[usize::try_from(eighths).unwrap_or(7).min(7)]
            }
        });
        let tone = if is_loss { Tone::Fault } else { Tone::Dim };
        line.push(bars.collect::<String>(), tone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(POINT_MS * 1_000 - 1);

    fn points(last: &[i64]) -> EarnedPoints {
        let mut points = [0; TREND_POINTS];
        points[TREND_POINTS - last.len()..].copy_from_slice(last);
        points
    }

    fn rate(last: &[i64]) -> (i64, Direction, u64) {
        let rate = EarnRate::of(&points(last), NOW, None);
        (rate.per_minute, rate.direction, rate.quiet_minutes)
    }

    #[test]
    fn a_rate_is_judged_by_ten_minutes_and_its_direction_by_those_before() {
        assert_eq!(rate(&[100; 30]), (50, Direction::Steady, 0));
        let doubled = [[100; 5], [200; 5]].concat();
        assert_eq!(rate(&doubled), (100, Direction::Rising, 0));
        let halved = [[100; 5], [50; 5]].concat();
        assert_eq!(rate(&halved), (25, Direction::Falling, 0));
        assert_eq!(rate(&[500, 0, 0, 0, 0, 0]), (0, Direction::Steady, 10));
        assert_eq!(rate(&[-100; 5]), (-50, Direction::Steady, 0));
        assert_eq!(rate(&[]), (0, Direction::Steady, 60));
    }

    #[test]
    fn the_first_minutes_have_a_rate_of_their_own() {
        assert_eq!(rate(&[100]).0, 50, "two minutes");
        let at = |ms| EarnRate::of(&points(&[100]), Timestamp(POINT_MS * 9 + ms), None).per_minute;
        assert_eq!([at(1_000), at(60_000), at(90_000)], [100, 100, 66]);
    }

    #[test]
    fn an_hour_without_a_gain_is_no_beginning() {
        let rate = |age_ms| {
            let since = Timestamp(NOW.0 - age_ms);
            let rate = EarnRate::of(&points(&[1_000]), NOW, Some(since));
            (rate.per_minute, rate.direction)
        };
        let hour = 3_600_000;
        assert_eq!(rate(3 * hour), (100, Direction::Rising), "of ten minutes");
        assert_eq!(rate(60_000), (500, Direction::Steady), "of two minutes");
        assert_eq!(rate(7 * 60_000), (166, Direction::Steady), "of six minutes");
        assert_eq!(rate(-hour).0, 500, "the clock was set back");
    }

    #[test]
    fn a_point_that_has_just_begun_looks_like_no_fall() {
        let newest = |ms, last: &[i64]| {
            let points = whole_points(&points(last), Timestamp(POINT_MS * 9 + ms));
            points[TREND_POINTS - 1]
        };
        assert_eq!(newest(0, &[120, 0]), 120);
        assert_eq!(newest(30_000, &[120, 30]), 120);
        assert_eq!(newest(60_000, &[120, 60]), 120);
        assert_eq!(newest(90_000, &[120, 30]), 40, "it does fall");
        assert_eq!(newest(0, &[i64::MAX, i64::MAX]), i64::MAX);
    }

    #[test]
    fn all_rows_share_one_scale_and_a_loss_is_seen() {
        let drawn = |last: &[i64], scale| rate_line(&points(last), (NOW, None), scale, 12).text();
        assert_eq!(drawn(&[80, 80, 80, 80, 80], 80), "   +40 █████");
        assert_eq!(drawn(&[80, 80, 80, 80, 80], 640), "   +40 ▂▂▂▂▂");
        assert_eq!(drawn(&[-80, 0, 0, 0, 0], 80), "    -8 ▾    ");
        let huge = rate_line(&points(&[i64::MAX, i64::MIN]), (NOW, None), i64::MAX, 20);
        assert!(huge.text().chars().count() <= 20, "{huge:?}");
    }
}
