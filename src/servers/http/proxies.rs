//! Proxies: which requests go through one, and which variable of the environment says so.
//!
//! The variables hold as in curl and reqwest, except that no request to this machine goes through a
//! proxy: such a request holds the token of the control interface or the passwords of a game.

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{ClientBuilder, NoProxy, Proxy, Url};

/// The hosts that are this machine, in the form of NO_PROXY.
const THIS_MACHINE: &str = "localhost,localhost.,localhost.localdomain,ip6-localhost,ip6-loopback,\
                            127.0.0.0/8,0.0.0.0,::1,::,::ffff:7f00:0/104";
/// An address at which no server can listen. Requests for a proxy that cannot be used go there, so that
/// none of them reaches its server directly.
const NOWHERE: &str = "http://127.0.0.1:0/";
/// What a web server sets for a program that it runs. A client may set HTTP_PROXY there by a header, so
/// no variable holds then.
const WEB_SERVER_VARIABLE: &str = "REQUEST_METHOD";

pub struct Proxies {
    http: Option<NamedProxy>,
    https: Option<NamedProxy>,
    /// The hosts that are reached directly, in the form of NO_PROXY.
    direct: String,
    /// Intercepts every request but those to these hosts.
    matcher: Matcher,
    /// The variables that are set and do not hold, because a web server runs this program.
    ignored: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub struct NamedProxy {
    variable: &'static str,
    address: Result<Url, ProxyFault>,
}

/// Why a proxy cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ProxyFault {
    /// Another kind of proxy, by its scheme.
    Kind(String),
    /// The value is no address.
    Malformed,
}

impl Proxies {
    pub fn of_process() -> Proxies {
        #[expect(
            clippy::disallowed_methods,
            reason = "the client reads these variables from the process itself; they are no setting of ours"
        )]
        Proxies::of(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// Those of an environment. `value_of` gives the value of a variable that is set.
    pub fn of(value_of: impl Fn(&str) -> Option<String>) -> Proxies {
        let first = |names: [&'static str; 2]| {
            let set = names
                .into_iter()
                .find_map(|name| Some((name, value_of(name)?)));
            set.filter(|(_, value)| !value.trim().is_empty())
        };
        let [http, https, all] = [
            ["HTTP_PROXY", "http_proxy"],
            ["HTTPS_PROXY", "https_proxy"],
            ["ALL_PROXY", "all_proxy"],
        ]
        .map(first);
        let is_of_web_server = value_of(WEB_SERVER_VARIABLE).is_some();
        let mut ignored: Vec<&str> = [&http, &https, &all]
            .into_iter()
            .flatten()
            .map(|(name, _)| *name)
            .collect();
        if !is_of_web_server {
            ignored.clear();
        }
        let choose = |own: Option<(&'static str, String)>| {
            let (variable, value) = own.or_else(|| all.clone()).filter(|_| !is_of_web_server)?;
            let address = read_address(&value);
            Some(NamedProxy { variable, address })
        };
        let direct = ["NO_PROXY", "no_proxy"].into_iter().find_map(&value_of);
        let direct = format!("{},{THIS_MACHINE}", direct.unwrap_or_default());
        Proxies {
            http: choose(http),
            https: choose(https),
            matcher: Matcher::builder()
                .all(NOWHERE.to_owned())
                .no(&direct)
                .build(),
            direct,
            ignored,
        }
    }

    /// The proxy that requests to this address go through; `None` if they go there directly.
    pub fn proxy_of(&self, url: &Url) -> Option<&NamedProxy> {
        let proxy = match url.scheme() {
            "http" => self.http.as_ref(),
            "https" => self.https.as_ref(),
            _ => None,
        }?;
        let origin: Uri = url.origin().ascii_serialization().parse().ok()?;
        self.matcher.intercept(&origin).map(|_| proxy)
    }

    /// What is wrong with the variables themselves, whether or not a request needs them.
    pub fn troubles(&self) -> impl Iterator<Item = String> {
        let mut troubles: Vec<String> = [&self.http, &self.https]
            .into_iter()
            .flatten()
            .filter_map(NamedProxy::trouble)
            .collect();
        troubles.dedup();
        let ignored = (!self.ignored.is_empty()).then(|| {
            format!(
                "{} set and ignored, because {WEB_SERVER_VARIABLE} is set, too: a web server would run \
                 this program; unset it if none does",
                are_listed(&self.ignored)
            )
        });
        troubles.into_iter().chain(ignored)
    }

    /// A client that uses these proxies and no others.
    pub(crate) fn install(&self, builder: ClientBuilder) -> Result<ClientBuilder, reqwest::Error> {
        let direct = || NoProxy::from_string(&self.direct);
        let mut builder = builder.no_proxy();
        if let Some(proxy) = &self.http {
            builder = builder.proxy(Proxy::http(proxy.target())?.no_proxy(direct()));
        }
        if let Some(proxy) = &self.https {
            builder = builder.proxy(Proxy::https(proxy.target())?.no_proxy(direct()));
        }
        Ok(builder)
    }
}

impl NamedProxy {
    pub fn variable(&self) -> &'static str {
        self.variable
    }

    /// Its address without a password; `None` if it cannot be used.
    pub fn shown_address(&self) -> Option<String> {
        let address = self.address.as_ref().ok()?;
        Some(address.origin().ascii_serialization())
    }

    /// Why it cannot be used, and what helps; `None` if it can. The value may hold a password, so it is
    /// not shown.
    pub fn trouble(&self) -> Option<String> {
        let variable = self.variable;
        let what = match self.address.as_ref().err()? {
            ProxyFault::Kind(scheme) => format!("{variable} names a {scheme} proxy"),
            ProxyFault::Malformed => format!("{variable} does not hold the address of a proxy"),
        };
        Some(format!(
            "{what}, and zoea can use HTTP proxies only; set {variable} to http://HOST:PORT, unset it, or \
             add the server's host to NO_PROXY"
        ))
    }

    fn target(&self) -> &str {
        self.address.as_ref().map_or(NOWHERE, Url::as_str)
    }
}

pub fn is_on_this_machine(url: &Url) -> bool {
    let to_all = |name: &str| (name == "ALL_PROXY").then(|| NOWHERE.to_owned());
    Proxies::of(to_all).proxy_of(url).is_none()
}

/// The address of a proxy. Without a scheme it is one of HTTP.
fn read_address(value: &str) -> Result<Url, ProxyFault> {
    let value = value.trim();
    let (scheme, whole) = match value.split_once("://") {
        Some((scheme, _)) => (scheme.to_ascii_lowercase(), value.to_owned()),
        None => ("http".to_owned(), format!("http://{value}")),
    };
    if scheme.starts_with("socks") && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(ProxyFault::Kind(scheme));
    }
    let url = Url::parse(&whole).map_err(|_| ProxyFault::Malformed)?;
    let is_usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    is_usable.then_some(url).ok_or(ProxyFault::Malformed)
}

fn are_listed(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Proxies {
        Proxies::of(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn variable_of(proxies: &Proxies, url: &str) -> Option<&'static str> {
        let url = Url::parse(url).expect("an address");
        proxies.proxy_of(&url).map(NamedProxy::variable)
    }

    /// Every way to write this machine.
    const LOCAL: [&str; 13] = [
        "127.0.0.1",
        "127.0.0.1:8080",
        "127.1",
        "127.8.9.1",
        "0x7f000001",
        "localhost",
        "LOCALHOST:9",
        "localhost.",
        "model.localhost",
        "0.0.0.0:80",
        "[::1]:11434",
        "[::]",
        "[::ffff:127.0.0.1]:80",
    ];

    #[test]
    fn no_request_to_this_machine_goes_through_a_proxy_whatever_the_variables_say() {
        for variable in [
            "HTTP_PROXY",
            "http_proxy",
            "ALL_PROXY",
            "all_proxy",
            "HTTPS_PROXY",
            "https_proxy",
        ] {
            for direct in [None, Some(""), Some("example.org"), Some("*.other")] {
                let direct = direct.map(|value| ("NO_PROXY", value));
                let variables: Vec<_> = direct
                    .into_iter()
                    .chain([(variable, "http://p:3128")])
                    .collect();
                let proxies = of(&variables);
                for host in LOCAL {
                    for scheme in ["http", "https"] {
                        let url = format!("{scheme}://{host}/v1");
                        assert_eq!(variable_of(&proxies, &url), None, "{variable} {url}");
                    }
                }
            }
        }
        for host in LOCAL {
            assert!(
                is_on_this_machine(&Url::parse(&format!("http://{host}/")).unwrap()),
                "{host}"
            );
        }
        for other in [
            "http://localhost.example.org",
            "http://128.0.0.1",
            "http://notlocalhost",
            "http://[2001:db8::1]",
        ] {
            assert!(!is_on_this_machine(&Url::parse(other).unwrap()), "{other}");
        }
    }

    #[test]
    fn for_other_servers_the_variables_hold() {
        let both = of(&[
            ("HTTP_PROXY", "p:1"),
            ("HTTPS_PROXY", "http://q:2"),
            ("ALL_PROXY", "http://r:3"),
        ]);
        assert_eq!(
            variable_of(&both, "http://model.example/v1"),
            Some("HTTP_PROXY")
        );
        assert_eq!(
            variable_of(&both, "https://model.example/v1"),
            Some("HTTPS_PROXY")
        );
        let all = of(&[("all_proxy", "http://r:3"), ("HTTP_PROXY", "")]);
        assert_eq!(variable_of(&all, "http://model.example"), Some("all_proxy"));
        assert_eq!(
            variable_of(&of(&[("https_proxy", "q")]), "http://model.example"),
            None
        );
        // The upper case goes first, even if it is empty.
        let upper = of(&[("HTTP_PROXY", ""), ("http_proxy", "http://p:1")]);
        assert_eq!(variable_of(&upper, "http://model.example"), None);
        let spared = of(&[
            ("ALL_PROXY", "http://r:3"),
            ("NO_PROXY", ".example, 10.0.0.0/8"),
        ]);
        assert_eq!(variable_of(&spared, "http://model.example/v1"), None);
        assert_eq!(variable_of(&spared, "https://10.1.2.3/v1"), None);
        assert_eq!(
            variable_of(&spared, "http://model.other/v1"),
            Some("ALL_PROXY")
        );
        assert_eq!(
            variable_of(
                &of(&[("ALL_PROXY", "r"), ("NO_PROXY", "*")]),
                "http://model.other"
            ),
            None
        );
    }

    #[test]
    fn a_proxy_is_shown_without_its_password() {
        let proxies = of(&[(
            "HTTP_PROXY",
            "http://user:hunter2@proxy.example:3128/path?hunter2",
        )]);
        let url = Url::parse("http://model.example").unwrap();
        let proxy = proxies.proxy_of(&url).expect("a proxy");
        assert_eq!(
            proxy.shown_address().as_deref(),
            Some("http://proxy.example:3128")
        );
        assert_eq!(proxy.trouble(), None);
        assert_eq!(proxies.troubles().count(), 0);
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_words_and_nothing_goes_around_it() {
        let no_address = "ALL_PROXY does not hold the address of a proxy";
        for (value, said) in [
            (
                "socks5://user:hunter2@p:1080",
                "ALL_PROXY names a socks5 proxy",
            ),
            ("SOCKS5H://p", "ALL_PROXY names a socks5h proxy"),
            ("socks4a://p:1", "ALL_PROXY names a socks4a proxy"),
            ("ftp://hunter2@p", no_address),
            ("http://p:notaport", no_address),
            ("http://", no_address),
            ("two words", no_address),
        ] {
            let proxies = of(&[("ALL_PROXY", value)]);
            let troubles: Vec<String> = proxies.troubles().collect();
            assert_eq!(troubles.len(), 1, "{troubles:?}");
            assert!(troubles[0].starts_with(said), "{value}: {}", troubles[0]);
            assert!(
                troubles[0].contains("NO_PROXY") && !troubles[0].contains("hunter2"),
                "{troubles:?}"
            );
            let url = Url::parse("https://model.example").unwrap();
            let proxy = proxies.proxy_of(&url).expect("a proxy");
            assert_eq!((proxy.shown_address(), proxy.target()), (None, NOWHERE));
        }
    }

    #[test]
    fn where_a_web_server_runs_the_program_no_variable_holds_and_that_is_told() {
        let proxies = of(&[
            ("REQUEST_METHOD", "GET"),
            ("http_proxy", "http://p:1"),
            ("ALL_PROXY", "socks5://q"),
        ]);
        assert_eq!(variable_of(&proxies, "http://model.example"), None);
        let troubles: Vec<String> = proxies.troubles().collect();
        assert_eq!(troubles.len(), 1);
        assert!(
            troubles[0].starts_with("http_proxy and ALL_PROXY are set and ignored"),
            "{troubles:?}"
        );
        assert_eq!(of(&[("REQUEST_METHOD", "GET")]).troubles().count(), 0);
    }

    #[tokio::test]
    async fn a_request_for_a_proxy_that_cannot_be_used_goes_nowhere() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let proxies = of(&[("HTTP_PROXY", "socks5://127.0.0.1:1")]);
        let client = proxies
            .install(reqwest::Client::builder())
            .unwrap()
            .build()
            .unwrap();
        let failed = client
            .get("http://model.invalid/")
            .send()
            .await
            .unwrap_err();
        assert!(failed.is_connect(), "{failed:?}");
    }
}
