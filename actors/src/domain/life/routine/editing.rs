//! Changes of a routine by the operator. They are stored before they are in force, and in force from
//! the next step on.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::message::Severity;
use crate::order::{CompletedOrder, OrderRefusal};
use crate::routine::{Routine, plain_name, with_changes};

use super::super::Life;
use super::super::input::ReplyId;
use super::super::record::WriteDraft;

impl Life {
    /// Changes a routine that the Mysis knows, and answers with it. A name alone changes nothing.
    pub(in super::super) fn edit_routine(
        &mut self,
        reply: ReplyId,
        given: &str,
    ) -> Result<(), OrderRefusal> {
        let changes: Map<String, Value> = serde_json::from_str(given).map_err(|why| {
            OrderRefusal::BadEdit(vec![format!("this is not a JSON object: {why}")])
        })?;
        let name = changes.get("name").and_then(Value::as_str).map(plain_name);
        let found = self.routines.to_edit(name.as_deref()).cloned();
        let before = found.ok_or_else(|| self.unknown_routine(name.as_deref()))?;
        if changes.keys().all(|member| member == "name") {
            let text = json!(before).to_string();
            self.answer(reply, Ok(CompletedOrder::Routine(text.into())));
            return Ok(());
        }
        let edited = with_changes(&before, &changes).and_then(|edited| self.fit_edited(edited));
        let edited = edited.map_err(OrderRefusal::BadEdit)?;
        self.routines.edit(&edited);
        let done = CompletedOrder::Routine(json!(edited).to_string().into());
        let mut draft = WriteDraft::answering(reply, done);
        let notice = format!(
            "the operator changed the routine {}: {} steps, at most {} rounds{}",
            edited.name,
            edited.steps.len(),
            edited.rounds,
            match self.routines.is_running(&edited.name) {
                true => ", from its next step on",
                false => "",
            }
        );
        self.add_host_notice(&mut draft, Severity::Info, "routine_edited", &notice);
        self.add_routines(&mut draft);
        self.record_draft(draft);
        Ok(())
    }

    /// What runs must be fit to go on. What does not is judged when it starts.
    fn fit_edited(&self, edited: Routine) -> Result<Arc<Routine>, Vec<String>> {
        match self.routines.is_running(&edited.name) {
            true => self.fit_routine(&edited),
            false => Ok(Arc::new(edited)),
        }
    }

    fn unknown_routine(&self, name: Option<&str>) -> OrderRefusal {
        let known = self.routines.known.iter();
        let known: Vec<&str> = known.map(|known| &*known.name).collect();
        let notice = match (name, known.is_empty()) {
            (Some(name), false) => {
                format!("it knows no routine {name}; it knows {}", known.join(", "))
            }
            (_, _) => {
                "it has not started a routine yet: a routine can be changed once it was started"
                    .to_string()
            }
        };
        OrderRefusal::BadEdit(vec![notice])
    }
}
