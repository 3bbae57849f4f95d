//! The global parameters of the model. They are never tuned per disease or per case. `lafiya eval
//! --fit` searches for them by cross-validation. The values here lie between the optimum over mixed
//! case sets and the untempered model, because that optimum gives too little weight to African
//! disease frequencies for African patients (`docs/clinical/evaluation.md`).

/// Global parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The weight of a present finding. It is below 1 because findings of one illness are
    /// correlated, and full weights would be overconfident.
    pub present_weight: f64,
    /// The weight of an absent finding.
    pub absent_weight: f64,
    /// The weight of an absent cardinal finding.
    pub absent_cardinal_weight: f64,
    /// The weight of the prior.
    pub prior_weight: f64,
    /// The likelihood of a finding that a condition does not explain, as a multiple of the
    /// background rate.
    pub unexplained_times: f64,
    /// For a narrow finding that a condition does not list while it lists the broad one: its share
    /// of the broad finding, as a multiple of the ratio of their background rates.
    pub narrower_times: f64,
    /// The likelihood of a finding under "something else", as a multiple of the background rate.
    pub other_times: f64,
    /// The share of visits that none of the conditions explains.
    pub other_prior: f64,
    /// The weight of risk factors.
    pub risk_weight: f64,
    /// The weight of a duration outside the usual course, in log-odds.
    pub course_weight: f64,
    /// The level is emergency if emergency conditions have at least this share.
    pub emergency_share: f64,
    /// The level is at least urgent if emergency conditions have at least this share.
    pub emergency_share_for_urgent: f64,
    /// The level is urgent if conditions of that level or higher have at least this share.
    pub urgent_share: f64,
    /// The level is at least routine if conditions of that level or higher have at least this
    /// share.
    pub routine_share: f64,
    /// An interview may stop if the leader has at least this probability.
    pub sure_share: f64,
    /// The maximum number of questions.
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
