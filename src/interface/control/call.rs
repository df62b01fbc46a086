//! The tools of the control interface (CONTRACT.md), and what each does. Other programs call them over MCP,
//! and the command line builds the same calls.

pub mod reminders;

use actors::domain::budget::BudgetLimits;
use actors::domain::order::{MysisOrder, Order};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zoea_contract::order_answer;

use crate::interface::swarm::Swarm;

use super::hints::ToolEffect;
use super::parameters::{
    AnswerQuestion, AskReport, AskStatus, BroadcastMission, ConfigureMysis, CreateMysis,
    EditRoutine, ExportConversations, GetBooks, ListMyses, ReadEvents, ReadLog, ReadSamples,
    SearchRows, SendMessage, StartRoutine, WaitFor,
};
use super::short::ControlAnswer;
use super::{ProgramInfo, accounts, books, history, samples, status, waiting};

use reminders::Remind;

/// A call of a tool. Each variant is a tool: the comment tells clients what it does, its fields are the
/// parameters; `acts` says that Myses act in the game, or call models, because of it.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlCall {
    /// The Myses and their states, by name: those that meet the conditions, with the fields that are named.
    /// Without a limit an answer holds at most 8 KB; what is left out is said.
    #[schemars(title = "List Myses", extend("effect" = ToolEffect::Reads))]
    ListMyses(ListMyses),
    /// A new Mysis, idle unless start is true.
    #[schemars(title = "Create a Mysis", extend("effect" = ToolEffect::Adds, "acts" = true))]
    CreateMysis(CreateMysis),
    /// Start or relaunch a Mysis.
    #[schemars(title = "Start a Mysis", extend("effect" = ToolEffect::Sets, "acts" = true))]
    StartMysis {
        /// The name of the Mysis.
        name: String,
    },
    /// Try again at once: relaunch an errored Mysis, or end its wait for the next try.
    #[schemars(title = "Let a Mysis try again", extend("effect" = ToolEffect::Sets, "acts" = true))]
    RetryMysis {
        /// The name of the Mysis.
        name: String,
    },
    /// Stop a Mysis.
    #[schemars(title = "Stop a Mysis", extend("effect" = ToolEffect::Sets))]
    StopMysis {
        /// The name of the Mysis.
        name: String,
    },
    /// Delete a Mysis with its conversation. A copy is kept for a day, unless now is true.
    #[schemars(title = "Delete a Mysis", extend("effect" = ToolEffect::Removes))]
    DeleteMysis {
        /// The name of the Mysis.
        name: String,
        /// Whether no copy is kept, so that nothing brings it back.
        #[serde(default)]
        now: bool,
    },
    /// Bring a Mysis back that was deleted in the last day, idle, under its name or NAME-2.
    #[schemars(title = "Bring a Mysis back", extend("effect" = ToolEffect::Adds))]
    UndeleteMysis {
        /// Its name when it was deleted.
        name: String,
    },
    /// Change provider, model, temperature or role of a Mysis.
    #[schemars(title = "Change a Mysis", extend("effect" = ToolEffect::Sets))]
    ConfigureMysis(ConfigureMysis),
    /// A direct message to one Mysis; no_gain: the watch on progress expects no gain of it.
    #[schemars(title = "Send a message", extend("effect" = ToolEffect::Adds, "acts" = true))]
    SendMessage(SendMessage),
    /// A mission for the whole swarm; no_gain: the watch on progress expects no gain of it; ends: models
    /// may say that it is done (zoea_done), and are then asked once an hour.
    #[schemars(title = "Give a mission to all", extend("effect" = ToolEffect::Adds, "acts" = true))]
    Broadcast(BroadcastMission),
    /// The mission in force.
    #[schemars(title = "Show the mission", extend("effect" = ToolEffect::Reads))]
    GetMission {},
    /// Clear the mission.
    #[schemars(title = "Clear the mission", extend("effect" = ToolEffect::Removes))]
    ClearMission {},
    /// Persistent context for one Mysis.
    #[schemars(title = "Add a lasting note", extend("effect" = ToolEffect::Adds))]
    AddNote {
        /// The name of the Mysis.
        name: String,
        /// The text of the lasting note.
        text: String,
    },
    /// Clear the persistent context of one Mysis.
    #[schemars(title = "Clear the notes", extend("effect" = ToolEffect::Removes))]
    ClearNotes {
        /// The name of the Mysis.
        name: String,
    },
    /// Start a routine of a running Mysis: a whole one, the name of one that it has run before, or the paying loop
    /// that it repeats now.
    #[schemars(title = "Start a routine", extend("effect" = ToolEffect::Adds, "acts" = true))]
    StartRoutine(StartRoutine),
    /// Change a routine that a Mysis knows: the given members take the place of its own, null takes one away.
    /// One that runs goes on with them from its next step on. A name alone shows it.
    #[schemars(title = "Show or change a routine", extend("effect" = ToolEffect::Sets))]
    EditRoutine(EditRoutine),
    /// Stop the routine of a Mysis, after the step that is under way.
    #[schemars(title = "Stop a routine", extend("effect" = ToolEffect::Sets))]
    StopRoutine {
        /// The name of the Mysis.
        name: String,
    },
    /// Leave a direct message for a Mysis, which it gets in a while or at a time, also after a restart.
    #[schemars(title = "Leave a reminder", extend("effect" = ToolEffect::Adds, "acts" = true))]
    Remind(Remind),
    /// The reminders that wait, the first one due at the front.
    #[schemars(title = "List reminders", extend("effect" = ToolEffect::Reads))]
    ListReminders {},
    /// Cancel a reminder, so that it is not delivered.
    #[schemars(title = "Cancel a reminder", extend("effect" = ToolEffect::Removes))]
    CancelReminder {
        /// Its id, as alpha:3.
        id: String,
    },
    /// Answer the question that a server asks during a call of a Mysis (status shows it). Texts are read as
    /// the types of their fields; what does not fit is refused, and the question stays open.
    #[schemars(title = "Answer a question", extend("effect" = ToolEffect::Adds, "acts" = true))]
    AnswerQuestion(AnswerQuestion),
    /// A Mysis' conversation, oldest row first: the newest rows, those next before before_seq, or those
    /// next after after_seq. Without a limit an answer holds at most 8 KB and long texts are cut; with one
    /// it holds whole rows of at most some 4 MB, limit 0 as many as that: go on from its end until no row comes.
    #[schemars(title = "Read a conversation", extend("effect" = ToolEffect::Reads))]
    ReadLog(ReadLog),
    /// Search conversations literally; in is messages, reasoning or missions, or several of them with commas
    /// between them. Without a limit an answer holds the newest of at most 8 KB, long texts cut; with one whole
    /// rows of at most some 4 MB.
    #[schemars(title = "Search conversations", extend("effect" = ToolEffect::Reads))]
    Search(SearchRows),
    /// What happened in the swarm and who ordered what, the oldest first. Without a limit an answer holds the
    /// newest of at most 8 KB, with one of at most some 4 MB. With from it holds those next after the event of that
    /// number and waits for one: go on from the number of the last one, and none is missed and none comes twice.
    #[schemars(title = "Read events", extend("effect" = ToolEffect::Reads))]
    ReadEvents(ReadEvents),
    /// Wait until Myses are in a state, or until it is sure that they will not be by themselves.
    #[schemars(title = "Wait for Myses", extend("effect" = ToolEffect::Reads))]
    Wait(WaitFor),
    /// What happened in a day, or since a time: the last 10 hours, say, beside the same hours before.
    #[schemars(title = "Report a day", extend("effect" = ToolEffect::Reads))]
    Report(AskReport),
    /// Give the database's free space back.
    #[schemars(title = "Compact the database", extend("effect" = ToolEffect::Sets))]
    Compact {},
    /// How far back conversations reach.
    #[schemars(title = "Show how far logs reach", extend("effect" = ToolEffect::Reads))]
    GetReach {
        /// Whose; absent: of all.
        mysis: Option<String>,
    },
    /// The game accounts, without passwords.
    #[schemars(title = "List accounts", extend("effect" = ToolEffect::Reads))]
    ListAccounts {},
    /// Take game accounts from a file on this machine into the pool.
    #[schemars(title = "Import accounts", extend("effect" = ToolEffect::Sets))]
    ImportAccounts {
        /// The file on this machine.
        file: String,
    },
    /// Write all game accounts, with passwords, to a new file on this machine.
    #[schemars(title = "Export accounts", extend("effect" = ToolEffect::Adds))]
    ExportAccounts {
        /// The file on this machine.
        file: String,
    },
    /// Write conversations to a new file on this machine; format is jsonl or md.
    #[schemars(title = "Export conversations", extend("effect" = ToolEffect::Adds))]
    Export(ExportConversations),
    /// Tokens and cost by day (UTC), Mysis and provider: of today, or of so many days.
    #[schemars(title = "Show costs", extend("effect" = ToolEffect::Reads))]
    GetBooks(GetBooks),
    /// What Myses have, earn, cost and wait for over time: the last hour, or from since to until; at most
    /// 10,000 samples, with sum those of all Myses added up.
    #[schemars(title = "Read samples", extend("effect" = ToolEffect::Reads))]
    ReadSamples(ReadSamples),
    /// Read the configuration again.
    #[schemars(title = "Reload the configuration", extend("effect" = ToolEffect::Sets))]
    Reload {},
    /// Raise the cap on what the swarm spends today; tomorrow the configuration's holds again.
    #[schemars(title = "Raise the budget of today", extend("effect" = ToolEffect::Sets, "acts" = true))]
    RaiseBudget {
        /// To how much: US dollars, as 20, or tokens, as 30M tokens.
        to: String,
    },
    /// Freeze the swarm: from the answer on no model call, no tool call and no login begins. Requests
    /// already sent are awaited. It holds over restarts.
    #[schemars(title = "Freeze the swarm", extend("effect" = ToolEffect::Sets))]
    Freeze {},
    /// Thaw the swarm: each Mysis continues where it paused.
    #[schemars(title = "Thaw the swarm", extend("effect" = ToolEffect::Sets, "acts" = true))]
    Thaw {},
    /// The texts that are held back from models, because a server refuses them.
    #[schemars(title = "List texts that are held back", extend("effect" = ToolEffect::Reads))]
    ListHeldTexts {},
    /// Allow a text that is held back again: the next request that would contain it contains it.
    #[schemars(title = "Let a held text be tried again", extend("effect" = ToolEffect::Removes, "acts" = true))]
    ForgetHeldText {
        /// Its id; `all` for all of them.
        id: String,
    },
    /// The processes that share the database, those that ended lately included.
    #[schemars(title = "List processes", extend("effect" = ToolEffect::Reads))]
    ListProcesses {},
    /// Move the Myses of a process to the others; it takes no new ones until it ends.
    #[schemars(title = "Drain a process", extend("effect" = ToolEffect::Sets))]
    DrainProcess {
        /// The name of the process.
        name: String,
    },
    /// Let a process take Myses again.
    #[schemars(title = "End a drain", extend("effect" = ToolEffect::Sets))]
    UndrainProcess {
        /// The name of the process.
        name: String,
    },
    /// The program and its swarm in short, in at most 2 KB, with as many Myses as fit; with whole everything.
    #[schemars(title = "Show the status", extend("effect" = ToolEffect::Reads))]
    Status(AskStatus),
}

impl ControlCall {
    /// Asks for the whole status.
    pub fn whole_status() -> ControlCall {
        ControlCall::Status(AskStatus { whole: true })
    }
}

/// Answers a call. MCP clients and commands that need no running program both come here.
///
/// # Errors
/// The order was refused; the text says why.
pub async fn answer_call(
    swarm: &Swarm,
    about: &ProgramInfo,
    call: ControlCall,
) -> Result<ControlAnswer, String> {
    let answer = carry_out_call(swarm, about, call).await;
    // Stored rows from before a secret was known, and the caller's own text, may contain it.
    let known = about.secrets.redactor();
    match answer {
        Ok(ControlAnswer { value, rest }) => Ok(ControlAnswer {
            value: known.clean_json(value),
            rest,
        }),
        Err(why) => Err(known.clean_own(why)),
    }
}

async fn carry_out_call(
    swarm: &Swarm,
    about: &ProgramInfo,
    call: ControlCall,
) -> Result<ControlAnswer, String> {
    use ControlCall as Call;
    let order = match call {
        Call::ListMyses(asked) => return status::list_myses(swarm, about, &asked).await,
        Call::GetMission {} => return Ok(status::read_mission(swarm).await.into()),
        Call::ReadLog(asked) => return history::read_log(swarm, asked).await,
        Call::Search(asked) => return history::search_rows(swarm, asked).await,
        Call::ReadEvents(asked) => return history::read_events(swarm, asked).await,
        Call::Wait(asked) => return whole(waiting::wait_for(swarm, about, &asked).await),
        Call::Compact {} => return whole(books::compact_database(swarm).await),
        Call::Report(asked) => return whole(books::report_period(swarm, about, &asked).await),
        Call::GetReach { mysis } => return whole(books::read_reach(swarm, mysis).await),
        Call::ListAccounts {} => return whole(accounts::list_accounts(swarm).await),
        Call::ImportAccounts { file } => {
            return whole(accounts::import_accounts(swarm, file).await);
        }
        Call::ExportAccounts { file } => {
            return whole(accounts::export_accounts(swarm, file).await);
        }
        Call::Export(asked) => {
            return whole(history::export_conversations(swarm, about, asked).await);
        }
        Call::GetBooks(asked) => return whole(books::list_entries(swarm, about, asked.days).await),
        Call::ReadSamples(asked) => return whole(samples::read_samples(swarm, asked).await),
        Call::ListHeldTexts {} => return whole(status::list_held_texts(swarm).await),
        Call::ForgetHeldText { id } => Order::ForgetHeld { id },
        Call::ListProcesses {} => return whole(status::list_processes(swarm).await),
        Call::DrainProcess { name } => drain(name, true),
        Call::UndrainProcess { name } => drain(name, false),
        Call::Status(asked) => return Ok(status::program_status(swarm, about, &asked).await),
        Call::CreateMysis(asked) => asked.into_order(),
        Call::StartMysis { name } => MysisOrder::Start.for_mysis(name),
        Call::RetryMysis { name } => MysisOrder::Retry.for_mysis(name),
        Call::StopMysis { name } => MysisOrder::Stop.for_mysis(name),
        Call::DeleteMysis { name, now } => Order::Delete { name, now },
        Call::UndeleteMysis { name } => Order::Undelete { name },
        Call::ConfigureMysis(asked) => asked.into_order(),
        Call::SendMessage(asked) => asked.into_order(),
        Call::Broadcast(asked) => asked.into_order(),
        Call::ClearMission {} => Order::ClearMission,
        Call::AddNote { name, text } => MysisOrder::Note(text.into()).for_mysis(name),
        Call::AnswerQuestion(asked) => asked.into_order(),
        Call::ClearNotes { name } => MysisOrder::ClearNotes.for_mysis(name),
        Call::StartRoutine(asked) => asked.into_order(),
        Call::EditRoutine(asked) => asked.into_order(),
        Call::StopRoutine { name } => MysisOrder::StopRoutine.for_mysis(name),
        Call::Remind(asked) => asked.into_order()?,
        Call::ListReminders {} => return whole(reminders::list_reminders(swarm).await),
        Call::CancelReminder { id } => reminders::cancel_order(&id)?,
        Call::Reload {} => Order::Reload,
        Call::RaiseBudget { to } => Order::RaiseBudget(BudgetLimits::parse(&to)?),
        Call::Freeze {} => Order::Freeze,
        Call::Thaw {} => Order::Thaw,
    };
    whole(give_order(swarm, order).await)
}

/// An answer from which nothing is left out.
fn whole(answer: Result<Value, String>) -> Result<ControlAnswer, String> {
    answer.map(ControlAnswer::from)
}

fn drain(process: String, is_draining: bool) -> Order {
    Order::Drain {
        process,
        is_draining,
    }
}

async fn give_order(swarm: &Swarm, order: Order) -> Result<Value, String> {
    let done = swarm.order(order).await.map_err(|no| no.to_string())?;
    Ok(order_answer(&done))
}
