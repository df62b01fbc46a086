//! Commands of the palette that give orders.

use actors::domain::ids::Timestamp;
use actors::domain::mission_end::typed_mission;
use actors::domain::order::{MysisOrder, Order};
use actors::domain::reminder::parse_reminder_id;
use zoea_grammar::when::parse_when;

use super::Run::{Line, Myses, Once, Order as ForEach, Set};
use super::naming::{CommandArgs, Complaint};
use super::{PaletteCommand, command};
use crate::dashboard::Dashboard;
use crate::dashboard::overlay::composer::ComposeTarget;
use crate::dashboard::overlay::palette::takes::Takes;
use crate::dashboard::routine_editor::edit_routines;

#[rustfmt::skip]
pub(super) const ORDERS: &[PaletteCommand] = &[
    command("broadcast", &[Takes::Text], Line(broadcast), "a mission for the whole swarm"),
    command("mission", &[Takes::Word(&["show", "clear"])], Line(show_or_clear_mission), "show the mission, or clear it"),
    command("message", &[Takes::Myses, Takes::Text], Line(send_message), "a direct message"),
    command("note", &[Takes::Myses, Takes::Text], Line(add_note), "add a lasting note"),
    command("clear-notes", &[Takes::Myses], ForEach("clear notes", &MysisOrder::ClearNotes), "remove the lasting notes"),
    command("new", &[Takes::NewName, Takes::Provider, Takes::Model], Line(create), "create a Mysis and start it"),
    command("start", &[Takes::Myses], ForEach("start", &MysisOrder::Start), "start or relaunch"),
    command("resume", &[], Once(Dashboard::resume), "start the Myses that ran when the program ended"),
    command("freeze", &[], Once(|board| board.order_swarm("freeze", Order::Freeze)), "pause model and tool calls"),
    command("thaw", &[], Once(|board| board.order_swarm("thaw", Order::Thaw)), "end the pause"),
    command("forget-held", &[Takes::Text], Line(forget_held), "allow a held text again, by its id"),
    command("budget", &[Takes::Amount], Line(|board, words| board.raise_budget(words.rest_of_line()?)), "raise today's spending cap"),
    command("stop", &[Takes::Myses], Myses(Dashboard::stop), "stop at once"),
    command("routine", &[Takes::Myses, Takes::Text], Line(start_routine), "start a repeated round, or an earlier routine"),
    command("take", &[Takes::Myses], Myses(Dashboard::ask_to_take_loops), "let them repeat their paying loops as routines; asks first"),
    command("edit-routine", &[Takes::Myses, Takes::Text], Line(edit_routine), "write its routine; with {\"rounds\": 9} change it at once"),
    command("stop-routine", &[Takes::Myses], ForEach("stop the routine", &MysisOrder::StopRoutine), "stop the routine that runs; the model is asked"),
    command("delete", &[Takes::Myses], Myses(Dashboard::ask_to_delete), "delete with the conversation; asks first"),
    command("undelete", &[Takes::NewName], Line(undelete), "bring back one that was deleted in the last day"),
    command("retry", &[Takes::Myses], ForEach("retry", &MysisOrder::Retry), "retry waits and errors at once"),
    command("answer", &[Takes::Mysis, Takes::Text], Line(answer), "answer its server's question: #number field=value …"),
    command("decline", &[Takes::Mysis], Line(decline), "decline its server's question"),
    command("remind", &[Takes::Myses, Takes::Word(&["30m", "2h", "22:00"]), Takes::Text], Line(remind), "a direct message that it gets in 2h, or at 22:00"),
    command("cancel-reminder", &[Takes::Text], Line(cancel_reminder), "cancel a reminder, by its id as alpha:3"),
    command("role", &[Takes::Myses, Takes::Role], Set(|role| Ok(MysisOrder::configure(None, None, None, Some(role)))), "give a role, or none"),
    command("provider", &[Takes::Myses, Takes::Provider], Set(|provider| Ok(MysisOrder::configure(Some(provider), None, None, None))), "use another provider"),
    command("model", &[Takes::Myses, Takes::Model], Set(|model| Ok(MysisOrder::configure(None, Some(model), None, None))), "use another model"),
    command("temperature", &[Takes::Myses, Takes::Number], Set(set_temperature), "0 to 2"),
];

type Done = Result<(), Complaint>;

fn broadcast(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    let text = words.rest_of_line()?;
    board.send(ComposeTarget::Swarm, &typed_mission(text));
    Ok(())
}

fn show_or_clear_mission(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    match words.next()? {
        "clear" => board.order_swarm("clear mission", Order::ClearMission),
        "show" => {
            let text = match &board.mission {
                Some(mission) => format!("mission: {mission}"),
                None => "there is no mission".to_string(),
            };
            board.show_notice(&text);
        }
        other => return Err(format!("show or clear, not `{other}`")),
    }
    Ok(())
}

fn send_message(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(board)?;
    board.send(ComposeTarget::Myses(ids), words.rest_of_line()?);
    Ok(())
}

fn add_note(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(board)?;
    board.send(ComposeTarget::Notes(ids), words.rest_of_line()?);
    Ok(())
}

fn create(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let name = words.next()?.to_string();
    let order = Order::Create {
        name: name.clone(),
        provider: words.optional().map(ToString::to_string),
        model: words.optional().map(ToString::to_string),
        role: None,
        start: true,
    };
    board.order_once("create", &name, order);
    Ok(())
}

fn forget_held(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    board.forget_held(words.next()?);
    Ok(())
}

fn start_routine(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(board)?;
    let wanted = serde_json::json!({"name": words.rest_of_line()?});
    let order = MysisOrder::StartRoutine(wanted.to_string().into());
    board.order_myses("start the routine", &ids, &order);
    Ok(())
}

fn edit_routine(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(board)?;
    edit_routines(board, &ids, words.rest())
}

fn answer(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let id = words.one_mysis(board)?;
    board.answer(id, words.rest())
}

fn decline(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let id = words.one_mysis(board)?;
    board.decline(id)
}

fn remind(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(board)?;
    let offset = i64::from(board.appearance.offset.0) * 60_000;
    let at = parse_when(words.next()?, board.now().0, |_| offset)?;
    let order = MysisOrder::Remind {
        at: Timestamp(at),
        reminder: words.rest_of_line()?.into(),
    };
    board.order_myses("remind", &ids, &order);
    Ok(())
}

fn cancel_reminder(board: &mut Dashboard, words: CommandArgs<'_>) -> Done {
    let (name, number) = parse_reminder_id(words.rest_of_line()?)?;
    let order = MysisOrder::CancelReminder(number).for_mysis(name);
    board.order_once("cancel a reminder", name, order);
    Ok(())
}

fn undelete(board: &mut Dashboard, mut words: CommandArgs<'_>) -> Done {
    let name = words.next()?.to_string();
    board.order_once("undelete", &name, Order::Undelete { name: name.clone() });
    Ok(())
}

fn set_temperature(word: String) -> Result<MysisOrder, Complaint> {
    let value = word
        .parse()
        .map_err(|_| format!("`{word}` is not a number"))?;
    Ok(MysisOrder::configure(None, None, Some(value), None))
}
