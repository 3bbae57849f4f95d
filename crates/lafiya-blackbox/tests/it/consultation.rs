//! A consultation in the web app as a browser without scripts sends it: forms are read from the
//! pages and sent with their fields. Nothing is asserted about the content.

use lafiya_blackbox::{Answer, Client, Server};

use crate::tenants::{member, signed_in};

/// Returns a browser in which a new member of the tenant is signed in.
#[track_caller]
pub(crate) fn browser_of(server: &Server, tenant: &str) -> Client {
    let name: String = tenant.chars().filter(char::is_ascii_alphanumeric).collect();
    signed_in(
        server,
        &member(server, tenant, &format!("ada@{name}.example")),
    )
}

/// A form of a page, with its fields as they stand.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    action: String,
    fields: Vec<(String, String)>,
}

impl Form {
    /// Reads the form that is sent to this path.
    #[track_caller]
    pub(crate) fn of(page: &Answer, action: &str) -> Self {
        let text = page.text();
        let start = format!("action=\"{action}\"");
        let (_, form) = text
            .split_once(&start)
            .unwrap_or_else(|| panic!("no form {action}:\n{text}"));
        let (form, _) = form.split_once("</form>").expect("the end of the form");
        Self {
            action: action.to_owned(),
            fields: fields_of(form),
        }
    }

    /// Returns the value of a field.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let mut named = self.fields.iter().filter(|(key, _)| key == name);
        named.next().map(|(_, value)| value.as_str())
    }

    /// Returns the same form with another value in a field.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(key, _)| key != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends the form.
    pub(crate) fn send(&self, browser: &Client) -> Answer {
        let pairs = self.fields.iter();
        let pairs = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        browser
            .request("POST", &self.action)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(pairs.collect::<Vec<_>>().join("&"))
            .send()
    }
}

/// Returns the fields that a browser would send.
fn fields_of(form: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut select = None;
    for part in form.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap_or((part, ""));
        let kind = tag.split_whitespace().next().unwrap_or_default();
        let value = || attribute(tag, "value").unwrap_or_default();
        match (kind, attribute(tag, "name")) {
            ("input", Some(name)) => {
                let chosen = matches!(
                    attribute(tag, "type").as_deref(),
                    Some("radio" | "checkbox")
                );
                if !chosen || tag.contains(" checked") {
                    fields.push((name, value()));
                }
            }
            ("textarea", Some(name)) => fields.push((name, unescaped(rest))),
            ("select", name) => select = name,
            ("option", _) => {
                if let Some(name) = &select {
                    let is_first = !fields.iter().any(|(key, _)| key == name);
                    if is_first || tag.contains(" selected") {
                        fields.retain(|(key, _)| key != name);
                        fields.push((name.clone(), value()));
                    }
                }
            }
            ("/select", _) => select = None,
            _ => {}
        }
    }
    fields
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    Some(unescaped(rest.split('"').next()?))
}

fn unescaped(text: &str) -> String {
    text.replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&")
}

fn encoded(text: &str) -> String {
    let bytes = text.bytes();
    let encoded = bytes.map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// A patient and a story, as typed on the first page.
pub(crate) struct Told<'a> {
    pub(crate) age: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) sex: &'a str,
    pub(crate) story: &'a str,
}

/// A woman of 30.
pub(crate) fn woman(story: &str) -> Told<'_> {
    Told {
        age: "30",
        unit: "years",
        sex: "female",
        story,
    }
}

/// A boy of 3.
pub(crate) fn boy(story: &str) -> Told<'_> {
    Told {
        age: "3",
        unit: "years",
        sex: "male",
        story,
    }
}

/// Tells a case and returns the page of what was understood.
#[track_caller]
pub(crate) fn understood(browser: &Client, told: &Told<'_>) -> Answer {
    let start = browser.get("/").expect(200);
    let form = Form::of(&start, "/")
        .with("age", told.age)
        .with("unit", told.unit)
        .with("sex", told.sex)
        .with("story", told.story);
    form.send(browser).expect(200)
}

/// Returns the form of what was understood, to be sent on.
#[track_caller]
pub(crate) fn review(browser: &Client, told: &Told<'_>) -> Form {
    let page = understood(browser, told);
    Form::of(&page, "/consult/confirm").with("action", "go")
}

/// Follows a redirect and returns the page.
#[track_caller]
pub(crate) fn followed(browser: &Client, answer: Answer) -> Answer {
    let answer = answer.expect(303);
    let place = answer.required_header("location").to_owned();
    browser.get(&place).expect(200)
}
