//! The contribution of each piece of evidence to a candidate. All candidates of an assessment share
//! the same pieces, so the text of a piece is serialized once and copied for each candidate; only
//! the weight differs.

use lafiya_model::assessment::Weighed;
use serde::ser::{Error as _, Serialize, Serializer};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::json::{self, PreserializedJson};

/// Buffer capacity for one piece with its weight, in bytes.
const PIECE_BYTES: usize = 128;

#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ContributionAnswer<'a> {
    /// Concept id, `prior`, `course` or `second_opinion`
    id: &'a str,
    name: &'a str,
    /// `present`, `absent`, or null for prior and course
    choice_id: Option<&'static str>,
    /// Positive values support the condition
    weight: f64,
}

impl<'a> ContributionAnswer<'a> {
    fn of(piece: &'a Weighed<'_>, weight: f64) -> Self {
        Self {
            id: &piece.id,
            name: &piece.name,
            choice_id: piece.choice.map(|choice| choice.as_str()),
            weight,
        }
    }
}

/// Preserialized pieces of evidence, each without its weight.
pub(crate) struct PreserializedContributions {
    /// All pieces, concatenated.
    written: Vec<u8>,
    /// The end offset of each piece.
    ends: Vec<usize>,
}

/// The end of a serialized piece with weight zero.
const NO_WEIGHT: &[u8] = b"0.0}";

impl PreserializedContributions {
    pub(crate) fn of(weighed: &[Weighed<'_>]) -> Result<Self, ApiError> {
        let mut written = Vec::with_capacity(PIECE_BYTES * weighed.len());
        let mut ends = Vec::with_capacity(weighed.len());
        for piece in weighed {
            json::write(&ContributionAnswer::of(piece, 0.0), &mut written)?;
            debug_assert!(written.ends_with(NO_WEIGHT), "the weight stands last");
            written.truncate(written.len() - NO_WEIGHT.len());
            ends.push(written.len());
        }
        Ok(Self { written, ends })
    }

    fn each(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let piece = &self.written[start..end];
            start = end;
            piece
        })
    }
}

/// The contribution of every piece to one candidate.
pub(crate) struct Contributions<'a> {
    pub(crate) pieces: &'a PreserializedContributions,
    pub(crate) weights: &'a [f64],
}

impl Serialize for Contributions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pieces = self.pieces.each();
        let mut written = Vec::with_capacity(PIECE_BYTES * pieces.len());
        written.push(b'[');
        for (place, (piece, weight)) in pieces.zip(self.weights).enumerate() {
            if place > 0 {
                written.push(b',');
            }
            written.extend_from_slice(piece);
            sonic_rs::to_writer(&mut written, weight).map_err(S::Error::custom)?;
            written.push(b'}');
        }
        written.push(b']');
        PreserializedJson(&written).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lafiya_model::Choice;

    #[test]
    fn contributions_are_written_as_a_json_array() {
        let piece = |id: &'static str, name: &'static str, choice| Weighed {
            id: id.into(),
            name: name.into(),
            choice,
        };
        let weighed = [
            piece("prior", "How common it is", None),
            piece("s_a", "A \"sharp\"\npain", Some(Choice::Present)),
            piece("s_b", "Ọ̀fìnkìn", Some(Choice::Absent)),
        ];
        let weights = [-3.25, 0.0, 1e-7];
        for length in 0..=weighed.len() {
            let told = &weighed[..length];
            let pieces = PreserializedContributions::of(told).ok().unwrap();
            let copied = Contributions {
                pieces: &pieces,
                weights: &weights[..length],
            };
            let each = told.iter().zip(weights);
            let each: Vec<_> = each
                .map(|(contribution, w)| ContributionAnswer::of(contribution, w))
                .collect();
            assert_eq!(
                json::written(&copied, 0).ok().unwrap(),
                serde_json::to_vec(&each).unwrap()
            );
        }
    }
}
