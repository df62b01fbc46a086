//! Models that are right now and then: what decides is asked twice, so that luck is not enough.

use super::*;

/// A model in front of a pilot that answers some questions as if others had been asked.
#[derive(Clone)]
struct Moody {
    pilot: String,
    http: reqwest::Client,
    /// A text in a request, and what the pilot reads in its place, for requests with more than so
    /// many messages.
    misread: (&'static str, &'static str),
    after: usize,
    asked: Arc<Mutex<usize>>,
}

impl Moody {
    async fn prove(misread: (&'static str, &'static str), after: usize) -> (ModelCheck, usize) {
        let behind = Served::pilot(pilot(&[])).await;
        let moody = Moody {
            pilot: behind.url.clone(),
            http: zoea_http::build_client().unwrap(),
            misread,
            after,
            asked: Arc::default(),
        };
        let app = axum::Router::new()
            .route("/v1/chat/completions", post(Moody::answer))
            .with_state(moody.clone());
        let served = Served::app(app).await;
        let check_result = prove_quietly(&target(&served.url)).await;
        let asked = *moody.asked.lock();
        (check_result, asked)
    }

    async fn answer(State(moody): State<Moody>, body: String) -> Response {
        *moody.asked.lock() += 1;
        let request: Value = serde_json::from_str(&body).expect("JSON");
        let (text, read) = moody.misread;
        let body = match messages(&request).len() > moody.after {
            true => body.replace(text, read),
            false => body,
        };
        let url = format!("{}/chat/completions", moody.pilot);
        let request = moody.http.post(url).body(body);
        let answer = request.send().await.expect("a pilot");
        let status = answer.status();
        (status, answer.bytes().await.expect("an answer")).into_response()
    }
}

#[tokio::test]
async fn a_model_that_calls_rightly_once_cannot_play() {
    let (check_result, asked) = Moody::prove(("B2-9", "K7-4"), 0).await;
    let expected = "its calls are right only sometimes: \"its arguments are not what";
    assert_why(&check_result, expected);
    assert!(remedy(&check_result).contains("a larger model"));
    assert_eq!((asked, detail(&check_result, "call").0), (2, Some(false)));
    // The other way round: wrong at first.
    let (check_result, asked) = Moody::prove(("K7-4", "B2-9"), 0).await;
    assert_why(&check_result, expected);
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn a_model_that_uses_a_result_once_cannot_play() {
    // Without the field the pilot finds no word in a long conversation.
    let (check_result, _) = Moody::prove(("\\\"code_word\\\"", "\\\"word\\\""), 9).await;
    let expected = "its calls are right only sometimes: \"it does not use a tool's result";
    assert_why(&check_result, expected);
    assert_eq!(detail(&check_result, "call").0, Some(true));
    assert_eq!(detail(&check_result, "result").0, Some(false));
    let (check_result, _) = Moody::prove(("\\\"code_word\\\"", "\\\"word\\\""), 0).await;
    let expected = "its calls are wrong: \"it does not use a tool's result";
    assert_why(&check_result, expected);
}
