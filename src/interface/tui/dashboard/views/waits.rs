//! Who waits for which server, and for how long: the longest wait first.

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::ids::{Lane, MysisId, Timestamp};
use actors::domain::outages::{ServerLabel, ServerOutages};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use zoea_text::clean::one_line;

use crate::dashboard::facts::Facts;
use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, KeyTable, Movement, bind};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::outbox::Request;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::columns::{ListColumn, lines_area, paint_list};
use crate::dashboard::toolkit::list::{Listed, Selection};
use crate::dashboard::toolkit::page::{begin_page, say};
use crate::dashboard::toolkit::view::{Opening, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

/// From this time on a wait is not what a call takes.
const LONG_MS: u64 = 60_000;

pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "waits",
        &[letter('Z')],
        Opening::View(|_, _| Box::new(WaitsView::default())),
        "",
        "show who waits for which server, and for how long",
    )),
    keys: || KeyTable::of("Who waits for which server", WAITS_KEYS),
    moves: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsAction {
    Back,
    Open,
}

#[rustfmt::skip]
pub const WAITS_KEYS: &[Binding<WaitsAction>] = &[
    bind("waits_back", &[key(KeyCode::Esc), letter('q'), letter('Z')], WaitsAction::Back, "back", "back to the previous view"),
    bind("waits_open", &[key(KeyCode::Enter)], WaitsAction::Open, "open", "open the conversation of the selected Mysis"),
];

#[derive(Clone, Debug, Default)]
pub struct WaitsView {
    waits: Vec<Wait>,
    selection: Selection<MysisId>,
}

#[derive(Clone, Debug)]
struct Wait {
    mysis: MysisId,
    name: String,
    server: String,
    what: String,
    since: Timestamp,
    is_away: bool,
}

impl Listed for Wait {
    type Key = MysisId;

    fn key(&self) -> &MysisId {
        &self.mysis
    }
}

impl Wait {
    /// What a Mysis waits for; `None` if it does not wait for a server.
    fn of(status: &MysisStatus, outages: &ServerOutages) -> Option<Wait> {
        let provider = || Lane::Provider(status.profile.provider.clone());
        let (lane, what) = match &status.activity {
            Activity::Queueing(lane) => (lane.clone(), "not asked yet".to_string()),
            Activity::Connecting => (Lane::Game, "logs in".to_string()),
            Activity::AwaitingLogin(_) => (Lane::Game, "you have to log it in".to_string()),
            Activity::CallingModel => (provider(), "asked, no answer yet".to_string()),
            Activity::Answering(arrived) => {
                let (_, size) = arrived.describe_progress();
                (provider(), format!("answers, {size} so far"))
            }
            Activity::CoolingDown(lane, why) => (lane.clone(), format!("retries soon: {why}")),
            Activity::CallingTool(tool) => (Lane::Game, format!("calls {tool}")),
            Activity::Asked(question) => (Lane::Game, question.summary()),
            Activity::Travelling => (Lane::Game, "travels".to_string()),
            Activity::Mining => (Lane::Game, "mines".to_string()),
            Activity::Fighting => (Lane::Game, "fights".to_string()),
            Activity::Resting
            | Activity::Rebuilding
            | Activity::Pausing
            | Activity::Waiting
            | Activity::Done
            | Activity::InTransit
            | Activity::OnCooldown
            | Activity::Recording
            | Activity::Paused(_) => return None,
        };
        // A call that is under way is with a fallback where its own provider is away.
        let is_under_way = matches!(
            status.activity,
            Activity::CallingModel | Activity::Answering(_)
        );
        let away = outages.of(&lane).filter(|_| !is_under_way);
        Some(Wait {
            mysis: status.id,
            name: one_line(&status.name),
            server: one_line(&ServerLabel(&lane).to_string()),
            what: match away {
                Some(away) => one_line(&format!("{what}; away: {}", away.text)),
                None => one_line(&what),
            },
            since: status.activity_since,
            is_away: away.is_some(),
        })
    }
}

impl View for WaitsView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        match context.facts.keymap.find(WAITS_KEYS, press) {
            Some(WaitsAction::Back) => return Pressed::Closes,
            Some(WaitsAction::Open) => {
                if let Some(wait) = self.selection.line(&self.waits) {
                    context.outbox.request(Request::Open(wait.mysis, None));
                }
            }
            None => return Pressed::Passes,
        }
        Pressed::Stays
    }

    fn go(&mut self, _: &mut ViewContext<'_>, movement: Movement) {
        self.selection.go(movement, &self.waits);
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        let page = begin_page(layout, &self.title(facts.now), painter);
        if self.waits.is_empty() {
            return say(page, "no Mysis waits for a server", Tone::Dim, painter);
        }
        let columns = columns(facts.now);
        paint_list(&columns, &self.waits, &self.selection, page, painter);
    }

    fn poll(&mut self, context: &mut ViewContext<'_>, page: Rect) {
        let members = context.facts.roster.members().values();
        let waits = members.filter_map(|member| Wait::of(&member.status, &context.facts.outages));
        self.waits = waits.collect();
        self.waits.sort_by_key(|wait| (wait.since, wait.mysis));
        let rows = usize::from(lines_area(page).height);
        self.selection.scroll_to_selection(&self.waits, rows);
    }
}

impl WaitsView {
    /// How many wait for each server, and the longest of these waits.
    fn title(&self, now: Timestamp) -> StyledLine {
        let mut servers: Vec<(&str, usize, u64)> = Vec::new();
        for wait in &self.waits {
            let longest = now.since(wait.since);
            match servers.iter_mut().find(|(name, ..)| *name == wait.server) {
                Some((_, count, _)) => *count += 1,
                None => servers.push((&wait.server, 1, longest)),
            }
        }
        let mut title = StyledLine::of(" WAITS  ", Tone::Brand);
        for (server, count, longest) in servers {
            title = title.with(format!("{server} {count}"), Tone::Strong).with(
                format!(", longest {}   ", figures::stopwatch(longest)),
                tone_of(longest),
            );
        }
        title
    }
}

fn tone_of(waited_ms: u64) -> Tone {
    match waited_ms {
        LONG_MS.. => Tone::Warning,
        _ => Tone::Dim,
    }
}

fn columns(now: Timestamp) -> [ListColumn<'static, Wait>; 4] {
    [
        ListColumn::text("MYSIS", 4, (9, 18), |wait: &Wait, _| {
            StyledLine::of(&*wait.name, Tone::Strong)
        }),
        ListColumn::text("WAITS FOR", 3, (10, 20), |wait: &Wait, _| {
            let tone = if wait.is_away {
                Tone::Fault
            } else {
                Tone::Text
            };
            StyledLine::of(&*wait.server, tone)
        }),
        ListColumn::figure("FOR", 2, 8, move |wait: &Wait| {
            let waited = now.since(wait.since);
            StyledLine::of(figures::stopwatch(waited), tone_of(waited))
        }),
        ListColumn::text("WHAT", 1, (12, u16::MAX), |wait: &Wait, _| {
            StyledLine::of(&*wait.what, Tone::Dim)
        }),
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::event::SwarmCondition;
    use actors::domain::outages::{OutageStage, ServerOutage};
    use actors::domain::state::LifeState;
    use crossterm::event::KeyCode;

    use super::*;
    use crate::dashboard::tests::{Desk, status};
    use crate::dump::render_text;
    use crate::theme::Depth;

    fn waiting(id: i64, name: &str, activity: Activity, since: i64) -> Arc<MysisStatus> {
        let running = status(id, name, LifeState::Running);
        Arc::new(MysisStatus {
            activity,
            activity_since: Timestamp(since),
            ..MysisStatus::clone(&running)
        })
    }

    fn rows(desk: &Desk) -> Vec<String> {
        let text = render_text(&crate::view::paint(&desk.board, Depth::True).buffer);
        text.lines().map(|row| row.trim_end().to_string()).collect()
    }

    #[test]
    fn heads_are_whole_in_their_columns() {
        assert!(columns(Timestamp(0)).iter().all(ListColumn::has_whole_head));
    }

    #[test]
    fn the_longest_wait_is_first_and_its_server_named() {
        let asked = Activity::Queueing(Lane::Provider("remote".into()));
        let mut desk = Desk::with(vec![
            waiting(1, "alpha", Activity::CallingModel, 990_000),
            waiting(2, "bravo", asked, 870_000),
            waiting(3, "ceres", Activity::CallingTool("mine".into()), 999_000),
            waiting(4, "drift", Activity::Pausing, 0),
            waiting(
                5,
                "ember",
                Activity::CoolingDown(Lane::Logins, "HTTP 429".into()),
                999_500,
            ),
        ]);
        desk.types("Z");
        let rows = rows(&desk);
        let place = |name: &str| rows.iter().position(|row| row.contains(name));
        let bravo = place("bravo").expect("bravo waits");
        assert!(rows[bravo].contains("provider remote"), "{rows:#?}");
        assert!(rows[bravo].contains("2:10"), "{rows:#?}");
        assert!(rows[bravo + 1].contains("alpha") && rows[bravo + 1].contains("provider local"));
        assert!(rows[bravo + 2].contains("the tool server") && rows[bravo + 2].contains("mine"));
        assert!(rows[bravo + 3].contains("the tool server") && rows[bravo + 3].contains("429"));
        assert_eq!(place("drift"), None, "it waits for no server");
        desk.key(KeyCode::Enter);
        assert_eq!(
            desk.board.focus().map(|focus| focus.mysis()),
            Some(MysisId(2))
        );
        desk.key(KeyCode::Esc);
        assert!(desk.board.view::<WaitsView>().is_some(), "back in the list");
    }

    #[test]
    fn who_is_served_while_its_provider_is_away_waits_for_nothing_that_is_away() {
        let lane = Lane::Provider("local".into());
        let mut desk = Desk::with(vec![
            waiting(1, "alpha", Activity::CallingModel, 990_000),
            waiting(2, "bravo", Activity::Queueing(lane.clone()), 995_000),
        ]);
        let away = ServerOutage {
            lane,
            text: "HTTP 503".into(),
            since: Timestamp(999_000),
            next_try: Timestamp(1_004_000),
            needs_operator: false,
            stage: OutageStage::Away,
        };
        let outages = Arc::new(ServerOutages(vec![away]));
        desk.changes(SwarmCondition::Outages(outages));
        desk.types("Z");
        let rows = rows(&desk);
        let row = |name: &str| rows.iter().find(|row| row.contains(name));
        let alpha = row("alpha").expect("alpha waits");
        assert!(alpha.ends_with("asked, no answer yet"), "{rows:#?}");
        let bravo = row("bravo").expect("bravo waits");
        assert!(
            bravo.ends_with("not asked yet; away: HTTP 503"),
            "{rows:#?}"
        );
    }

    #[test]
    fn words_of_servers_do_no_harm() {
        let evil = format!("\u{1b}[2J\u{202e}{}漢字", "x".repeat(10_000));
        let why = Activity::CoolingDown(Lane::Game, evil.clone().into());
        let tool = Activity::CallingTool(evil.clone().into());
        let mut desk = Desk::with(vec![
            waiting(1, &evil, why, 990_000),
            waiting(2, "bravo", tool, 870_000),
        ]);
        desk.types("Z");
        for row in rows(&desk) {
            assert!(
                !row.contains('\u{1b}') && !row.contains('\u{202e}'),
                "{row}"
            );
        }
    }
}
