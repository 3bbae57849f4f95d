//! Word traits: the roles a word may have in the parser's steps, one bit each. Most words are
//! irrelevant to most steps, so a step skips them by testing bits, without a phrase look-up.

/// A role that a word may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trait {
    /// Ends a sentence.
    SentenceEnd,
    /// Ends a clause, or the whole sentence.
    ClauseEnd,
    /// Begins a longer phrase of the lexicon.
    Written,
    /// Begins a phrase to ignore.
    Ignored,
    /// Is a single-word phrase of the lexicon.
    Single,
    /// Indicates a language.
    Cue,
    /// Begins a time without a number, or is a weekday.
    Moment,
    /// A number, in digits or words.
    Number,
    /// A unit of time.
    Unit,
    /// A unit of time that precedes its number.
    UnitFirst,
    /// Turns a preceding number into an age.
    SaysAge,
    /// A person that may have an age next to it.
    Aged,
    /// Begins the name of a measure.
    Measure,
    /// Begins the name of a medicine.
    Medicine,
    /// Begins a word for a person.
    Person,
    /// Begins a phrase of severity before a finding.
    GradeBefore,
    /// Begins a phrase of severity after a finding.
    GradeAfter,
    /// Is a finding only as a noun.
    Noun,
    /// A word that is not followed by a noun.
    BeforeVerb,
    /// Is a finding only if no other word directly follows.
    Adjective,
    /// Is a finding only shortly after certain words.
    OnlyAfter,
    /// The word "for".
    Purpose,
    /// A possessive of a person.
    Owner,
    /// Precedes a person who is only mentioned in passing.
    Passive,
    /// Describes a person and may precede one.
    Describing,
    /// A verb of people who report about the patient.
    Reporting,
    /// Relatives in groups that are never the patient.
    Crowd,
    /// Begins a hereditary disease.
    Inherited,
    /// Begins the name of a test.
    Test,
    /// Begins the result of a test.
    Outcome,
    /// Separates the two numbers of a fraction, or of weeks and days.
    Slash,
    /// Begins a question of a form, or a name that an arrow may accompany.
    Noted,
}

/// The traits of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits(u32);

impl Traits {
    /// Combines the traits of a list whose flag is true.
    pub(super) fn of(list: &[(Trait, bool)]) -> Self {
        let given = list.iter().filter(|(_, given)| *given);
        Self(given.fold(0, |bits, (single, _)| bits | single.bit()))
    }

    #[inline]
    pub(super) fn has(self, wanted: Trait) -> bool {
        self.0 & wanted.bit() != 0
    }

    /// Whether it has any of several traits.
    #[inline]
    pub(super) fn has_any<const N: usize>(self, wanted: [Trait; N]) -> bool {
        self.0 & bits(wanted) != 0
    }

    /// Returns the union of the traits of several words.
    pub(super) fn of_all(row: &[Self]) -> Self {
        Self(row.iter().fold(0, |bits, traits| bits | traits.0))
    }

    /// Calls back with the index of every word that has any of several traits, in order.
    #[inline]
    pub(super) fn each<const N: usize>(
        row: &[Self],
        wanted: [Trait; N],
        mut tell: impl FnMut(usize),
    ) {
        let wanted = bits(wanted);
        let (chunks, rest) = row.as_chunks::<AT_A_TIME>();
        for (number, words) in chunks.iter().enumerate() {
            // All eight words become one bit set without a branch; nearly always it is 0.
            let having = |having: u32, n: usize| having | u32::from(words[n].0 & wanted != 0) << n;
            let mut having = (0..AT_A_TIME).fold(0, having);
            while having != 0 {
                tell(number * AT_A_TIME + having.trailing_zeros() as usize);
                // Clears the lowest bit that is set.
                having &= having - 1;
            }
        }
        let passed = row.len() - rest.len();
        for (n, _) in rest
            .iter()
            .enumerate()
            .filter(|entry| entry.1.0 & wanted != 0)
        {
            tell(passed + n);
        }
    }

    /// Returns the index of the first word that has any of several traits.
    #[inline]
    pub(super) fn first<const N: usize>(row: &[Self], wanted: [Trait; N]) -> Option<usize> {
        first_with(row, |traits| traits.0, bits(wanted))
    }
}

#[inline]
fn bits<const N: usize>(wanted: [Trait; N]) -> u32 {
    wanted.iter().fold(0, |bits, single| bits | single.bit())
}

impl Trait {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Words tested per iteration, without a branch.
const AT_A_TIME: usize = 8;
/// Elements tested per iteration.
const TOGETHER: usize = 4;

/// Returns the index of the first element that has any of the wanted bits. Most have none, so
/// several are skipped at a time.
#[inline]
pub(super) fn first_with<T>(row: &[T], bits: impl Fn(&T) -> u32, wanted: u32) -> Option<usize> {
    let (chunks, _) = row.as_chunks::<TOGETHER>();
    let any = |places: &[T; TOGETHER]| places.iter().fold(0, |any, element| any | bits(element));
    let passed = chunks.iter().take_while(|chunk| any(chunk) & wanted == 0);
    // The chunk that ended the skipping contains the word, or the rest does.
    let from = passed.count() * TOGETHER;
    let next = row[from..]
        .iter()
        .position(|element| bits(element) & wanted != 0)?;
    Some(from + next)
}
