//! OperationOutcome: errors, for FHIR clients.

use serde_json::{Value, json};

use crate::element::{coding, concept};
use crate::problem::Problem;
use crate::resource::Resource;
use crate::systems::Systems;

/// One issue of an outcome.
pub struct Issue<'a> {
    /// A FHIR issue type.
    pub issue_type: &'a str,
    /// Our own code and the name of its code system.
    pub code: (&'a str, &'a str),
    /// The message.
    pub says: &'a str,
    /// The location, as a FHIRPath or as the name of a header.
    pub expression: Option<&'a str>,
}

/// Returns the outcome for problems of a Bundle.
pub fn of_problems(problems: &[Problem], systems: &Systems) -> Resource<'static> {
    let issues = problems.iter().map(|problem| {
        write(
            &Issue {
                issue_type: problem.kind.issue_type(),
                code: ("problem", problem.kind.code()),
                says: &problem.says,
                expression: Some(&problem.expression),
            },
            systems,
        )
    });
    outcome(issues.collect())
}

/// Returns the outcome for any other errors.
pub fn of_issues(issues: &[Issue<'_>], systems: &Systems) -> Resource<'static> {
    outcome(issues.iter().map(|issue| write(issue, systems)).collect())
}

fn outcome(issues: Vec<Value>) -> Resource<'static> {
    Resource::new("OperationOutcome").with("issue", Value::Array(issues))
}

fn write(issue: &Issue<'_>, systems: &Systems) -> Value {
    let (list, code) = issue.code;
    let mut written = json!({
        "severity": "error",
        "code": issue.issue_type,
        "details": concept(vec![coding(systems.code_system(list), code, "")], issue.says),
        "diagnostics": match issue.expression {
            Some(place) => format!("{place} {}", issue.says),
            None => issue.says.to_owned(),
        },
    });
    if let Some(place) = issue.expression {
        written["expression"] = json!([place]);
    }
    written
}
