//! Reports of fixed records, in both forms.

use std::sync::Arc;

use actors::domain::books::{BudgetUse, CostEntry, Day};
use actors::domain::event::MysisRef;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};
use actors::domain::message::Severity;
use actors::domain::samples::{Flow, Minute};
use actors::domain::screen::AwaySummary;
use zoea_ledger::{PeriodSamples, SwarmMinute, SystemShare};

use super::*;

const DAY: Day = Day(20_000);
const EVIL: &str = "<script>alert('x')</script>{{tiles}}|[a](http://b)";

fn at(minute: i64) -> Timestamp {
    Timestamp(DAY.start_time().0 + minute * 60_000)
}

fn flow(earned: i64, cost_micros: u64) -> Flow {
    Flow {
        earned: Some(earned),
        tokens_in: 1000,
        tokens_out: 100,
        cost_micros,
        model_calls: 1,
        tool_calls: 1,
        ..Flow::default()
    }
}

/// The samples of a swarm that earns 10 credits in each of so many minutes from 10:00 on.
fn samples(minutes: usize) -> PeriodSamples {
    let first = Minute::of(DAY.start_time());
    let mut all = vec![SwarmMinute::default(); 1440];
    for minute in all.iter_mut().skip(600).take(minutes) {
        minute.flow = flow(10, 500);
        minute.credits_change = Some(10);
    }
    PeriodSamples {
        first,
        minutes: all,
        ..PeriodSamples::default()
    }
}

fn entry(mysis: MysisId, provider: &str, calls: u64, cost_micros: u64) -> CostEntry {
    CostEntry {
        day: DAY,
        mysis,
        provider: provider.into(),
        spent: BudgetUse {
            calls,
            input: 1000 * calls,
            output: 100 * calls,
            cached: 10 * calls,
            cost_micros,
        },
    }
}

fn mysis(name: &str, earned: i64) -> MysisShare {
    MysisShare {
        name: Some(name.to_string()),
        turns: 3,
        credits: Some((100, 100 + earned)),
        sampled: Some(flow(earned, 0)),
        ..MysisShare::default()
    }
}

fn event(minute: i64, kind: EventRecordKind, code: &str, text: &str) -> EventRecord {
    EventRecord {
        id: EventId(minute),
        at: at(minute),
        kind,
        mysis: None,
        severity: Severity::Warn,
        code: code.into(),
        text: text.into(),
        source: (kind == EventRecordKind::Order).then_some(OrderSource::Control),
        row: None,
        answered: None,
    }
}

fn of_mysis(id: i64, name: &str, event: EventRecord) -> EventRecord {
    EventRecord {
        mysis: Some(MysisRef {
            id: MysisId(id),
            name: name.into(),
        }),
        ..event
    }
}

fn report(record: &PeriodRecord) -> PeriodReport {
    let day = Period::of_day(DAY);
    PeriodReport {
        day: Some(DAY.to_string()),
        ..PeriodReport::from_record(day, record, DAY.end_time(), |provider| provider == "free")
    }
}

/// A day with so many Myses, of which the first earned the most.
fn busy_day(count: i64) -> PeriodRecord {
    use EventRecordKind::{Notice, Order};
    let myses = (1..=count).map(|id| {
        let name = format!("m{id}");
        (MysisId(id), mysis(&name, (count - id) * 100))
    });
    PeriodRecord {
        myses: myses.collect(),
        spent: (1..=count)
            .map(|id| entry(MysisId(id), "priced", 2, 20_000))
            .collect(),
        samples: samples(90),
        events: vec![
            event(601, Order, "mission", "the mission: mine"),
            event(620, Notice, "circuit_open", "provider priced is down"),
            event(640, Notice, "circuit_closed", "provider priced works again"),
        ],
        are_events_cut: false,
        ..PeriodRecord::default()
    }
}

fn both(report: &PeriodReport) -> (String, String) {
    (
        report.render(ReportFormat::Html),
        report.render(ReportFormat::Markdown),
    )
}

#[test]
fn an_empty_day_says_so_and_draws_nothing() {
    let empty = PeriodRecord::default();
    let (page, text) = both(&report(&empty));
    for form in [&page, &text] {
        assert!(form.contains("Nothing was done on this day."), "{form}");
    }
    assert!(!page.contains("<svg") && !page.contains("{{"), "{page}");
    assert!(
        !text.contains("Over time") && text.contains("| all | not reported |"),
        "{text}"
    );
    let there = PeriodRecord {
        myses: BTreeMap::from([(MysisId(1), MysisShare::default())]),
        samples: PeriodSamples::default(),
        ..empty
    };
    assert!(both(&report(&there)).1.contains("Nothing was done"));
}

#[test]
fn a_day_with_one_mysis_is_told_without_comparisons() {
    let record = busy_day(1);
    let (page, text) = both(&report(&record));
    assert!(
        text.contains("1 Mysis earned 0 credits for $0.0200"),
        "{text}"
    );
    assert!(
        !text.contains("the most") && !text.contains("the last"),
        "{text}"
    );
    assert!(!page.contains("<details>") && page.contains("<th>m1</th>"));
}

#[test]
fn the_day_is_drawn_with_orders_and_outages_on_its_axis() {
    let report = report(&busy_day(2));
    let (page, text) = both(&report);
    assert_eq!(page.matches("<svg").count(), 4);
    assert_eq!(page.matches("class=\"band outage\"").count(), 4);
    assert_eq!(page.matches("class=\"mark\"").count(), 4);
    assert!(page.contains("10:00</span>") && page.contains("11:00</span>"));
    assert!(page.contains("aria-label=\"Credits earned an hour: 600 to 600"));
    let drawing: Vec<&str> = text.lines().skip_while(|line| *line != "```text").collect();
    assert_eq!(
        drawing[1],
        "Credits in all wallets: 10 to 900, at the end 900"
    );
    assert!(drawing[2].starts_with('▁') && drawing[2].ends_with('█'));
    assert_eq!(drawing[2].chars().count(), 90, "a step is a minute");
    assert_eq!(drawing[8].chars().collect::<Vec<_>>(), ['█'; 90]);
    assert!(drawing[13].starts_with("10:00"), "{}", drawing[13]);
    assert_eq!(drawing[14].trim_start(), "1");
    assert_eq!(drawing[15], format!("{}{}", " ".repeat(20), "═".repeat(21)));
    assert!(text.contains("- `1` 10:01 the mission: mine"), "{text}");
    assert!(
        text.contains("- `═` 10:20 to 10:40 (20 min) a server was away"),
        "{text}"
    );
    assert!(text.contains("A server was away for 20 min."), "{text}");
}

#[test]
fn the_best_and_the_worst_are_shown_and_the_others_folded() {
    let record = busy_day(35);
    let report = report(&record);
    let (page, text) = both(&report);
    let order: Vec<&str> = report.myses.iter().map(|line| &*line.name).collect();
    assert_eq!((order[0], order[34]), ("m1", "m35"));
    let fold = page.find("<details>").expect("a fold");
    let end = page.find("</details>").expect("its end");
    for (name, is_folded) in [("m20", false), ("m21", true), ("m25", true), ("m26", false)] {
        let found = page.find(&format!("<th>{name}</th>")).expect("a row");
        assert_eq!((fold..end).contains(&found), is_folded, "{name}");
    }
    let others = text.find("## The other 5 Myses").expect("the others");
    assert!(text.find("| m21 |") > Some(others) && text.find("| m26 |") < Some(others));
    assert!(text.contains("m1 earned the most (3,400), m35 the least (0)."));
}

#[test]
fn a_dollar_of_an_unknown_price_is_unknown_and_never_nothing() {
    let mut record = busy_day(3);
    record.spent = vec![
        entry(MysisId(1), "priced", 1, 50_000),
        entry(MysisId(1), "unpriced", 3, 0),
        entry(MysisId(2), "free", 2, 0),
        entry(MysisId(3), "priced", 2, 100_000),
    ];
    for (system, unpriced) in [("krynn", 0), ("sol", 5)] {
        let there = SystemShare {
            flow: Flow {
                tokens_unpriced: unpriced,
                ..flow(600, 60_000)
            },
            minutes: 60,
            myses: 2,
        };
        record.samples.systems.insert(Some(system.into()), there);
    }
    for minute in &mut record.samples.minutes {
        minute.flow.tokens_unpriced = minute.flow.tokens_in;
    }
    let (page, text) = both(&report(&record));
    let left_out = "0.03 to 0.03, at the end 0.03; calls whose price is unknown are left out";
    assert!(page.contains(left_out) && text.contains(left_out), "{text}");
    assert!(page.contains("<b>$0.1500</b><span>cost, and unknown prices"));
    for minute in &mut record.samples.minutes {
        minute.flow.cost_micros = 0;
    }
    // A time without calls, too, does not make them free.
    for minute in record.samples.minutes.iter_mut().skip(630).take(20) {
        minute.flow = Flow::default();
    }
    let report = report(&record);
    let (page, text) = both(&report);
    for form in [&page, &text] {
        assert!(
            form.contains("Unknown: no price is known for these calls."),
            "{form}"
        );
    }
    let shown = |lines: &[ValueLine]| -> Vec<(String, Option<i64>, String)> {
        let lines = lines.iter().map(|line| {
            let each = line.spent.credits_per_dollar(line.earned);
            (line.name.clone().unwrap_or_default(), line.earned, each)
        });
        lines.collect()
    };
    let line = |name: &str, earned, each: &str| (name.to_string(), Some(earned), each.to_string());
    // m1 earned 200 with one call in four of the priced one, m2 100, and m3 nothing.
    assert_eq!(
        shown(&report.providers),
        [
            line("unpriced", 150, "unknown"),
            line("free", 100, "free"),
            line("priced", 50, "333"),
        ]
    );
    assert_eq!(
        shown(&report.systems),
        [line("krynn", 600, "10,000"), line("sol", 600, "unknown")]
    );
    let (page, text) = both(&report);
    assert!(
        page.contains("<h3>Dollars an hour</h3><figcaption>Unknown"),
        "{page}"
    );
    assert!(text.contains("Dollars an hour: Unknown"), "{text}");
    assert!(text.contains("for $0.1500 and unknown prices"), "{text}");
    assert!(!page.contains("$0.0000</td><td>unknown"));
}

#[test]
fn what_comes_from_outside_is_text() {
    use EventRecordKind::{Need, Order, State};
    let mut record = busy_day(2);
    record.myses.insert(MysisId(1), mysis(EVIL, 1000));
    record.spent.push(entry(MysisId(1), EVIL, 1, 5));
    record.books.push(entry(MysisId(1), EVIL, 1, 5));
    let there = SystemShare {
        minutes: 100,
        myses: 1,
        flow: flow(5, 5),
    };
    record.samples.systems.insert(Some(Arc::from(EVIL)), there);
    record.events = vec![
        event(610, Order, "mission", EVIL),
        event(620, EventRecordKind::Notice, "circuit_open", EVIL),
        of_mysis(1, EVIL, event(630, Need, "circles", EVIL)),
        of_mysis(
            3,
            EVIL,
            event(640, State, "errored", "\u{1b}]52;c;eA==\u{7}"),
        ),
    ];
    let (page, text) = both(&report(&record));
    for foreign in [
        "<script", "<link", "@import", "url(", "{{", "src=", "href=", "onerror=", "\u{1b}", "'x'",
    ] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.matches("&lt;script&gt;").count() > 6, "{page}");
    assert!(page.contains("prefers-color-scheme: dark"));
    let bare = text
        .replace("\\<", "")
        .replace("\\[", "")
        .replace("\\|", "");
    for foreign in ["<script", "[a]", "|[", "\u{1b}"] {
        assert!(!bare.contains(foreign), "{foreign}: {text}");
    }
}

#[test]
fn who_was_held_up_is_told_with_time_and_reason() {
    use EventRecordKind::{Need, Notice, State};
    let mut record = busy_day(3);
    if let Some(of) = record.myses.get_mut(&MysisId(3)) {
        of.sampled = Some(Flow {
            waited_ms: 125_000,
            ..Flow::default()
        });
    }
    record.events = vec![
        of_mysis(1, "m1", event(600, Need, "circles", "made the same calls")),
        of_mysis(1, "m1", event(630, Notice, "need_over", "gains again")),
        of_mysis(
            2,
            "m2",
            event(1380, State, "errored", "running → errored: no key"),
        ),
    ];
    let (page, text) = both(&report(&record));
    assert!(
        text.contains("| Mysis | errored | stuck | waiting | last reason |"),
        "{text}"
    );
    assert!(
        text.contains("| m2 | 1 h 0 min, still |  |  | running → errored: no key |"),
        "{text}"
    );
    assert!(
        text.contains("| m1 |  | 30 min |  | made the same calls |"),
        "{text}"
    );
    assert!(text.contains("| m3 |  |  | 2 min |  |"), "{text}");
    assert!(
        text.contains("2 were held up, m2 for longest: 1 h 0 min."),
        "{text}"
    );
    assert!(page.contains("<td class=\"bad\">1 h 0 min, still</td>"));
}

#[test]
fn credits_that_nobody_asked_for_are_said_to_be_unknown_for_that_reason() {
    let alpha = MysisShare {
        name: Some("alpha".to_string()),
        turns: 1,
        ..MysisShare::default()
    };
    let record = PeriodRecord {
        myses: BTreeMap::from([(MysisId(1), alpha)]),
        ..PeriodRecord::default()
    };
    let (page, text) = both(&report(&record));
    // Earned, credits and per dollar of the Mysis and of all, and two tiles.
    assert_eq!(page.matches("not reported").count(), 8);
    assert!(
        text.contains("| alpha | not reported | not reported | 1 |"),
        "{text}"
    );
}

#[test]
fn where_the_tools_are_no_games_nothing_is_said_of_credits() {
    let mut record = busy_day(3);
    for of in record.myses.values_mut() {
        of.credits = None;
        if let Some(flow) = &mut of.sampled {
            flow.earned = None;
        }
    }
    record.has_other_tools = true;
    let shown = report(&record);
    assert!(shown.is_of_no_game);
    let (page, text) = both(&shown);
    for form in [&page, &text] {
        let form = form.to_lowercase();
        for word in [
            "credit",
            "earned",
            "gained",
            "per dollar",
            "wallet",
            "by system",
            "not reported",
        ] {
            assert!(!form.contains(word), "{word}: {form}");
        }
        assert!(
            form.contains("by provider") && form.contains("tokens"),
            "{form}"
        );
    }
}

#[test]
fn the_number_that_the_operator_named_stands_where_credits_do() {
    let mut record = busy_day(3);
    record.has_other_tools = true;
    record.samples.number = Some("<b>files</b>|x".into());
    for of in record.myses.values_mut() {
        if let Some(flow) = &mut of.sampled {
            flow.earned = None;
        }
    }
    for minute in &mut record.samples.minutes {
        minute.flow.earned = None;
    }
    let shown = report(&record);
    // They began with 100 each, and the first two rose by 200 and by 100.
    assert_eq!(
        (shown.total().credits, shown.total().gained()),
        (Some((300, 600)), Some(300))
    );
    let hourly: Vec<Option<i64>> = shown
        .curves
        .steps
        .iter()
        .map(|it| it.earned_hourly)
        .collect();
    assert!(hourly.contains(&Some(600)), "10 a minute: {hourly:?}");
    let (page, text) = both(&shown);
    for form in [&page, &text] {
        let small = form.to_lowercase();
        for word in ["credit", "earned", "wallet", "by system", "not reported"] {
            assert!(!small.contains(word), "{word}: {form}");
        }
        assert!(!form.contains("<b>files"), "{form}");
        assert!(
            form.contains("+300") && form.contains("m1 gained the most (200)"),
            "{form}"
        );
    }
    assert!(
        page.contains("&lt;b&gt;files&lt;/b&gt;|x per dollar"),
        "{page}"
    );
    assert!(
        page.contains("<h3>Change of &lt;b&gt;files&lt;/b&gt;|x an hour</h3>"),
        "{page}"
    );
    let json = serde_json::to_value(&shown).expect("JSON");
    assert_eq!(json["number"], "<b>files</b>|x");
}

#[test]
fn without_samples_the_change_of_credits_is_what_was_earned() {
    let mut record = busy_day(1);
    if let Some(of) = record.myses.get_mut(&MysisId(1)) {
        (of.sampled, of.credits) = (None, Some((100, 40)));
    }
    let (page, text) = both(&report(&record));
    assert!(text.contains("| m1 | 40 | -60 |"), "{text}");
    assert!(page.contains("<td class=\"loss\">−60"), "{page}");
}

#[test]
fn a_report_is_the_same_behind_the_control_interface() {
    let mut record = busy_day(3);
    let need = event(600, EventRecordKind::Need, "circles", "again");
    record.events.push(of_mysis(1, "m1", need));
    let report = report(&record);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["timeline"]["marks"][0]["at"],
        "2024-10-04T10:01:00.000Z"
    );
    let back: PeriodReport = serde_json::from_value(json).unwrap();
    assert_eq!(back, report);
}

/// The relative luminance of a colour, as WCAG 2 defines it.
fn luminance(colour: &str) -> f64 {
    let part = |from: usize| {
        let byte = u8::from_str_radix(&colour[from..from + 2], 16).unwrap();
        let share = f64::from(byte) / 255.0;
        match share <= 0.04045 {
            true => share / 12.92,
            false => ((share + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_has_contrast_in_light_dark_and_print() {
    let page = report(&busy_day(1)).render(ReportFormat::Html);
    let palettes: Vec<&str> = page.split(":root {").skip(1).collect();
    assert_eq!(palettes.len(), 3);
    for palette in palettes {
        let colour = |name: &str| {
            let start = palette.find(&format!("--{name}: ")).expect("a colour") + name.len() + 4;
            &palette[start..start + 7]
        };
        for ground in ["page", "card"] {
            for text in ["text", "dim", "loss", "faults"] {
                let contrast = contrast(colour(text), colour(ground));
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast}");
            }
            for curve in ["gain", "cost", "tokens", "flag"] {
                let contrast = contrast(colour(curve), colour(ground));
                assert!(contrast >= 3.0, "{curve} on {ground}: {contrast}");
            }
        }
        assert!(contrast(colour("flag"), colour("on-flag")) >= 4.5);
    }
}

#[test]
fn the_same_hours_before_stand_beside_a_report() {
    let now = report(&busy_day(3));
    let mut less = busy_day(3);
    less.saved_calls = 4;
    for of in less.myses.values_mut() {
        of.sampled = Some(flow(50, 0));
    }
    let compared = now.clone().compared_with(&report(&less));
    let (page, text) = both(&compared);
    assert!(
        text.contains("The same hours before: 150 credits, cost $0.0600; now +100 %."),
        "{text}"
    );
    assert!(text.contains("| credits earned | 300 | 150 |"), "{text}");
    assert!(
        text.contains("| calls saved by routines | 0 | 4 |"),
        "{text}"
    );
    assert!(page.contains("<th>credits earned</th><td>300</td><td>150</td>"));
    let alone = now.compared_with(&report(&PeriodRecord::default()));
    assert_eq!(alone.before, None);
    assert!(!both(&alone).1.contains("The same hours before"));
}

#[test]
fn a_night_is_titled_and_dated_by_its_moments() {
    let period = Period {
        from: at(22 * 60),
        until: at(32 * 60),
    };
    let night = PeriodReport::from_record(period, &PeriodRecord::default(), at(40 * 60), |_| true);
    assert_eq!(night.title(), "2024-10-04 22:00 to 2024-10-05 08:00");
    assert_eq!(night.time(at(25 * 60)), "01:00");
    let days = PeriodReport {
        until: at(60 * 60),
        ..night
    };
    assert_eq!(days.time(at(25 * 60)), "10-05 01:00");
}

#[test]
fn an_absence_is_told_in_a_few_words() {
    use EventRecordKind::State;
    let mut record = busy_day(2);
    record.saved_calls = 30;
    record
        .events
        .push(of_mysis(1, "m1", event(650, State, "errored", "no key")));
    let shown = report(&record).away();
    assert_eq!(
        shown.gains,
        "100 credits earned, cost $0.0400, 30 model calls saved (about $0.3000)"
    );
    assert!(
        shown.held_up.starts_with("held up: m1 errored "),
        "{}",
        shown.held_up
    );
    assert!(shown.held_up.ends_with(", still"), "{}", shown.held_up);
    assert_eq!(shown.outages, "provider priced away 20 min");
    assert_eq!(
        report(&PeriodRecord::default()).away(),
        AwaySummary::default()
    );
}

#[test]
fn where_processes_share_the_database_the_end_of_one_says_nothing_of_the_others() {
    use EventRecordKind::{Notice, State};
    let told = |is_shared| {
        report(&PeriodRecord {
            events: vec![
                of_mysis(1, "m1", event(601, State, "running", "idle → running")),
                event(610, Notice, "circuit_open", "provider priced is down"),
                event(620, Notice, "closing", "the program closes"),
                event(640, Notice, "up", "the program started with 2 Myses"),
                event(641, Notice, "not_closed", "another one did not close"),
                event(650, Notice, "circuit_closed", "provider priced works again"),
            ],
            is_shared,
            ..busy_day(2)
        })
    };
    let kinds = |report: &PeriodReport| {
        let spans = report.timeline.spans.iter();
        spans.map(|span| span.kind).collect::<Vec<_>>()
    };
    let alone = told(false);
    assert_eq!(alone.held_up.len(), 1);
    assert!(kinds(&alone).contains(&TimelineSpanKind::Closed));
    let shared = told(true);
    assert_eq!(shared.held_up, []);
    assert_eq!(kinds(&shared), [TimelineSpanKind::Outage]);
    assert_eq!(shared.timeline.spans[0].until, at(650));
}

#[test]
fn outages_that_are_left_out_of_the_list_count_in_the_sentences() {
    use EventRecordKind::Notice;
    let outage = |from: i64, until: i64| {
        [
            event(from, Notice, "circuit_open", "provider priced is down"),
            event(
                until,
                Notice,
                "circuit_closed",
                "provider priced works again",
            ),
        ]
    };
    let short = (0..44).map(|place| outage(900 + place * 10, 904 + place * 10));
    let all = [outage(600, 780)].into_iter().chain(short);
    let record = PeriodRecord {
        events: all.flatten().collect(),
        ..busy_day(2)
    };
    let shown = report(&record);
    let listed = (shown.timeline.spans.len(), shown.timeline.left_out);
    assert_eq!(listed, (30, 15));
    let text = both(&shown).1;
    assert!(
        text.contains("Servers were away 45 times, at most for 3 h 0 min."),
        "{text}"
    );
    assert_eq!(
        shown.away().outages,
        "provider priced away 3 h 0 min, provider priced away 4 min, provider priced away 4 min \
         and 42 more"
    );
    let json = serde_json::to_value(&shown).unwrap();
    let back: PeriodReport = serde_json::from_value(json).unwrap();
    assert_eq!(back, shown);
}
