//! Tests of each key's rule: values that break it, and the messages about them.

use super::*;

/// Each line `allowed:` is followed by settings that break that rule and by the expected words.
const BROKEN_RULES: &str = r#"
allowed: a whole number from 1 to 10000
swarm: max_myses = 0 => 0
swarm: max_myses = 10001 => 10001
swarm: max_myses = -1 => -1
swarm: max_myses = "16" => "16"
swarm: max_myses = 1.5 => 1.5
swarm: max_myses = 99999999999999999999999999999999999999999 => 99999999999999999999999999999999999999999
allowed: "local"
swarm: default_provider = "lcoal" => "lcoal", which names no provider
allowed: a duration such as 500ms, 2s, 5m or 1h30m, at most 365days
swarm: turn_pause = "2 parsecs" => "2 parsecs"
swarm: turn_pause = 2 => 2
swarm: turn_pause = "366d" => "366d"
allowed: a whole number from 1 to 100
swarm: max_tool_iterations = 0 => 0
swarm: max_tool_iterations = 101 => 101
allowed: a whole number from 1 to 1000
swarm: context_window = 0 => 0
swarm: context_window = 1001 => 1001
swarm: no_progress_turns = 0 => 0
allowed: a size such as 64KiB, 1MiB or a number of bytes, from 8KiB to 16MiB
swarm: context_budget = 8191 => 8191
swarm: context_budget = "17MiB" => "17MiB"
swarm: context_budget = "64kb" => "64kb"
swarm: context_budget = -1 => -1
allowed: a list of 1 to 20 items, each a text that is not empty
swarm: nudges = [] => a list of 0
swarm: nudges = "go" => "go"
swarm: nudges = ["", "go", 3] => a list in which item 1 is "" and item 3 is 3
allowed: 1 to 32 letters, digits, -, _ or ., not beginning with - or .
swarm: default_role = "a b" => "a b"
allowed: a text of 1 to 16,384 bytes
roles.miner: prompt = " " => " "
allowed: a list of 0 to 20 items, each 1 to 32 letters, digits, -, _ or ., not beginning with - or .
roles.miner: routines = ["../x"] => a list in which item 1 is "../x"
allowed: a whole number from 1 to 3
roles.miner: tier = 4 => 4
providers.local: tier = 0 => 0
allowed: a tier beside it
roles.miner: max_tier = 2 => given without a tier
allowed: a model of the role's provider
roles.miner: model = "m" => given without a provider
allowed: an http or https URL to which /chat/completions can be appended
providers.local: endpoint = "ftp://h/v1" => "ftp://h/v1"
providers.local: endpoint = "127.0.0.1:11434" => "127.0.0.1:11434"
providers.local: endpoint = "http://h/v1 x" => "http://h/v1 x"
providers.local: endpoint = "http://h/v1<x>" => "http://h/v1<x>"
providers.local: endpoint = "http://h/v1#a" => "http://h/v1" with a query or a fragment (not shown here)
providers.local: endpoint = "http://" => "http://"
providers.local: endpoint = "" => ""
providers.local: endpoint = "http://h/v1?key=sk-secret" => "http://h/v1" with a query or a fragment (not shown here)
providers.local: endpoint = "htp://h/v1?key=sk-secret" => "htp://h/v1" with a query or a fragment (not shown here)
providers.local: endpoint = "http://h/chat/completions/" => "http://h/chat/completions/", to which /chat/completions would be appended again
providers.local: endpoint = "http://u:secret@h/v1" => a URL with a user name or password in it (not shown here)
providers.local: endpoint = "u:secret@h/v1" => no such URL (not shown here)
allowed: "openai" or "ollama"
providers.local: kind = "openAI" => "openAI"
allowed: a text that is not empty
providers.local: model = " " => " "
providers.local: api_key_name = "" => ""
allowed: a number from 0 to 2
providers.local: temperature = 2.1 => 2.1
providers.local: temperature = -1 => -1
providers.local: temperature = nan => nan
providers.local: temperature = true => true
allowed: the name of an environment variable, such as OPENAI_API_KEY (a key itself never stands in this file)
providers.local: api_key_env = "sk-abc" => a text that is not shown here
providers.local: api_key_env = 12345 => a number
allowed: a number from 0 to 0.75
providers.local: history_share = 0.8 => 0.8
allowed: a whole number from 1 to 1000000
providers.local: max_concurrency = 0 => 0
providers.local: requests_per_minute = 0 => 0
providers.local: requests_per_minute = 4294967296 => 4294967296
mcp: logins_per_minute = 0 => 0
allowed: a length of time such as 1h or 6h, from 10m to 7days
value: window = "5m" => "5m"
allowed: a whole number, 1 or more
value: park_below = 0 => 0
providers.local: context_tokens = 0 => 0
budget: tokens_per_mysis_per_day = 0 => 0
allowed: a list of 0 to 100 items, each a duration such as 500ms, 2s, 5m or 1h30m, at most 365days
providers.local: retry = ["5"] => a list in which item 1 is "5"
mcp: retry = "2s" => "2s"
allowed: leaving it out, because there is no other provider
providers.local: fallback = "local" => "local", which names no other provider
allowed: a table
providers.local: price = 1 => 1
allowed: a duration such as 500ms, 2s, 5m or 1h30m, above 0s, at most 365days
providers.local: timeout = "0s" => "0s"
mcp: tool_timeout = "0s" => "0s"
supervision: within = "0s" => "0s"
allowed: an http or https URL, "offline" for the built-in game, or "" for no server
mcp: upstream = "spacemolt" => "spacemolt"
mcp: upstream = "game.example/mcp?key=sk-secret" => "game.example/mcp" with a query or a fragment (not shown here)
allowed: "manual", "transient" or "always"
supervision: relaunch = "sometimes" => "sometimes"
allowed: a list of exactly 2 items, each a duration such as 500ms, 2s, 5m or 1h30m, above 0s, at most 365days
supervision: backoff = ["1s"] => a list of 1
supervision: backoff = ["0s", "1s"] => a list in which item 1 is "0s"
allowed: the first wait, then the longest
supervision: backoff = ["2s", "1s"] => a list whose first wait is longer than its second
allowed: a whole number from 0 to 1000000
supervision: max_relaunches = -1 => -1
allowed: a number above 0, or "unlimited"
budget: usd_per_day = 0 => 0
budget: usd_per_day = inf => inf
allowed: a loopback address and a port, such as 127.0.0.1:0 or [::1]:0
control: listen = "0.0.0.0:0" => "0.0.0.0:0"
control: listen = "localhost:0" => "localhost:0"
allowed: an IP address and a port, such as 127.0.0.1:9464
metrics: listen = "9464" => "9464"
allowed: a loopback address such as 127.0.0.1:9464, or any with metrics.allow_remote = true: whoever reaches it reads names, tokens and costs without a password
metrics: listen = "0.0.0.0:9464" => 0.0.0.0:9464, which other machines reach
allowed: "md" or "html"
reports: daily = "pdf" => "pdf"
allowed: an http or https URL (the present value is not shown)
alerts: webhook = "hooks.test/secret" => a text that is not shown here
allowed: true or false
traces: contents = 1 => 1
allowed: "protobuf" or "json"
traces: protocol = "grpc" => "grpc"
allowed: "gzip" or "none"
traces: compression = true => true
allowed: an http or https URL
traces: endpoint = "collector" => "collector"
traces: endpoint = "https://collector/#key=sk-secret" => "https://collector/" with a query or a fragment (not shown here)
allowed: a URL postgres://user:password@host:port/database
store: database_url = "mysql://u:secret@h" => a text that is not shown here
store: database_url = "sqlite:zoea.db" => a text that is not shown here
allowed: "forever", or a length of time such as 30d or 12h, above 0s, at most 365days
store: keep = "never" => "never"
store: keep = "0s" => "0s"
allowed: a whole number, 0 or more
store: keep_rows = -1 => -1
allowed: 1 to 32 letters, digits, -, _ or ., not beginning with - or .
[myses]: name = "-a" => "-a"
[myses]: name = ".a" => ".a"
[myses]: name = "" => ""
[myses]: name = "a b" => "a b"
[myses]: name = "aaaaaaaaaabbbbbbbbbbccccccccccddd" => "aaaaaaaaaabbbbbbbbbbccccccccccddd"
"#;

#[test]
fn each_rule_says_what_is_wrong_and_what_is_allowed() {
    let mut rule = "";
    for row in BROKEN_RULES.lines().filter(|row| !row.is_empty()) {
        if row.starts_with("allowed: ") {
            rule = row;
            continue;
        }
        let (section, rest) = row.split_once(": ").unwrap();
        let (setting, found) = rest.split_once(" => ").unwrap();
        let (key, _) = setting.split_once(' ').unwrap();
        let path = section.replace("[myses]", "myses[1]");
        let column = setting.find("= ").unwrap() + 3;
        let expected = format!("z:2:{column}: {path}.{key} is {found}; {rule}");
        assert_eq!(parse(&format!("[{section}]\n{setting}\n")), Err(expected));
    }
}
