//! Every order can be given by a command, by a tool of the control interface and in the palette, or a line here says why
//! not. The three lists have words of their own (decision 820); the compiler asks here for each new order.

use std::collections::BTreeSet;

use actors::domain::ids::{MissionId, Timestamp};
use actors::domain::order::{MysisOrder, Order};
use actors::domain::question::{Decision, GivenAnswer};
use actors::domain::record::{Mission, ProfileChange};
use zoea_golden::{every, kept};

/// The command, the tool and the entry of the palette that give an order, or why there is none.
type Surfaces = [Result<&'static str, &'static str>; 3];

fn surfaces(order: &Order) -> Surfaces {
    match order {
        Order::Create { .. } => [Ok("mysis create"), Ok("create_mysis"), Ok("new")],
        Order::ForMysis { order, .. } => surfaces_of_mysis(order),
        Order::Delete { .. } => [Ok("mysis delete"), Ok("delete_mysis"), Ok("delete")],
        Order::Undelete { .. } => [Ok("mysis undelete"), Ok("undelete_mysis"), Ok("undelete")],
        Order::ShowRequest { .. } => {
            let only = Err("a whole request is for a screen with search and folds");
            [only, only, Ok("open")]
        }
        Order::Broadcast { .. } => [Ok("broadcast"), Ok("broadcast"), Ok("broadcast")],
        Order::ClearMission => [Ok("mission clear"), Ok("clear_mission"), Ok("mission")],
        Order::PoolAccounts(_) => {
            let never = Err("passwords come from a file and stand on no screen");
            [Ok("accounts import"), Ok("import_accounts"), never]
        }
        Order::Reload => {
            let signal = Err("the service manager reloads by a signal");
            [signal, Ok("reload"), Ok("reload")]
        }
        Order::RaiseBudget(_) => [Ok("budget"), Ok("raise_budget"), Ok("budget")],
        Order::Freeze => [Ok("freeze"), Ok("freeze"), Ok("freeze")],
        Order::Thaw => [Ok("thaw"), Ok("thaw"), Ok("thaw")],
        Order::ForgetHeld { .. } => [Ok("held forget"), Ok("forget_held_text"), Ok("forget-held")],
        Order::Drain { is_draining, .. } => {
            let key = Err("a key of the view of processes");
            match is_draining {
                true => [Ok("processes drain"), Ok("drain_process"), key],
                false => [Ok("processes undrain"), Ok("undrain_process"), key],
            }
        }
    }
}

fn surfaces_of_mysis(order: &MysisOrder) -> Surfaces {
    match order {
        MysisOrder::Start => [Ok("mysis start"), Ok("start_mysis"), Ok("start")],
        MysisOrder::Retry => [Ok("mysis retry"), Ok("retry_mysis"), Ok("retry")],
        MysisOrder::Stop => [Ok("mysis stop"), Ok("stop_mysis"), Ok("stop")],
        MysisOrder::Prompt(_) => [Ok("send"), Ok("send_message"), Ok("message")],
        // The Commander passes it on.
        MysisOrder::Mission(_) => [Ok("broadcast"), Ok("broadcast"), Ok("broadcast")],
        MysisOrder::Note(_) => [Ok("note"), Ok("add_note"), Ok("note")],
        // `zoea note NAME --clear`
        MysisOrder::ClearNotes => [Ok("note"), Ok("clear_notes"), Ok("clear-notes")],
        MysisOrder::Configure(_) => [Ok("mysis configure"), Ok("configure_mysis"), Ok("model")],
        MysisOrder::Answer(_) => [Ok("answer"), Ok("answer_question"), Ok("answer")],
        MysisOrder::StartRoutine(_) => [Ok("routine start"), Ok("start_routine"), Ok("routine")],
        MysisOrder::EditRoutine(_) => [Ok("routine edit"), Ok("edit_routine"), Ok("edit-routine")],
        MysisOrder::StopRoutine => [Ok("routine stop"), Ok("stop_routine"), Ok("stop-routine")],
        MysisOrder::Remind { .. } => [Ok("remind"), Ok("remind"), Ok("remind")],
        MysisOrder::CancelReminder(_) => [
            Ok("reminders cancel"),
            Ok("cancel_reminder"),
            Ok("cancel-reminder"),
        ],
    }
}

fn all_orders() -> Vec<Order> {
    let name = || "alpha".to_string();
    let mission = Mission {
        id: MissionId(1),
        text: "mine".into(),
        at: Timestamp(0),
    };
    let answer = GivenAnswer {
        question: None,
        decision: Decision::Decline,
    };
    let of_mysis = every!(MysisOrder:
        Start => [MysisOrder::Start],
        Retry => [MysisOrder::Retry],
        Stop => [MysisOrder::Stop],
        Prompt => [MysisOrder::Prompt("go".into())],
        Mission => [MysisOrder::Mission(mission)],
        Note => [MysisOrder::Note("go".into())],
        ClearNotes => [MysisOrder::ClearNotes],
        Configure => [MysisOrder::Configure(ProfileChange::default())],
        Answer => [MysisOrder::Answer(answer)],
        StartRoutine => [MysisOrder::StartRoutine("mine".into())],
        EditRoutine => [MysisOrder::EditRoutine("mine".into())],
        StopRoutine => [MysisOrder::StopRoutine],
        Remind => [MysisOrder::Remind { at: Timestamp(0), reminder: "go".into() }],
        CancelReminder => [MysisOrder::CancelReminder(1)],
    );
    let orders = every!(Order:
        Create => [Order::Create { name: name(), provider: None, model: None, role: None, start: false }],
        ForMysis => [MysisOrder::Start.for_mysis("alpha")],
        Delete => [Order::Delete { name: name(), now: false }],
        Undelete => [Order::Undelete { name: name() }],
        ShowRequest => [Order::ShowRequest { name: name() }],
        Broadcast => [Order::Broadcast { text: name() }],
        ClearMission => [Order::ClearMission],
        PoolAccounts => [Order::PoolAccounts(Vec::new())],
        Reload => [Order::Reload],
        RaiseBudget => [Order::RaiseBudget(Default::default())],
        Freeze => [Order::Freeze],
        Thaw => [Order::Thaw],
        ForgetHeld => [Order::ForgetHeld { id: name() }],
        Drain => [
            Order::Drain { process: name(), is_draining: true },
            Order::Drain { process: name(), is_draining: false },
        ],
    );
    let of_mysis = of_mysis.map(|order| order.for_mysis("alpha"));
    orders.into_iter().chain(of_mysis).collect()
}

/// The words that stand before the first of these letters in the lines of a form.
fn words(form: &str, ends: &[char]) -> BTreeSet<String> {
    let text = kept(form);
    let lines = text.lines().map(|line| line.split(ends).next());
    lines
        .flatten()
        .map(|word| word.trim().to_string())
        .collect()
}

#[test]
fn every_order_can_be_given_everywhere_or_a_line_says_why_not() {
    let commands = words("commands.txt", &[':']);
    let commands = commands
        .iter()
        .filter_map(|line| line.strip_prefix("zoea "));
    let commands: BTreeSet<String> = commands.map(str::to_string).collect();
    let known = [
        commands,
        words("tools.txt", &[' ']),
        words("palette.txt", &[' ']),
    ];
    for order in all_orders() {
        for (known, surface) in known.iter().zip(surfaces(&order)) {
            match surface {
                Ok(word) => assert!(known.contains(word), "`{word}` for {order:?}"),
                Err(why) => assert!(why.len() > 10, "{order:?}"),
            }
        }
    }
}
