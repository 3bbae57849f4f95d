//! What a word may be to the steps, one bit each. Most words are nothing to most steps: a step passes them over after one
//! look at a short row of bits, without asking its phrases.

/// What a word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trait {
    /// Ends a sentence.
    SentenceEnd,
    /// Ends a clause, or the whole sentence.
    ClauseEnd,
    /// Begins a longer phrase of the lexicon.
    Written,
    /// Begins a phrase that means no finding.
    Ignored,
    /// Is a phrase of the lexicon by itself.
    Single,
    /// Shows a language.
    Cue,
    /// Begins a time that is no number, or is a day of the week.
    Moment,
    /// A number, written or spoken.
    Number,
    /// A unit of time.
    Unit,
    /// A unit of time that stands before its number.
    UnitFirst,
    /// Makes an age of a number before it.
    SaysAge,
    /// A person who may have an age beside it.
    Aged,
    /// Begins the name of a measure.
    Measure,
    /// Begins the name of a medicine.
    Medicine,
    /// Begins a word for a person.
    Person,
    /// Begins a word of severity before a finding.
    GradeBefore,
    /// Begins one behind a finding.
    GradeAfter,
    /// Is a finding as a noun only.
    Noun,
    /// What follows it is no noun.
    BeforeVerb,
    /// Is a finding only where no other word follows at once.
    Adjective,
    /// Is a finding only soon after some words.
    OnlyAfter,
    /// The word "for".
    Purpose,
    /// Says whose a person is.
    Owner,
    /// Before a person who is only named.
    Passive,
    /// Describes a person and may stand before one.
    Describing,
    /// A verb of who speaks of the patient.
    Reporting,
    /// Kin who are never the patient all together.
    Crowd,
    /// Begins a disease that runs in families.
    Inherited,
    /// Begins the name of a test.
    Test,
    /// Begins the result of a test.
    Outcome,
    /// Stands between the two numbers of a fraction, or of weeks and days.
    Slash,
    /// Begins what a form asks for, or a name that an arrow may stand beside.
    Noted,
}

/// The traits of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits(u32);

impl Traits {
    /// Those of a list that are true.
    pub(super) fn of(list: &[(Trait, bool)]) -> Self {
        let given = list.iter().filter(|(_, given)| *given);
        Self(given.fold(0, |bits, (it, _)| bits | it.bit()))
    }

    #[inline]
    pub(super) fn has(self, wanted: Trait) -> bool {
        self.0 & wanted.bit() != 0
    }

    /// Whether it has one of several.
    #[inline]
    pub(super) fn has_any<const N: usize>(self, wanted: [Trait; N]) -> bool {
        self.0 & bits(wanted) != 0
    }

    /// What all words of a row have together.
    pub(super) fn of_all(row: &[Self]) -> Self {
        Self(row.iter().fold(0, |bits, it| bits | it.0))
    }

    /// Tells the places of all words of a row that have one of several, in order.
    #[inline]
    pub(super) fn each<const N: usize>(
        row: &[Self],
        wanted: [Trait; N],
        mut tell: impl FnMut(usize),
    ) {
        let wanted = bits(wanted);
        let (together, rest) = row.as_chunks::<AT_A_TIME>();
        for (number, words) in together.iter().enumerate() {
            let having = |having: u32, n: usize| having | u32::from(words[n].0 & wanted != 0) << n;
            let mut having = (0..AT_A_TIME).fold(0, having);
            while having != 0 {
                tell(number * AT_A_TIME + having.trailing_zeros() as usize);
                having &= having - 1;
            }
        }
        let passed = row.len() - rest.len();
        for (n, _) in rest.iter().enumerate().filter(|it| it.1.0 & wanted != 0) {
            tell(passed + n);
        }
    }

    /// The first word of a row that has one of several.
    #[inline]
    pub(super) fn first<const N: usize>(row: &[Self], wanted: [Trait; N]) -> Option<usize> {
        first_with(row, |it| it.0, bits(wanted))
    }
}

#[inline]
fn bits<const N: usize>(wanted: [Trait; N]) -> u32 {
    wanted.iter().fold(0, |bits, it| bits | it.bit())
}

impl Trait {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// So many words are asked together, without a branch.
const AT_A_TIME: usize = 8;
/// So many places are asked together.
const TOGETHER: usize = 4;

/// The first place of a row whose bits have one of those wanted. Most places have none: they are passed over several at
/// a time.
#[inline]
pub(super) fn first_with<T>(row: &[T], bits: impl Fn(&T) -> u32, wanted: u32) -> Option<usize> {
    let (together, _) = row.as_chunks::<TOGETHER>();
    let any = |places: &[T; TOGETHER]| places.iter().fold(0, |any, it| any | bits(it));
    let passed = together.iter().take_while(|it| any(it) & wanted == 0);
    let from = passed.count() * TOGETHER;
    let next = row[from..].iter().position(|it| bits(it) & wanted != 0)?;
    Some(from + next)
}
