//! Medicines: the list by class, and one medicine with its forms, doses and cautions.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use lafiya_knowledge::schema::{self, Caution};
use lafiya_knowledge::{KnowledgeBase, Medicine, dose_words};
use lafiya_service::medicines;
use lafiya_service::reference::ListRequest;

use super::lists::{ListPage, ListQuery};
use super::{Cited, Link, cited};
use crate::app::App;
use crate::page::{Failure, Frame, Section, show};
use crate::page_request::PageRequest;
use crate::words;

/// `GET /knowledge/medicines`
pub(crate) async fn medicines(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Query(asked): Query<ListQuery>,
) -> Response {
    let library = app.context.knowledge.load();
    let base = library.base();
    let wanted = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let request = ListRequest {
        query: wanted(&asked.q),
        category: wanted(&asked.category),
        limit: usize::MAX,
        offset: 0,
    };
    let page = medicines::list(base, &request);
    let mut grouped: BTreeMap<String, Vec<Link>> = BTreeMap::new();
    for ix in page.items {
        let text = &base.medicine(ix).text;
        let group = grouped.entry(words::capital(&text.class)).or_default();
        group.push(Link {
            id: text.id.clone(),
            name: text.name.clone(),
            plain: text.brands.join(", "),
        });
    }
    let classes = base
        .medicines()
        .iter()
        .map(|medicine| medicine.text.class.clone());
    let mut classes: Vec<(String, String)> = classes
        .map(|class| (class.clone(), words::capital(&class)))
        .collect();
    classes.sort();
    classes.dedup();
    show(&ListPage {
        frame: Frame::new(&visit, Section::Knowledge, "Medicines"),
        title: "Medicines",
        path: "/knowledge/medicines",
        q: asked.q,
        category: asked.category,
        categories: classes,
        groups: grouped.into_iter().collect(),
        total: page.total,
    })
}

#[derive(Template)]
#[template(path = "knowledge/medicine.html")]
struct MedicinePage<'a> {
    frame: Frame,
    text: &'a schema::Medicine,
    class: String,
    review: String,
    signed: bool,
    doses: Vec<DoseShown<'a>>,
    forbidden: Vec<CautionShown<'a>>,
    careful: Vec<CautionShown<'a>>,
    sources: Vec<Cited>,
}

struct DoseShown<'a> {
    dose: &'a schema::MedicineDose,
    indication: String,
    level: &'static str,
    /// The patients and the dose of each row.
    rows: Vec<[String; 2]>,
    source: Cited,
    basis: &'static str,
}

struct CautionShown<'a> {
    caution: &'a Caution,
    reasons: String,
    source: Cited,
}

/// `GET /knowledge/medicines/{id}`
pub(crate) async fn medicine(
    State(app): State<Arc<App>>,
    visit: PageRequest,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let library = app.context.knowledge.load();
    let base = library.base();
    let medicine = medicines::find(base, &id)?;
    let text: &schema::Medicine = &medicine.text;
    let status = text.review.as_ref();
    let status = status.map_or("not stated", |review| review.status.as_str());
    let cautions = |kind: &str| {
        let of_kind = text
            .caution
            .iter()
            .filter(|caution| caution.kind.as_str() == kind);
        of_kind
            .map(|caution| shown_caution(base, caution))
            .collect()
    };
    Ok(show(&MedicinePage {
        frame: Frame::new(&visit, Section::Knowledge, text.name.clone()),
        class: words::capital(&text.class),
        review: words::capital(words::plain(status)),
        signed: status == "signed_off",
        doses: doses(base, medicine),
        forbidden: cautions("contraindicated"),
        careful: cautions("careful"),
        sources: text.sources.iter().map(|id| cited(base, id)).collect(),
        text,
    }))
}

fn doses<'a>(base: &KnowledgeBase, medicine: &'a Medicine) -> Vec<DoseShown<'a>> {
    let shown = |dose: &'a schema::MedicineDose| DoseShown {
        indication: words::capital(&dose.indication),
        level: level(dose.lowest.as_str()),
        rows: dose
            .rows
            .iter()
            .map(|row| {
                let [patients, words] = dose_words::row_words(&medicine.text, dose, row);
                [
                    words::capital(if patients.is_empty() {
                        "everybody"
                    } else {
                        &patients
                    }),
                    words,
                ]
            })
            .collect(),
        source: cited(base, &dose.source.id),
        basis: basis(dose.source.basis.as_str()),
        dose,
    };
    medicine.text.dose.iter().map(shown).collect()
}

fn shown_caution<'a>(base: &KnowledgeBase, caution: &'a Caution) -> CautionShown<'a> {
    let name = |id: &String| match base.find_medicine(id) {
        Some(ix) => base.medicine(ix).name_inside.clone(),
        None => base.resolve(id).map_or_else(
            || id.clone(),
            |concept| base.name_of(concept).to_lowercase(),
        ),
    };
    let mut reasons: Vec<String> = caution.if_any.iter().map(name).collect();
    if !caution.who.is_everybody() {
        let mut patients = String::new();
        dose_words::push_who(&mut patients, &caution.who);
        reasons.push(patients);
    }
    CautionShown {
        reasons: words::capital(reasons.join("; ")),
        source: cited(base, &caution.source.id),
        caution,
    }
}

fn level(word: &str) -> &'static str {
    match word {
        "community" => "Community health worker",
        "phc" => "Primary health centre",
        "district" => "District hospital",
        _ => "Referral hospital",
    }
}

fn basis(word: &str) -> &'static str {
    match word {
        "read" => "read in the source",
        _ => "from general knowledge, not yet checked against the source",
    }
}
