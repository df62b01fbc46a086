//! Answers to the questions that servers ask during calls.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::order::MysisOrder;
use actors::domain::question::{
    AnswerValues, Decision, GivenAnswer, Question, read_line, typed_value,
};

use crate::dashboard::Dashboard;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::palette::CommandPalette;

impl Dashboard {
    fn question_of(&self, id: MysisId) -> Result<&Arc<Question>, String> {
        let member = self.roster.members().get(&id);
        let question = member.and_then(|member| member.status.activity.question());
        question.ok_or_else(|| "its server has no open question".to_string())
    }

    /// Opens the palette with an answer to the question of the target, to be completed.
    pub(in crate::dashboard) fn answer_target(&mut self) {
        let Some((id, name)) = self.target().map(|status| (status.id, status.name.clone())) else {
            return;
        };
        let line = match self.question_of(id) {
            Ok(question) => {
                let fields = question.fields().iter();
                let pairs = fields.map(|field| {
                    let default = field.default.as_ref().map(typed_value);
                    format!(" {}={}", field.name, default.unwrap_or_default())
                });
                let pairs: String = pairs.collect();
                // With its number, since the server may ask something else while this is typed.
                format!("answer {name} #{}{pairs}", question.number)
            }
            Err(why) => return self.show_notice(&why),
        };
        self.open_palette_with(&line);
    }

    /// Opens the palette with the command to raise the budget. The amount has to be typed.
    pub(in crate::dashboard) fn ask_for_budget(&mut self) {
        self.open_palette_with("budget ");
    }

    fn open_palette_with(&mut self, line: &str) {
        let known = self.completion_sources();
        let mut palette = CommandPalette::new(&known);
        palette.paste(line, &known);
        self.overlays.push(Overlay::Palette(Box::new(palette)));
    }

    /// Gives the answer to the question of a Mysis' server that is open now: values such as
    /// `#7 ore=iron count=3`. With a number it answers that question and no other one.
    pub(in crate::dashboard) fn answer(&mut self, id: MysisId, text: &str) -> Result<(), String> {
        let question = self.question_of(id)?;
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
        let values = question.check(&values)?;
        let number = question.number;
        self.decide(id, number, Decision::Accept(values));
        Ok(())
    }

    /// Declines the question of a Mysis' server that is open now.
    pub(in crate::dashboard) fn decline(&mut self, id: MysisId) -> Result<(), String> {
        let number = self.question_of(id)?.number;
        self.decide(id, number, Decision::Decline);
        Ok(())
    }

    fn decide(&mut self, id: MysisId, number: u64, decision: Decision) {
        let question = Some(number);
        let order = MysisOrder::Answer(GivenAnswer { question, decision });
        self.order_myses("answer", &[id], &order);
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::event::{Activity, MysisStatus};
    use actors::domain::order::Order;
    use actors::domain::state::LifeState;
    use crossterm::event::KeyCode;
    use serde_json::{Value, json};

    use super::*;
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
        let told = desk.board.run_command("answer alpha #6 ore=iron");
        let now = "question #6 is over; its server now asks #7: Which ore?";
        assert_eq!(told, Err(now.to_string()));
        let told = desk.board.run_command("answer alpha #x ore=iron");
        assert_eq!(
            told,
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
            let told = desk.board.run_command(line);
            assert_eq!(
                told,
                Err("its server has no open question".to_string()),
                "{line}"
            );
        }
        let told = desk.board.run_command("answer all ore=1");
        assert_eq!(told, Err("one Mysis at a time".to_string()));
        let told = desk.board.run_command("answer alpha ore=x count=10");
        assert_eq!(
            told,
            Err("count: must be a whole number up to 9".to_string())
        );
    }
}
