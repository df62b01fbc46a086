//! Tiers: which provider a turn asks because of them, what is told and stored of that, and when nothing
//! changes.

use super::*;
use crate::role::{RoleBook, RoleRules, TierRange};
use crate::rules::ProviderTier;

fn provider(model: &str, tier: u8, place: usize) -> ProviderRules {
    ProviderRules {
        model: model.into(),
        tier: Some(ProviderTier { tier, place }),
        ..ProviderRules::default()
    }
}

/// Two cheap providers and a dear one, and a role that may use all of them.
fn rules_with_tiers() -> SwarmRules {
    let mut rules = rules();
    rules.max_model_calls = 9;
    rules.providers.extend([
        ("a-cheap".into(), provider("small", 1, 2)),
        ("cheap".into(), provider("tiny", 1, 1)),
        ("dear".into(), provider("large", 3, 3)),
    ]);
    let tiers = Some(TierRange {
        lowest: 1,
        highest: 3,
    });
    let role = RoleRules {
        tiers,
        ..RoleRules::default()
    };
    rules.roles = Arc::new(RoleBook {
        roles: [("player".into(), Arc::new(role))].into(),
        default: Some("player".into()),
        ..RoleBook::default()
    });
    rules
}

fn scene(history: StoredHistory) -> Scene {
    Scene::of(RestoreArgs {
        rules: Arc::new(rules_with_tiers()),
        mission: Some(mission("mine")),
        recollection: history,
        ..past()
    })
}

fn routes(scene: &Scene) -> Vec<&str> {
    let routes = scene.asked().routes.iter();
    routes.map(|route| &*route.provider).collect()
}

/// A turn in which so many calls fail, and one is made.
fn turn(scene: &mut Scene, failed: usize, is_done: bool) {
    for _ in 0..failed {
        scene.want(&[("mine", "{}")]);
        scene.leave();
        let work = scene.call().work;
        scene.handle(LifeInput::Returned {
            work,
            outcome: outcome("no", CallStatus::Failed),
        });
    }
    if is_done {
        scene.want(&[("mine", "{}")]);
        scene.leave();
        scene.give_back("ore");
    }
    scene.say("hm");
    scene.ring();
}

fn notices(scene: &Scene) -> Vec<String> {
    let rows = scene.rows();
    let notices = rows
        .iter()
        .filter(|row| row.host().is_some_and(|meta| &*meta.code == "tier"));
    notices.map(|row| row.text().to_string()).collect()
}

#[test]
fn it_begins_at_the_first_cheap_provider_and_the_others_of_its_tier_follow() {
    let mut scene = scene(StoredHistory::default());
    assert_eq!(
        &*scene.life.status().profile.provider,
        "cheap",
        "before its first turn"
    );
    scene.prompt("go");
    assert_eq!(routes(&scene), ["cheap", "a-cheap"]);
    assert_eq!(&*scene.asked().routes[1].model, "small");
    assert_eq!(notices(&scene), ["tier 1 (cheap): its role begins there"]);
}

#[test]
fn a_failed_plan_leads_up_at_the_next_turn_and_a_new_life_stays_there() {
    let mut scene = scene(StoredHistory::default());
    scene.prompt("go");
    turn(&mut scene, 0, true);
    turn(&mut scene, 0, true);
    assert_eq!(routes(&scene), ["cheap", "a-cheap"]);
    turn(&mut scene, 3, true);
    assert_eq!(routes(&scene), ["dear"]);
    assert_eq!(
        notices(&scene)[1],
        "tier 3 (dear): 3 calls of a turn failed"
    );
    let place = scene.life.status().tier.expect("a tier");
    assert_eq!((place.tier, place.since), (3, TurnNumber(4)));
    let stored = StoredHistory {
        memos: scene
            .memo_of(MemoKind::Tier)
            .map(|memo| (MemoKind::Tier, memo))
            .into_iter()
            .collect(),
        ..StoredHistory::default()
    };
    let next = self::scene(stored);
    assert_eq!(next.life.status().tier, Some(place));
    assert_eq!(&*next.life.status().profile.provider, "dear");
    for _ in 0..4 {
        turn(&mut scene, 0, true);
    }
    assert_eq!(routes(&scene), ["cheap", "a-cheap"]);
    assert_eq!(notices(&scene)[2], "tier 1 (cheap): 4 turns with success");
}

#[test]
fn a_budget_that_is_nearly_spent_keeps_it_at_the_cheap_provider() {
    let mut scene = scene(StoredHistory::default());
    scene.prompt("go");
    scene.handle(LifeInput::Spent(80));
    for _ in 0..4 {
        turn(&mut scene, 3, true);
    }
    assert_eq!(routes(&scene)[0], "cheap");
    scene.handle(LifeInput::Spent(10));
    turn(&mut scene, 3, true);
    assert_eq!(routes(&scene), ["dear"]);
}

#[test]
fn a_provider_of_its_own_ends_the_tiers() {
    let mut scene = scene(StoredHistory::default());
    scene.prompt("go");
    scene.order(MysisOrder::configure(
        Some("local".into()),
        None,
        None,
        None,
    ));
    turn(&mut scene, 3, true);
    assert_eq!(routes(&scene), ["local"]);
    assert_eq!(scene.life.status().tier, None);
    assert!(
        scene
            .memo_of(MemoKind::Tier)
            .is_some_and(|memo| memo.contains(r#""tier":null"#))
    );
}

#[test]
fn where_no_provider_has_a_tier_nothing_changes() {
    let mut rules = rules_with_tiers();
    for provider in rules.providers.values_mut() {
        provider.tier = None;
    }
    let mut scene = Scene::under(rules);
    scene.prompt("go");
    turn(&mut scene, 3, true);
    assert_eq!(routes(&scene), ["local"]);
    assert_eq!(
        (notices(&scene).len(), scene.memo_of(MemoKind::Tier)),
        (0, None)
    );
}
