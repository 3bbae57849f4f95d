//! The few global numbers of the model, never set by editing a disease for a case. `lafiya eval --fit`
//! searches for them by cross-validation; the values here lie between that optimum over mixed case
//! sets and the untempered model, because the optimum trusts African frequencies less than African
//! patients deserve (`docs/clinical/evaluation.md`).

/// Global parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How much a present finding counts: below 1 because findings of one illness come together,
    /// and counting each in full would be sure too soon.
    pub present_weight: f64,
    /// How much an absent finding counts.
    pub absent_weight: f64,
    /// How much an absent cardinal finding counts.
    pub absent_cardinal_weight: f64,
    /// How much the prior counts.
    pub prior_weight: f64,
    /// A finding that a condition does not explain: its likelihood as a multiple of background.
    pub unexplained_times: f64,
    /// A narrow finding that is not listed while a broad one is: its share of the broad one, as a
    /// multiple of the ratio of their backgrounds.
    pub narrower_times: f64,
    /// How likely "something else" explains a finding, as a multiple of background.
    pub other_times: f64,
    /// The share of visits that none of our conditions explains.
    pub other_prior: f64,
    /// How much risk factors count.
    pub risk_weight: f64,
    /// How much a duration outside the usual course counts, in log-odds.
    pub course_weight: f64,
    /// Emergency, when conditions of that level hold at least this share.
    pub emergency_share: f64,
    /// At least urgent, when emergencies hold at least this share.
    pub emergency_share_for_urgent: f64,
    /// Urgent, when conditions of that level or higher hold at least this share.
    pub urgent_share: f64,
    /// At least routine, when conditions of that level or higher hold at least this share.
    pub routine_share: f64,
    /// An interview may stop when the leader holds at least this share.
    pub sure_share: f64,
    /// Questions asked at most.
    pub questions_max: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            present_weight: 0.9,
            absent_weight: 0.4,
            absent_cardinal_weight: 1.2,
            prior_weight: 0.65,
            unexplained_times: 0.7,
            narrower_times: 0.3,
            other_times: 1.5,
            other_prior: 0.1,
            risk_weight: 1.0,
            course_weight: 1.5,
            emergency_share: 0.40,
            emergency_share_for_urgent: 0.15,
            urgent_share: 0.40,
            routine_share: 0.50,
            sure_share: 0.80,
            questions_max: 20,
        }
    }
}
