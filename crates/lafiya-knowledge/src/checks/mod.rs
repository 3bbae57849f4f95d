//! The checks: small, named, and described by one sentence each. All of them run, and all remarks
//! are returned together, sorted by file and line.
//!
//! A check reads the content and the knowledge base and reports problems in words that a clinician
//! understands. It changes nothing.

pub(crate) mod codes;
mod conditions;
mod doses;
mod findings;
mod ids;
mod interview;
mod locate;
mod measures;
mod medicines;
mod numbers;
mod prescriptions;
mod references;
mod rules;
mod services;
mod sources;
mod terms;

use std::path::Path;

use crate::base::KnowledgeBase;
use crate::load::{self, SourceFile};
use crate::remark::{LoadError, Remark, Weight};
use crate::schema::Content;
use locate::Locator;

/// A named check.
pub struct Check {
    /// The name used in remarks.
    pub name: &'static str,
    /// The requirement, in a sentence.
    pub says: &'static str,
    run: fn(&mut Report<'_>),
}

/// Every check, in the order of execution.
pub const CHECKS: &[Check] = &[
    Check {
        name: "malformed-id",
        says: "Ids are a prefix and a slug in lower snake case.",
        run: ids::well_formed,
    },
    Check {
        name: "duplicate-id",
        says: "No id is declared twice.",
        run: ids::unique,
    },
    Check {
        name: "file-name",
        says: "The file of a condition or medicine is named for its id.",
        run: ids::file_name,
    },
    Check {
        name: "unknown-id",
        says: "Findings, risk factors, tests and conditions that a file names exist.",
        run: references::known_ids,
    },
    Check {
        name: "unknown-word",
        says: "Retired ids and lay terms lead to living concepts.",
        run: references::known_words,
    },
    Check {
        name: "unknown-specialist",
        says: "Specialists that a condition names exist.",
        run: references::known_specialists,
    },
    Check {
        name: "unknown-service",
        says: "Services, specialists and categories that services.toml names exist.",
        run: services::known,
    },
    Check {
        name: "unknown-belt",
        says: "Belts that priors and regions name exist.",
        run: references::known_belts,
    },
    Check {
        name: "unknown-source",
        says: "Every source that is named stands in sources.toml.",
        run: sources::unknown,
    },
    Check {
        name: "missing-source",
        says: "Everything clinical names its source.",
        run: sources::missing,
    },
    Check {
        name: "missing-review",
        says: "Every condition says how far clinicians have looked at it.",
        run: sources::review,
    },
    Check {
        name: "missing-text",
        says: "Whatever is asked has a question, a caregiver's question, a reason and a plain name.",
        run: findings::texts,
    },
    Check {
        name: "incomplete-base",
        says: "Every level and time-frame has its text, and the content has a version.",
        run: measures::whole,
    },
    Check {
        name: "probability-bounds",
        says: "Frequencies lie within their bounds.",
        run: numbers::probabilities,
    },
    Check {
        name: "odds-ratio-bounds",
        says: "Odds ratios lie between 0.1 and 50.",
        run: numbers::odds_ratios,
    },
    Check {
        name: "prior-bounds",
        says: "Priors, their multipliers and the course make sense.",
        run: numbers::priors,
    },
    Check {
        name: "prior-sum",
        says: "All priors of a band together leave no more than 1,000 of 1,000 patients.",
        run: numbers::prior_sum,
    },
    Check {
        name: "measure-range",
        says: "Ranges are in order and derivations have a limit.",
        run: measures::ranges,
    },
    Check {
        name: "parent-cycle",
        says: "No finding is a kind of itself.",
        run: findings::parent_cycle,
    },
    Check {
        name: "follows-from-nothing",
        says: "A finding that follows from how long or how bad another is has a parent.",
        run: findings::follows_from_nothing,
    },
    Check {
        name: "parent-rarer",
        says: "A broader finding is at least as frequent as a narrower one.",
        run: findings::parent_rarer,
    },
    Check {
        name: "unreachable-finding",
        says: "Every finding is used somewhere.",
        run: findings::reachable,
    },
    Check {
        name: "used-once",
        says: "Note: a finding that only one condition lists.",
        run: findings::used_once,
    },
    Check {
        name: "unguarded-emergency",
        says: "An emergency says what to watch for, where to refer, that it must not be missed, and something leads to it.",
        run: conditions::emergencies,
    },
    Check {
        name: "thin-profile",
        says: "A common illness lists at least ten findings and a cardinal one.",
        run: conditions::thin_profile,
    },
    Check {
        name: "impossible-pair",
        says: "Ages, sexes and states agree.",
        run: conditions::impossible,
    },
    Check {
        name: "interview-form",
        says: "Screens, gates, exposures and scales have texts, fit the people they ask, and stay short.",
        run: interview::form,
    },
    Check {
        name: "question-family",
        says: "Note: a family of questions that has one member.",
        run: interview::families,
    },
    Check {
        name: "equal-profiles",
        says: "Two conditions that the same patient can have differ by 15 of 100 or more in at least one finding.",
        run: conditions::equal_profiles,
    },
    Check {
        name: "duplicate-term",
        says: "A synonym or lay phrase belongs to one concept, unless sex tells the two apart.",
        run: terms::duplicates,
    },
    Check {
        name: "icd10-format",
        says: "ICD-10 codes look like B50.9.",
        run: codes::icd10,
    },
    Check {
        name: "snomed-check-digit",
        says: "SNOMED CT codes carry a right check digit.",
        run: codes::snomed_ct,
    },
    Check {
        name: "loinc-check-digit",
        says: "LOINC codes carry a right check digit.",
        run: codes::loinc,
    },
    Check {
        name: "medicine-sense",
        says: "A medicine says what it is, and its forms and cautions make sense.",
        run: medicines::sense,
    },
    Check {
        name: "medicine-reason",
        says: "Concepts, medicines and belts that a medicine names exist.",
        run: medicines::known,
    },
    Check {
        name: "medicine-source",
        says: "Sources of doses and cautions exist, and what was read is quoted.",
        run: medicines::sources,
    },
    Check {
        name: "medicine-class",
        says: "A medicine has what medicine-classes.toml requires of its class.",
        run: medicines::requirements,
    },
    Check {
        name: "dose-row",
        says: "Every row of a dose has one amount within its limits, and says how often.",
        run: doses::rows,
    },
    Check {
        name: "dose-order",
        says: "Every row of a dose is the first that fits for some patient.",
        run: doses::order,
    },
    Check {
        name: "unknown-dose",
        says: "Medicines and doses that conditions and rules refer to exist.",
        run: prescriptions::known,
    },
    Check {
        name: "forbidden-medicine",
        says: "No condition gives what it avoids, or what is contraindicated for all its patients.",
        run: prescriptions::not_forbidden,
    },
    Check {
        name: "rule-sense",
        says: "A rule asks for something and raises a level.",
        run: rules::sense,
    },
    Check {
        name: "rule-example",
        says: "Examples fire, counter-examples do not, and scores give the points they say.",
        run: rules::examples,
    },
];

/// Content, the knowledge base built from it, and all remarks.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The content of the files.
    pub content: Content,
    /// The knowledge base. It is built whatever the remarks say; unresolved references are left
    /// out.
    pub base: KnowledgeBase,
    /// Sorted by file and line.
    pub remarks: Vec<Remark>,
}

impl Checked {
    /// Returns the remarks that make the knowledge base invalid.
    pub fn complaints(&self) -> impl Iterator<Item = &Remark> {
        self.remarks
            .iter()
            .filter(|remark| remark.weight == Weight::Complaint)
    }

    /// Returns the remarks that do not make it invalid.
    pub fn notes(&self) -> impl Iterator<Item = &Remark> {
        self.remarks
            .iter()
            .filter(|remark| remark.weight == Weight::Note)
    }

    /// Returns the knowledge base if there are no complaints.
    pub fn into_base(self) -> Result<KnowledgeBase, LoadError> {
        if self.complaints().next().is_none() {
            return Ok(self.base);
        }
        Err(LoadError::Broken(self.complaints().cloned().collect()))
    }
}

/// Parses and checks files.
///
/// # Example
///
/// ```
/// use lafiya_knowledge::{SourceFile, check};
///
/// let broken = SourceFile {
///     path: "conditions/c_example.toml".to_owned(),
///     text: "id = ".to_owned(),
/// };
/// let checked = check(vec![broken]);
/// assert!(checked.complaints().count() > 0);
/// ```
pub fn check(files: Vec<SourceFile>) -> Checked {
    let loaded = load::parse(files);
    let base = KnowledgeBase::from_content(loaded.content.clone());
    let mut report = Report {
        content: &loaded.content,
        base: &base,
        locator: Locator::of(&loaded.files),
        check: "",
        remarks: loaded.remarks,
    };
    for check in CHECKS {
        report.check = check.name;
        (check.run)(&mut report);
    }
    let mut remarks = report.remarks;
    remarks.sort();
    remarks.dedup();
    Checked {
        content: loaded.content,
        base,
        remarks,
    }
}

/// Reads, parses and checks a directory.
pub fn check_dir(directory: &Path) -> Result<Checked, LoadError> {
    Ok(check(load::read_dir(directory)?))
}

impl KnowledgeBase {
    /// Builds the knowledge base from a list of files, or fails if there are complaints.
    pub fn from_files(files: Vec<SourceFile>) -> Result<Self, LoadError> {
        check(files).into_base()
    }

    /// Builds the knowledge base from a directory, or fails if there are complaints.
    pub fn from_dir(directory: &Path) -> Result<Self, LoadError> {
        check_dir(directory)?.into_base()
    }
}

/// The input of a check and the collected remarks.
struct Report<'a> {
    content: &'a Content,
    base: &'a KnowledgeBase,
    locator: Locator<'a>,
    check: &'static str,
    remarks: Vec<Remark>,
}

impl Report<'_> {
    /// Adds a complaint about an entry. `near` is a text on the exact line, if there is one.
    fn complain(&mut self, id: &str, near: &str, says: impl Into<String>) {
        self.say(Weight::Complaint, id, near, says.into());
    }

    /// Adds a note about an entry.
    fn note(&mut self, id: &str, near: &str, says: impl Into<String>) {
        self.say(Weight::Note, id, near, says.into());
    }

    fn say(&mut self, weight: Weight, id: &str, near: &str, says: String) {
        let (file, line) = self.locator.find(id, near);
        self.remarks.push(Remark {
            file,
            line,
            weight,
            check: self.check,
            says,
        });
    }
}
