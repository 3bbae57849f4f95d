//! Clinical evaluation: case files in, scores and a picture out. It runs the same engine as the
//! service, in process. It also sets the model's few global parameters by cross-validation; it never
//! touches a disease.
#![warn(missing_docs)]

mod case;
mod ddxplus;
mod fit;
mod recall;
mod report;
mod run;
mod scores;

pub use case::{Case, CaseError, read_cases};
pub use ddxplus::{Ddxplus, DdxplusCase, read_ddxplus_cases};
pub use fit::{FitReport, fit, set_parameter};
pub use recall::{Recall, recall_table};
pub use report::html;
pub use run::{Mode, Outcome, Runner};
pub use scores::{Scores, score, table};
