//! A dose as an entry of the answer's list of medicines.

use lafiya_knowledge::{KnowledgeBase, Medicine, dose_words as say};
use lafiya_model::Text;
use lafiya_model::assessment::{ComputedDose, GivenAmount, MedicineAdvice, MedicineCaution};

use super::amount::{Amount, Limit};
use super::rows::Chosen;
use super::weight::WeightOrigin;
use super::{Made, words};
use crate::citations::Citations;

pub(super) fn of<'a>(
    base: &'a KnowledgeBase,
    made: Made<'a>,
    citations: &mut Citations<'a>,
) -> MedicineAdvice<'a> {
    let (medicine, dose) = base.dose_text(made.dose);
    let mut route = String::new();
    say::push_routes(&mut route, &dose.routes);
    let source = base.dose(made.dose).source;
    let caution = |place: &usize| caution(medicine, *place);
    let has_dose = made.chosen != Chosen::None;
    MedicineAdvice {
        id: Text::from(&medicine.text.id),
        name: Text::from(&medicine.text.name),
        dose_id: Text::from(&dose.id),
        indication: Text::from(&dose.indication),
        route: route.into(),
        is_given: has_dose && made.judged.forbidding.is_none(),
        computed: made
            .amount
            .as_ref()
            .map(|amount| computed(medicine, amount)),
        cautions: made.judged.applying.iter().map(caution).collect(),
        ask: made.judged.unknown.iter().map(caution).collect(),
        watch: medicine.text.watch.iter().map(Text::from).collect(),
        source: source.map(|ix| citations.cite(ix)).unwrap_or_default(),
        basis: dose.source.basis.as_str().into(),
        dose: made.words.into(),
    }
}

fn caution(medicine: &Medicine, place: usize) -> MedicineCaution<'_> {
    let text = &medicine.text.caution[place];
    MedicineCaution {
        kind: text.kind.as_str().into(),
        says: Text::from(&text.says),
        instead: text.instead.as_ref().map(Text::from).unwrap_or_default(),
        source: Text::from(&text.source.id),
    }
}

fn computed<'a>(medicine: &'a Medicine, amount: &Amount<'a>) -> ComputedDose<'a> {
    ComputedDose {
        unit: medicine.text.unit.as_str().into(),
        least: amount.least,
        most: amount.most,
        per_kg: amount.row.per_kg,
        weight_kg: amount.weight.map(|(kg, _)| kg),
        weight_origin: match amount.weight {
            Some((_, WeightOrigin::Measured)) => "measured".into(),
            Some((_, WeightOrigin::Assumed)) => "assumed_from_age".into(),
            None => Text::default(),
        },
        given: amount.given.as_ref().map(|given| {
            let mut text = String::new();
            words::push_given(&mut text, given);
            GivenAmount {
                form: Text::from(&given.form.name),
                per: given.form.per.as_str().into(),
                least: given.count[0],
                most: given.count[1],
                words: text.into(),
            }
        }),
        arithmetic: arithmetic(medicine, amount).into(),
        in_24_hours_at_most: amount.row.in_day,
        limited_by: match amount.limit {
            Some(Limit::SingleDose) => "highest_single_dose".into(),
            Some(Limit::InDay) => "highest_in_24_hours".into(),
            None => Text::default(),
        },
    }
}

/// `14 kg x 40 to 45 mg/kg = 560 to 630 mg; 12 mL x 50 mg = 600 mg`.
fn arithmetic(medicine: &Medicine, amount: &Amount<'_>) -> String {
    let mut text = String::new();
    let unit = say::unit_words(medicine.text.unit, true);
    if let (Some((kg, _)), Some(per_kg)) = (amount.weight, amount.row.per_kg) {
        say::push_number(&mut text, kg);
        text.push_str(" kg x ");
        say::push_range(&mut text, per_kg);
        text.push(' ');
        say::push_unit(&mut text, medicine.text.unit, amount.row, true);
        text.push_str(" = ");
    }
    say::push_range(&mut text, [amount.least, amount.most]);
    text.push(' ');
    text.push_str(unit);
    say::push_rate(&mut text, amount.row);
    match amount.limit {
        Some(Limit::SingleDose) => text.push_str(", cut at the highest single dose"),
        Some(Limit::InDay) => text.push_str(", cut at the highest amount in 24 hours"),
        None => {}
    }
    if let Some(given) = &amount.given {
        text.push_str("; ");
        say::push_range(&mut text, given.count);
        text.push(' ');
        text.push_str(given.form.per.as_str());
        text.push_str(" x ");
        say::push_number(&mut text, given.form.amount);
        text.push(' ');
        text.push_str(unit);
        text.push_str(" = ");
        say::push_range(&mut text, given.amounts());
        text.push(' ');
        text.push_str(unit);
    }
    text
}
