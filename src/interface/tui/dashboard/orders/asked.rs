//! Answers to the questions that servers ask during calls.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::order::MysisOrder;
use actors::domain::question::{
    AnswerValues, Decision, GivenAnswer, Question, read_line, typed_value,
};

use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::Outbox;

fn question_of(facts: &Facts, id: MysisId) -> Result<&Arc<Question>, String> {
    let member = facts.roster.members().get(&id);
    let question = member.and_then(|member| member.status.activity.question());
    question.ok_or_else(|| "its server has no open question".to_string())
}

/// The command that answers the question of a Mysis, to be completed.
pub(crate) fn answer_to_complete(facts: &Facts, id: MysisId) -> Result<String, String> {
    let question = question_of(facts, id)?;
    let fields = question.fields().iter();
    let pairs = fields.map(|field| {
        let default = field.default.as_ref().map(typed_value);
        format!(" {}={}", field.name, default.unwrap_or_default())
    });
    let pairs: String = pairs.collect();
    // With its number, since the server may ask something else while this is typed.
    let (name, number) = (facts.name_of(id), question.number);
    Ok(format!("answer {name} #{number}{pairs}"))
}

/// Gives the answer to the question of a Mysis' server that is open now: values such as
/// `#7 ore=iron count=3`. With a number it answers that question and no other one.
pub(crate) fn answer(
    facts: &Facts,
    outbox: &mut Outbox,
    id: MysisId,
    text: &str,
) -> Result<(), String> {
    let question = question_of(facts, id)?;
    let text = text.trim_start();
    let numbered = text.strip_prefix('#').map(|rest| {
        let (number, values) = rest.split_once(' ').unwrap_or((rest, ""));
        (number.parse::<u64>(), values)
    });
    let values = match numbered {
        Some((Ok(number), values)) if number == question.number => values,
        Some((Ok(number), _)) => {
            return Err(format!(
                "question #{number} is over; its server now asks #{}: {}",
                question.number, question.message
            ));
        }
        Some((Err(_), _)) => return Err("a number of a question is such as #7".to_string()),
        None => text,
    };
    let values = AnswerValues(read_line(question.fields(), values)?);
    let decision = Decision::Accept(question.check(&values)?);
    decide(facts, outbox, id, (question.number, decision));
    Ok(())
}

pub(crate) fn decline(facts: &Facts, outbox: &mut Outbox, id: MysisId) -> Result<(), String> {
    let number = question_of(facts, id)?.number;
    decide(facts, outbox, id, (number, Decision::Decline));
    Ok(())
}

fn decide(facts: &Facts, outbox: &mut Outbox, id: MysisId, (number, decision): (u64, Decision)) {
    let question = Some(number);
    let order = MysisOrder::Answer(GivenAnswer { question, decision });
    outbox.order_myses(facts, "answer", &[id], &order);
}

#[cfg(test)]
mod tests {
    use actors::domain::event::{Activity, MysisStatus};
    use actors::domain::order::Order;
    use actors::domain::state::LifeState;
    use crossterm::event::KeyCode;
    use serde_json::{Value, json};

    use super::*;
    use crate::dashboard::overlay::Overlay;
    use crate::dashboard::tests::{Desk, orders_of, status};

    fn desk() -> Desk {
        let params = json!({"message": "Which ore?", "requestedSchema": {
            "properties": {
                "ore": {"type": "string"},
                "count": {"type": "integer", "default": 2, "maximum": 9},
                "note": {"type": "string"},
            },
            "required": ["ore"],
        }});
        let mut question = Question::read("game.example", &params).expect("a question");
        question.number = 7;
        let mut asked = MysisStatus::clone(&status(1, "alpha", LifeState::Running));
        asked.activity = Activity::Asked(Arc::new(question));
        Desk::with(vec![
            Arc::new(asked),
            status(2, "bravo", LifeState::Running),
        ])
    }

    fn given(desk: &mut Desk, code: KeyCode) -> Vec<(String, GivenAnswer)> {
        let effects = desk.key(code);
        let orders = orders_of(&effects).into_iter();
        let answers = orders.filter_map(|(_, order)| {
            let Order::ForMysis {
                name,
                order: MysisOrder::Answer(given),
            } = order
            else {
                return None;
            };
            Some((name, given))
        });
        answers.collect()
    }

    fn accepted(values: Value) -> Vec<(String, GivenAnswer)> {
        let Value::Object(values) = values else {
            return Vec::new();
        };
        let given = GivenAnswer {
            question: Some(7),
            decision: Decision::Accept(AnswerValues(values)),
        };
        vec![("alpha".to_string(), given)]
    }

    #[test]
    fn a_key_writes_the_fields_and_the_line_becomes_the_answer_to_that_question() {
        let mut desk = desk();
        desk.types("A");
        let Some(Overlay::Palette(palette)) = desk.board.overlays().last() else {
            panic!("no palette");
        };
        assert_eq!(palette.field.text(), "answer alpha #7 ore= count=2 note=");
        // What is missing is told, and the line stays.
        assert_eq!(given(&mut desk, KeyCode::Enter), []);
        assert!(matches!(
            desk.board.overlays().last(),
            Some(Overlay::Palette(palette)) if palette.complaint.as_deref() == Some("ore: is required (a text)")
        ));
        desk.types("two words = more");
        desk.key(KeyCode::Home);
        for _ in "answer alpha #7 ore=".chars() {
            desk.key(KeyCode::Right);
        }
        desk.types("white gold");
        let values = json!({"ore": "white gold", "count": 2, "note": "two words = more"});
        assert_eq!(given(&mut desk, KeyCode::Enter), accepted(values));
        assert!(desk.board.overlays().is_empty());
    }

    #[test]
    fn an_answer_to_a_question_that_is_over_is_refused() {
        let mut desk = desk();
        let result = desk.board.run_command("answer alpha #6 ore=iron");
        let now = "question #6 is over; its server now asks #7: Which ore?";
        assert_eq!(result, Err(now.to_string()));
        let result = desk.board.run_command("answer alpha #x ore=iron");
        assert_eq!(
            result,
            Err("a number of a question is such as #7".to_string())
        );
        desk.types(":answer alpha #7 ore=a note=1+1=");
        let values = json!({"ore": "a", "count": 2, "note": "1+1="});
        assert_eq!(given(&mut desk, KeyCode::Enter), accepted(values));
    }

    #[test]
    fn a_question_is_declined_and_who_is_asked_nothing_is_told_so() {
        let mut desk = desk();
        desk.types(":decline alpha");
        let declined = given(&mut desk, KeyCode::Enter);
        assert_eq!(declined[0].1.decision, Decision::Decline);
        for line in ["decline bravo", "answer bravo a=1"] {
            let result = desk.board.run_command(line);
            assert_eq!(
                result,
                Err("its server has no open question".to_string()),
                "{line}"
            );
        }
        let result = desk.board.run_command("answer all ore=1");
        assert_eq!(result, Err("one Mysis at a time".to_string()));
        let result = desk.board.run_command("answer alpha ore=x count=10");
        assert_eq!(
            result,
            Err("count: must be a whole number up to 9".to_string())
        );
    }
}
