//! Commands of the palette that give orders.

use actors::domain::budget::BudgetLimits;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::memo::reminder::parse_reminder_id;
use actors::domain::mission_end::typed_mission;
use actors::domain::order::{MysisOrder, Order};
use zoea_grammar::when::parse_when;

use super::Run::{ForEach, Line, Myses, Named, Once, Order as Give, Set};
use super::naming::{CommandArgs, Complaint, Done};
use super::{CommandContext, PaletteCommand, command};
use crate::dashboard::orders::{asked, ordering};
use crate::dashboard::outbox::Request;
use crate::dashboard::overlay::composer::ComposeTarget;
use crate::dashboard::overlay::palette::takes::Takes;

#[rustfmt::skip]
pub(super) const ORDERS: &[PaletteCommand] = &[
    command("broadcast", &[Takes::Text], Line(broadcast), "a mission for the whole swarm"),
    command("mission", &[Takes::Word(&["show", "clear"])], Line(show_or_clear_mission), "show the mission, or clear it"),
    command("message", &[Takes::Myses, Takes::Text], Line(|it, words| write(it, words, ComposeTarget::Myses)), "a direct message"),
    command("note", &[Takes::Myses, Takes::Text], Line(|it, words| write(it, words, ComposeTarget::Notes)), "add a lasting note"),
    command("clear-notes", &[Takes::Myses], ForEach("clear notes", &MysisOrder::ClearNotes), "remove the lasting notes"),
    command("new", &[Takes::Free("NAME"), Takes::Provider, Takes::Free("MODEL")], Line(create), "create a Mysis and start it"),
    command("start", &[Takes::Myses], ForEach("start", &MysisOrder::Start), "start or relaunch"),
    command("resume", &[], Once(|it| ordering::resume(it.facts, it.targets, it.outbox)), "start the Myses that ran when the program ended"),
    command("freeze", &[], Give("freeze", &Order::Freeze), "pause model and tool calls"),
    command("thaw", &[], Give("thaw", &Order::Thaw), "end the pause"),
    command("forget-held", &[Takes::Text], Named("forget", |id| Order::ForgetHeld { id }), "allow a held text again, by its id"),
    command("budget", &[Takes::Free("DOLLARS|TOKENS tokens")], Line(raise_budget), "raise today's spending cap"),
    command("stop", &[Takes::Myses], Myses(|it, ids| ordering::stop(it.facts, it.outbox, ids, 0)), "stop at once"),
    command("routine", &[Takes::Myses, Takes::Text], Line(start_routine), "start a repeated round, or an earlier routine"),
    command("take", &[Takes::Myses], Myses(|it, ids| ordering::ask_to_take_loops(it.facts, it.outbox, ids)), "let them repeat their paying loops as routines; asks first").of_game(),
    command("edit-routine", &[Takes::Myses, Takes::Text], Line(edit_routine), "write its routine; with {\"rounds\": 9} change it at once"),
    command("stop-routine", &[Takes::Myses], ForEach("stop the routine", &MysisOrder::StopRoutine), "stop the routine that runs; the model is asked"),
    command("delete", &[Takes::Myses], Myses(|it, ids| ordering::ask_to_delete(it.facts, it.outbox, ids)), "delete with the conversation; asks first"),
    command("undelete", &[Takes::Free("NAME")], Named("undelete", |name| Order::Undelete { name }), "bring back one that was deleted in the last day"),
    command("retry", &[Takes::Myses], ForEach("retry", &MysisOrder::Retry), "retry waits and errors at once"),
    command("answer", &[Takes::Mysis, Takes::Text], Line(answer), "answer its server's question: #number field=value …"),
    command("decline", &[Takes::Mysis], Line(decline), "decline its server's question"),
    command("remind", &[Takes::Myses, Takes::Word(&["30m", "2h", "22:00"]), Takes::Text], Line(remind), "a direct message that it gets in 2h, or at 22:00"),
    command("cancel-reminder", &[Takes::Text], Line(cancel_reminder), "cancel a reminder, by its id as alpha:3"),
    command("role", &[Takes::Myses, Takes::Role], Set(|role| Ok(MysisOrder::configure(None, None, None, Some(role)))), "give a role, or none"),
    command("provider", &[Takes::Myses, Takes::Provider], Set(|provider| Ok(MysisOrder::configure(Some(provider), None, None, None))), "use another provider"),
    command("model", &[Takes::Myses, Takes::Free("MODEL")], Set(|model| Ok(MysisOrder::configure(None, Some(model), None, None))), "use another model"),
    command("temperature", &[Takes::Myses, Takes::Free("NUMBER")], Set(set_temperature), "0 to 2"),
];

fn give(context: &mut CommandContext<'_>, what: &'static str, order: Order) {
    context.outbox.order(context.facts, what, order);
}

fn raise_budget(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let limits = BudgetLimits::parse(words.rest_of_line()?)?;
    give(context, "raise the budget", Order::RaiseBudget(limits));
    Ok(())
}

fn broadcast(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let text = typed_mission(words.rest_of_line()?).into();
    let request = Request::Send(ComposeTarget::Swarm, text);
    context.outbox.request(request);
    Ok(())
}

fn show_or_clear_mission(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    match words.last()? {
        "clear" => give(context, "clear mission", Order::ClearMission),
        "show" => {
            let text = match &context.facts.mission {
                Some(mission) => format!("mission: {mission}"),
                None => "there is no mission".to_string(),
            };
            context.outbox.say(&text);
        }
        other => return Err(format!("show or clear, not `{other}`")),
    }
    Ok(())
}

/// Writes to the Myses that are named first.
fn write(
    context: &mut CommandContext<'_>,
    mut words: CommandArgs<'_>,
    target: fn(Vec<MysisId>) -> ComposeTarget,
) -> Done {
    let target = target(words.myses(context)?);
    let text = words.rest_of_line()?.to_string();
    context.outbox.request(Request::Send(target, text));
    Ok(())
}

fn create(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let order = Order::Create {
        name: words.next()?.to_string(),
        provider: words.optional().map(ToString::to_string),
        model: words.optional().map(ToString::to_string),
        role: None,
        start: true,
    };
    words.end()?;
    give(context, "create", order);
    Ok(())
}

fn start_routine(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(context)?;
    let wanted = serde_json::json!({"name": words.rest_of_line()?});
    let order = MysisOrder::StartRoutine(wanted.to_string().into());
    (context.outbox).order_myses(context.facts, "start the routine", &ids, &order);
    Ok(())
}

fn edit_routine(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(context)?;
    ordering::edit_routines(context.facts, context.outbox, &ids, words.rest())
}

fn answer(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let id = words.one_mysis(context)?;
    asked::answer(context.facts, context.outbox, id, words.rest())
}

fn decline(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let id = words.one_mysis(context)?;
    words.end()?;
    asked::decline(context.facts, context.outbox, id)
}

fn remind(context: &mut CommandContext<'_>, mut words: CommandArgs<'_>) -> Done {
    let ids = words.myses(context)?;
    let offset = context.facts.appearance.offset;
    let offset_at = |at: i64| offset.millis_at(Timestamp(at));
    let at = parse_when(words.next()?, context.facts.now.0, offset_at)?;
    let order = MysisOrder::Remind {
        at: Timestamp(at),
        reminder: words.rest_of_line()?.into(),
    };
    (context.outbox).order_myses(context.facts, "remind", &ids, &order);
    Ok(())
}

fn cancel_reminder(context: &mut CommandContext<'_>, words: CommandArgs<'_>) -> Done {
    let (name, number) = parse_reminder_id(words.rest_of_line()?)?;
    let order = MysisOrder::CancelReminder(number).for_mysis(name);
    give(context, "cancel a reminder", order);
    Ok(())
}

fn set_temperature(word: String) -> Result<MysisOrder, Complaint> {
    let value = word
        .parse()
        .map_err(|_| format!("`{word}` is not a number"))?;
    Ok(MysisOrder::configure(None, None, Some(value), None))
}

#[cfg(test)]
mod tests {
    use actors::domain::state::LifeState;
    use crossterm::event::KeyCode;

    use super::*;
    use crate::dashboard::tests::{Desk, order_of, status};
    use crate::dashboard::text::figures::UtcOffset;

    #[test]
    fn a_reminder_is_due_when_the_clock_of_its_day_shows_its_time() {
        const HOUR: i64 = 3_600_000;
        let mut desk = Desk::with(vec![status(1, "alpha", LifeState::Running)]);
        // It is 00:16:40 UTC. Clocks go forward in three hours.
        let change = 3 * HOUR;
        let now = desk.board.facts.now;
        desk.board.facts.appearance.offset =
            UtcOffset::of_zone(now, |at| if at.0 < change { 60 } else { 120 });
        for (line, due) in [
            ("remind alpha 02:30 mine", HOUR + HOUR / 2),
            ("remind alpha 22:00 mine", 20 * HOUR),
        ] {
            desk.types(&format!(":{line}"));
            let (_, order) = order_of(&desk.key(KeyCode::Enter));
            let reminder = MysisOrder::Remind {
                at: Timestamp(due),
                reminder: "mine".into(),
            };
            assert_eq!(order, reminder.for_mysis("alpha"));
        }
    }
}
