//! Clinical evaluation: reads case files, and produces scores and a report. It runs the same engine
//! as the service, in process. It also fits the model's few global parameters by cross-validation;
//! it never changes the content of a disease.
#![warn(missing_docs)]

mod case;
mod case_mix;
mod ddxplus;
mod difference;
mod fit;
mod recall;
mod report;
mod run;
mod scores;
mod separation;
mod simulate;
mod textbook;

pub use case::{Case, CaseError, read_cases};
pub use case_mix::{MixOf, Share, commonest};
pub use ddxplus::{Ddxplus, DdxplusCase, read_ddxplus_cases};
pub use difference::{CaseChange, ContentChange, Difference, compare};
pub use fit::{FitReport, fit, set_parameter};
pub use recall::{Recall, recall_table};
pub use report::html;
pub use run::{Mode, Outcome, Runner};
pub use scores::{Scores, score, table};
pub use separation::{Confusion, confusions};
pub use simulate::{Draw, Simulation, simulate};
pub use textbook::textbook_patient;
