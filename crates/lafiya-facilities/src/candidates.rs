//! Chooses between several possible places. Each candidate is weighted by its kind, by the tenant's
//! home country, and by whether the other names in the text agree with it.

use crate::mentions::{Mention, Spot};

/// If a candidate in another country has a weight this close to the best, the name is ambiguous and
/// is not resolved.
const AMBIGUOUS_WITHIN: f64 = 0.35;
const HOME: f64 = 1.2;
const EDIT: f64 = 0.6;

/// The chosen place and its confidence.
pub(crate) struct Choice<'a> {
    pub(crate) spot: Spot<'a>,
    pub(crate) confidence: f64,
}

struct Weighed<'a> {
    spot: Spot<'a>,
    weight: f64,
    agreement: f64,
    edits: usize,
}

/// Returns the best candidate; `None` if there is none, or if two in different countries are about
/// equally likely.
pub(crate) fn choose<'a>(mentions: &[Mention<'a>], home: Option<&str>) -> Option<Choice<'a>> {
    let mut weighed: Vec<Weighed<'a>> = Vec::new();
    for (at, mention) in mentions.iter().enumerate() {
        for &spot in &mention.spots {
            let others = mentions
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at);
            let agreement: f64 = others.map(|(_, other)| agreement(spot, other)).sum();
            weighed.push(Weighed {
                spot,
                weight: weight(spot, mention, home) + agreement,
                agreement,
                edits: mention.edits,
            });
        }
    }
    let best = weighed
        .iter()
        .max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let rival = |elsewhere: &dyn Fn(&Weighed<'_>) -> bool| {
        let rivals = weighed.iter().filter(|candidate| elsewhere(candidate));
        rivals
            .map(|rival| rival.weight)
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let abroad = rival(&|candidate| candidate.spot.country() != best.spot.country());
    if best.weight - abroad < AMBIGUOUS_WITHIN {
        return None;
    }
    let without_home = best.weight
        - if home == Some(best.spot.country()) {
            HOME
        } else {
            0.0
        };
    let in_country = rival(&|candidate| {
        candidate.spot.country() == best.spot.country()
            && candidate.spot.region() != best.spot.region()
            && !candidate.spot.region().is_empty()
    });
    let mut confidence: f64 = if best.agreement >= 1.5 { 0.97 } else { 0.9 };
    if without_home - abroad < AMBIGUOUS_WITHIN {
        confidence = confidence.min(0.75);
    }
    if best.weight - in_country < AMBIGUOUS_WITHIN && !best.spot.region().is_empty() {
        confidence = confidence.min(0.6);
    }
    if best.agreement < 0.0 {
        confidence = confidence.min(0.5);
    }
    confidence -= 0.25 * (best.edits > 0) as u8 as f64 + 0.1 * best.edits.saturating_sub(1) as f64;
    Some(Choice {
        spot: best.spot,
        confidence,
    })
}

fn weight(spot: Spot<'_>, mention: &Mention<'_>, home: Option<&str>) -> f64 {
    let mut weight = match spot {
        Spot::Town(town) => 1.0 + 0.3 * (f64::from(town.population) + 1.0).log10(),
        Spot::Area(area) => {
            let called = if mention.called_an_area && !area.is_country {
                1.6
            } else {
                0.0
            };
            let slug = if mention.slug == Some(&area.slug) {
                0.8
            } else {
                0.0
            };
            1.9 + called + slug
        }
    };
    if home == Some(spot.country()) {
        weight += HOME;
    }
    weight - EDIT * mention.edits as f64
}

/// Returns how strongly another name in the text supports this place, using the best match of that
/// name.
fn agreement(spot: Spot<'_>, other: &Mention<'_>) -> f64 {
    let readings = other.spots.iter().map(|&reading| {
        if reading.country() != spot.country() {
            return -2.0;
        }
        let (mine, its) = (spot.region(), reading.region());
        match reading {
            Spot::Area(area) if area.is_country => 2.0,
            Spot::Area(_) if mine == its => 3.0,
            Spot::Town(_) if mine == its && !mine.is_empty() => 1.0,
            Spot::Area(_) if !mine.is_empty() => -0.8,
            _ => 0.3,
        }
    });
    readings.fold(-2.0, f64::max)
}
