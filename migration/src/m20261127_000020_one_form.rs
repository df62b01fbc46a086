//! One form of what is stored: what builds of before wrote in another one is written anew.
//!
//! - A reply says up to where the model had seen; it said nothing, which meant all rows before it.
//! - A result's metadata do not repeat the size of its text.
//! - A working set is the list of its names; it was an object with a mark for each that is offered.
//! - The watch on progress keeps a list of states, and says when it was written; it kept one state, without a time.
//! - A routine that runs names what a step is still to be made for `due`; it named that `goods`.

use crate::step::{Step, by_place};

pub(crate) const STEP: Step = Step {
    name: "m20261127_000020_one_form",
    statements: |backend| {
        let memos = by_place(backend, &IN_A_FILE[..], &ON_A_SERVER);
        [&[SEEN_UP_TO][..], memos].concat()
    },
    ..Step::EMPTY
};

const SEEN_UP_TO: &str =
    "UPDATE message SET horizon = seq WHERE kind IN ('reply', 'call') AND horizon IS NULL";

/// A text that is no JSON stays as it is.
const IN_A_FILE: [&str; 7] = [
    "UPDATE message SET metadata = json_remove(metadata, '$.bytes') WHERE kind = 'result' \
     AND CASE WHEN json_valid(metadata) THEN json_type(metadata, '$.bytes') END IS NOT NULL",
    "UPDATE mysis SET working_set = (SELECT json_group_array(key) FROM json_each(working_set) \
     WHERE CASE type WHEN 'object' THEN json_extract(value, '$.offered') END) \
     WHERE CASE WHEN json_valid(working_set) THEN json_type(working_set) END = 'object'",
    "UPDATE watch SET memo = json_set(memo, '$.missions', json_array(json_extract(memo, '$.missions'))) \
     WHERE CASE WHEN json_valid(memo) THEN json_type(memo, '$.missions') END = 'integer'",
    "UPDATE watch SET memo = json_set(memo, '$.ship', json_array(json_extract(memo, '$.ship'))) \
     WHERE CASE WHEN json_valid(memo) THEN json_type(memo, '$.ship') END = 'integer'",
    "UPDATE watch SET memo = json_set(memo, '$.at', max(coalesce(json_extract(memo, '$.since'), 0), \
     coalesce(json_extract(memo, '$.taken[1]'), 0))) \
     WHERE CASE WHEN json_valid(memo) THEN json_type(memo, '$.at') IS NULL ELSE 0 END",
    "UPDATE routine SET memo = json_remove(json_set(memo, '$.run.due', json_extract(memo, '$.run.goods')), \
     '$.run.goods') WHERE CASE WHEN json_valid(memo) THEN json_type(memo, '$.run.goods') END = 'array'",
    "UPDATE routine SET memo = json_remove(json_set(memo, '$.paused.due', json_extract(memo, '$.paused.goods')), \
     '$.paused.goods') WHERE CASE WHEN json_valid(memo) THEN json_type(memo, '$.paused.goods') END = 'array'",
];

const ON_A_SERVER: [&str; 7] = [
    "UPDATE message SET metadata = (metadata::jsonb - 'bytes')::text WHERE kind = 'result' \
     AND CASE WHEN metadata LIKE '{%}' THEN metadata::json->'bytes' IS NOT NULL END",
    "UPDATE mysis SET working_set = (SELECT coalesce(jsonb_agg(key ORDER BY key), '[]')::text \
     FROM jsonb_each(working_set::jsonb) WHERE value->'offered' = 'true') WHERE working_set LIKE '{%}'",
    "UPDATE watch SET memo = jsonb_set(memo::jsonb, '{missions}', jsonb_build_array(memo::jsonb->'missions'))::text \
     WHERE CASE WHEN memo LIKE '{%}' THEN json_typeof(memo::json->'missions') = 'number' END",
    "UPDATE watch SET memo = jsonb_set(memo::jsonb, '{ship}', jsonb_build_array(memo::jsonb->'ship'))::text \
     WHERE CASE WHEN memo LIKE '{%}' THEN json_typeof(memo::json->'ship') = 'number' END",
    "UPDATE watch SET memo = jsonb_set(memo::jsonb, '{at}', to_jsonb(greatest((memo::json->>'since')::bigint, \
     (memo::json->'taken'->>1)::bigint, 0)))::text \
     WHERE CASE WHEN memo LIKE '{%}' THEN memo::json->'at' IS NULL END",
    "UPDATE routine SET memo = jsonb_set(memo::jsonb #- '{run,goods}', '{run,due}', memo::jsonb#>'{run,goods}')::text \
     WHERE CASE WHEN memo LIKE '{%}' THEN json_typeof(memo::json#>'{run,goods}') = 'array' END",
    "UPDATE routine SET memo = jsonb_set(memo::jsonb #- '{paused,goods}', '{paused,due}', memo::jsonb#>'{paused,goods}')::text \
     WHERE CASE WHEN memo LIKE '{%}' THEN json_typeof(memo::json#>'{paused,goods}') = 'array' END",
];
