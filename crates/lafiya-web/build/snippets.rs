//! Code samples of a request in four languages, generated from one source, so that the page shows
//! what its button sends.

use std::fmt::Write as _;

/// A request that a page can send to the sandbox, from a code fence such as `json run POST
/// /v1/assess`.
pub(crate) struct Example {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: String,
}

/// The base URL of the examples; the page replaces it with the installation's own.
const BASE: &str = "http://127.0.0.1:8080";

impl Example {
    /// Parses a code fence as an example, if it is one. Panics, and so fails the build, if one of
    /// the languages cannot contain the body unchanged.
    pub(crate) fn of(info: &str, body: &str) -> Option<Self> {
        let words: Vec<&str> = info.split_whitespace().collect();
        let ["json", "run", method, path] = words[..] else {
            return None;
        };
        for foreign in ["'", "true", "false", "null"] {
            assert!(
                !body.contains(foreign),
                "an example of {path} holds {foreign}"
            );
        }
        Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            body: body.trim().to_owned(),
        })
    }

    pub(crate) fn content_type(&self) -> &'static str {
        if self.path.contains("/fhir/") {
            "application/fhir+json"
        } else {
            "application/json"
        }
    }

    /// Renders the request as tabs built from radio buttons, so that they work without scripts.
    pub(crate) fn tabs(&self, number: usize) -> String {
        let languages = [
            ("curl", self.curl()),
            ("Python", self.python()),
            ("JavaScript", self.javascript()),
            ("Rust", self.rust()),
        ];
        let mut html =
            String::from("<fieldset class=\"tabs\"><legend class=\"sr\">Language</legend>");
        for (at, (name, _)) in languages.iter().enumerate() {
            let checked = if at == 0 { " checked" } else { "" };
            let id = format!("lang-{number}-{at}");
            let _ = write!(
                html,
                "<input type=\"radio\" name=\"lang-{number}\" id=\"{id}\"{checked}><label for=\"{id}\">{name}</label>"
            );
        }
        for (at, (name, text)) in languages.iter().enumerate() {
            let id = format!("code-{number}-{at}");
            let _ = write!(
                html,
                "<div class=\"pane\"><pre tabindex=\"0\" aria-label=\"{name}\"><code id=\"{id}\">{}</code></pre><button class=\"slim\" type=\"button\" data-copy=\"{id}\" hidden>Copy</button></div>",
                escaped(text)
            );
        }
        html.push_str("</fieldset>");
        html
    }

    fn sends_a_body(&self) -> bool {
        !self.body.is_empty()
    }

    fn curl(&self) -> String {
        let Self { path, body, .. } = self;
        let key = "-H \"Authorization: Bearer $LAFIYA_KEY\"";
        if self.sends_a_body() {
            let kind = self.content_type();
            format!(
                "curl -s \"{BASE}{path}\" \\\n  {key} -H \"Content-Type: {kind}\" \\\n  -d '{body}'\n"
            )
        } else {
            format!("curl -s \"{BASE}{path}\" \\\n  {key}\n")
        }
    }

    fn python(&self) -> String {
        let Self { path, body, .. } = self;
        let key = "\"Authorization\": \"Bearer \" + os.environ[\"LAFIYA_KEY\"]";
        let (body, data, kind) = if self.sends_a_body() {
            (
                format!("body = {body}\n\n"),
                "\n    data=json.dumps(body).encode(),",
                format!(", \"Content-Type\": \"{}\"", self.content_type()),
            )
        } else {
            (String::new(), "", String::new())
        };
        format!(
            "import json\nimport os\nimport urllib.request\n\n{body}request = urllib.request.Request(\n    \"{BASE}{path}\",{data}\n    headers={{{key}{kind}}},\n)\nwith urllib.request.urlopen(request) as response:\n    print(json.dumps(json.load(response), indent=2))\n"
        )
    }

    fn javascript(&self) -> String {
        let Self {
            method, path, body, ..
        } = self;
        let key = "Authorization: `Bearer ${process.env.LAFIYA_KEY}`";
        if self.sends_a_body() {
            let kind = self.content_type();
            format!(
                "const body = {body};\n\nconst response = await fetch(\"{BASE}{path}\", {{\n  method: \"{method}\",\n  headers: {{ {key}, \"Content-Type\": \"{kind}\" }},\n  body: JSON.stringify(body),\n}});\nconsole.log(JSON.stringify(await response.json(), null, 2));\n"
            )
        } else {
            format!(
                "const response = await fetch(\"{BASE}{path}\", {{\n  headers: {{ {key} }},\n}});\nconsole.log(JSON.stringify(await response.json(), null, 2));\n"
            )
        }
    }

    fn rust(&self) -> String {
        let Self {
            method, path, body, ..
        } = self;
        let verb = method.to_lowercase();
        let (body, send) = if self.sends_a_body() {
            let kind = self.content_type();
            (
                format!("    let body = serde_json::json!({body});\n"),
                format!("\n        .header(\"Content-Type\", \"{kind}\")\n        .json(&body)"),
            )
        } else {
            (String::new(), String::new())
        };
        format!(
            "// reqwest (features \"blocking\" and \"json\") and serde_json\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}    let answer: serde_json::Value = reqwest::blocking::Client::new()\n        .{verb}(\"{BASE}{path}\")\n        .bearer_auth(std::env::var(\"LAFIYA_KEY\")?){send}\n        .send()?\n        .json()?;\n    println!(\"{{answer:#}}\");\n    Ok(())\n}}\n"
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
