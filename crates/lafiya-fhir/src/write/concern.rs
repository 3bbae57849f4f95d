//! Writes dangers, doubts and notifiable diseases as one DetectedIssue each.

use std::borrow::Cow;

use lafiya_model::Seriousness;
use lafiya_model::assessment::{Notifiable, RedFlag, Warning, WarningKind, WarningSeverity};
use serde_json::json;

use super::Writer;
use crate::element::{Element, coding, concept, object, one, words};
use crate::resource::Resource;

impl<'a> Writer<'a> {
    pub(super) fn write_concerns(&mut self) {
        let assessment = &self.document.assessment;
        for (position, flag) in assessment.red_flags.iter().enumerate() {
            let issue = self.red_flag(flag, &format!("red-flag/{position}"));
            self.add(issue);
        }
        for (position, warning) in assessment.warnings.iter().enumerate() {
            let issue = self.warning(warning, &format!("warning/{position}"));
            self.add(issue);
        }
        for (position, notifiable) in assessment.notifiable.iter().enumerate() {
            let issue = self.notifiable(notifiable, &format!("notifiable/{position}"));
            self.add(issue);
        }
    }

    fn issue(
        &self,
        label: &str,
        kind: &'static str,
        text: impl Into<Cow<'a, str>>,
        severity: &'static str,
    ) -> Resource<'a> {
        let text = text.into();
        let display = crate::define::issue_display(kind);
        let code = coding(self.systems.code_system("issue"), kind, display);
        self.resource("DetectedIssue", label, None)
            .narrated(&[&text])
            .with("status", "final")
            .with("code", concept(vec![code], Element::Text(text)))
            .with("severity", severity)
            .with("patient", self.patient())
            .with("identifiedDateTime", self.at())
    }

    fn red_flag(&self, flag: &'a RedFlag<'a>, label: &str) -> Resource<'a> {
        let severity = match flag.seriousness {
            Seriousness::Serious => "moderate",
            Seriousness::Emergency | Seriousness::EmergencyAmbulance => "high",
        };
        let seriousness = self.extension(
            "red-flag-seriousness",
            "valueCode",
            flag.seriousness.as_str(),
        );
        self.issue(label, "red-flag", flag.name.as_str(), severity)
            .with("extension", one(seriousness))
            .with(
                "identifier",
                json!([{"system": self.systems.identifier("red-flag"), "value": flag.id}]),
            )
            .with("detail", flag.root_cause.as_str())
    }

    fn warning(&self, warning: &'a Warning<'a>, label: &str) -> Resource<'a> {
        let kind = match warning.kind {
            WarningKind::ValidationConcern => "validation-concern",
            WarningKind::AgeVulnerability => "age-vulnerability",
            WarningKind::TriageMismatch => "triage-mismatch",
            WarningKind::ConfidenceLow => "confidence-low",
        };
        let severity = match warning.severity {
            WarningSeverity::High => "high",
            WarningSeverity::Medium => "moderate",
            WarningSeverity::Low => "low",
        };
        let mitigation = if warning.recommended_action.is_empty() {
            Element::default()
        } else {
            one(object([("action", words(&warning.recommended_action))]))
        };
        self.issue(label, kind, warning.message.as_str(), severity)
            .with("detail", warning.details.join(" "))
            .with("mitigation", mitigation)
    }

    fn notifiable(&self, duty: &Notifiable<'_>, label: &str) -> Resource<'a> {
        let text = format!("{} must be reported when suspected.", duty.condition_name);
        let detail = format!(
            "{}: {}, to {}. {}",
            duty.scheme, duty.how_fast, duty.to, duty.source
        );
        self.issue(label, "notifiable", text, "moderate")
            .with("detail", detail)
    }
}
