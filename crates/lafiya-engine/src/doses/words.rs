//! The words of a line of treatment that tell amounts and whom they are for.

/// What a piece of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Word,
    Open,
    Close,
    Comma,
    Colon,
    Semicolon,
    /// The end of a sentence.
    Stop,
}

/// A word or a mark of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) mark: Mark,
    pub(super) word: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

const UNITS: [&str; 18] = [
    "mg",
    "g",
    "gram",
    "grams",
    "microgram",
    "micrograms",
    "mcg",
    "iu",
    "unit",
    "units",
    "ml",
    "litre",
    "litres",
    "l",
    "tablet",
    "tablets",
    "capsule",
    "capsules",
];
/// Numbers in words, of tablets and capsules.
const NUMBERS: [&str; 8] = [
    "half", "one", "two", "three", "four", "five", "six", "eight",
];
const CHILDREN: [&str; 11] = [
    "child", "children", "child's", "infant", "infants", "newborn", "newborns", "baby", "babies",
    "toddler", "toddlers",
];
const WEIGHTS: [&str; 3] = ["kg", "kilogram", "square"];
/// Words between two amounts of one medicine: "200 mg, then 100 mg".
const LEADS: [&str; 31] = [
    "then",
    "to",
    "or",
    "up",
    "at",
    "most",
    "raised",
    "increased",
    "lowered",
    "reduced",
    "again",
    "another",
    "and",
    "by",
    "a",
    "once",
    "maximum",
    "max",
    "highest",
    "about",
    "from",
    "over",
    "of",
    "after",
    "usually",
    "later",
    "less",
    "more",
    "total",
    "least",
    "=",
];

impl Piece<'_> {
    fn is(&self, words: &[&str]) -> bool {
        let mut words = words.iter();
        self.mark == Mark::Word && words.any(|word| self.word.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_adult(&self) -> bool {
        self.is(&["adult", "adults"])
    }

    pub(super) fn is_child(&self) -> bool {
        self.is(&CHILDREN)
    }

    fn is_per_weight(&self) -> bool {
        self.word.ends_with("/kg") || self.word.ends_with("/m2")
    }

    fn is_digits(&self) -> bool {
        self.mark == Mark::Word
            && self
                .word
                .starts_with(|letter: char| letter.is_ascii_digit())
    }

    fn number(&self) -> Option<f64> {
        self.word.parse().ok()
    }
}

/// Splits a line into words and marks. A mark between digits belongs to the number.
pub(super) fn pieces(line: &str) -> Vec<Piece<'_>> {
    // The words of treatment lines have about four letters.
    let mut pieces: Vec<Piece<'_>> = Vec::with_capacity(line.len() / 5);
    let bytes = line.as_bytes();
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let mut start = None;
    let mut depth = 0_usize;
    for (place, &byte) in bytes.iter().enumerate() {
        let ends_line = place + 1 == bytes.len();
        let in_number = place > 0 && is_digit(place - 1) && is_digit(place + 1);
        let before_space = ends_line || bytes[place + 1] == b' ';
        let mark = match byte {
            b'(' => Some(Mark::Open),
            b')' => Some(Mark::Close),
            b',' if !in_number => Some(Mark::Comma),
            b':' if !in_number => Some(Mark::Colon),
            b';' => Some(Mark::Semicolon),
            b'.' if before_space => {
                let next = line[place + 1..].trim_start();
                // Not in "e.g. a tablet", nor within a bracket.
                let ends = depth == 0 && !next.starts_with(char::is_lowercase);
                Some(if ends { Mark::Stop } else { Mark::Comma })
            }
            _ => None,
        };
        if mark.is_some() || byte == b' ' {
            if let Some(start) = start.take() {
                pieces.push(Piece {
                    mark: Mark::Word,
                    word: &line[start..place],
                    start,
                    end: place,
                });
            }
        } else {
            start.get_or_insert(place);
        }
        if let Some(mark) = mark {
            match mark {
                Mark::Open => depth += 1,
                Mark::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            pieces.push(Piece {
                mark,
                word: &line[place..=place],
                start: place,
                end: place + 1,
            });
        }
    }
    if let Some(start) = start {
        pieces.push(Piece {
            mark: Mark::Word,
            word: &line[start..],
            start,
            end: line.len(),
        });
    }
    pieces
}

/// Returns how many pieces an amount takes that starts here: "500 mg", "1 to 2 g", "400 or 500 mg",
/// "500 mg to 1 g".
pub(super) fn amount(here: &[Piece<'_>]) -> Option<usize> {
    let first = one_amount(here)?;
    let rest = &here[first..];
    let goes_on = rest.first().is_some_and(|piece| piece.is(&["to", "or"]));
    let second = goes_on.then(|| one_amount(&rest[1..])).flatten();
    Some(first + second.map_or(0, |second| second + 1))
}

fn one_amount(here: &[Piece<'_>]) -> Option<usize> {
    let is_number = |place: usize| {
        let piece = here.get(place);
        piece.is_some_and(|piece| piece.is_digits() || piece.is(&NUMBERS))
    };
    if !is_number(0) {
        return None;
    }
    let mut unit = 1;
    if here.get(1)?.is(&["to", "or", "and"]) && is_number(2) {
        unit = 3;
    }
    // "1.2 million units".
    if here.get(unit)?.is(&["million"]) {
        unit += 1;
    }
    let piece = here.get(unit)?;
    if piece.is_per_weight() {
        return Some(unit + 1);
    }
    // Words count tablets and capsules only: "one unit of blood" is no dose.
    let in_words = !here[0].is_digits();
    let is_unit = if in_words {
        piece.is(&["tablet", "tablets", "capsule", "capsules"])
    } else {
        piece.is(&UNITS)
    };
    let of_what = here.get(unit + 2);
    let per = here
        .get(unit + 1)
        .is_some_and(|piece| piece.is(&["per", "a", "each", "/"]));
    let of_what = of_what.filter(|_| per);
    if of_what.is_some_and(|piece| piece.is(&WEIGHTS)) {
        return is_unit.then_some(unit + 3);
    }
    // "50 mg per ml" is how strong a medicine is, and "2 litres per minute" a flow; neither is a
    // dose.
    let is_strength = of_what.is_some_and(|piece| piece.is(&["dl", "l", "ml", "litre", "minute"]));
    (is_unit && !is_strength).then_some(unit + 1)
}

/// Whether an amount is by weight or by the surface of the body.
pub(super) fn is_by_weight(amount: &[Piece<'_>]) -> bool {
    amount
        .iter()
        .any(|piece| piece.is_per_weight() || piece.is(&WEIGHTS))
}

/// Whether what follows an amount says that it is for a child: "in a child", "(newborn)".
pub(super) fn is_for_child(after: &[Piece<'_>]) -> bool {
    let child = |place: usize| after.get(place).is_some_and(Piece::is_child);
    let closes = |place: usize| {
        after
            .get(place)
            .is_some_and(|piece| piece.mark == Mark::Close)
    };
    match after.first() {
        Some(first) if first.mark == Mark::Open => {
            (child(1) && closes(2)) || after.get(1).is_some_and(|piece| piece.is(&["any"]))
        }
        Some(first) if first.is(&["in", "for"]) => child(1) || child(2),
        _ => false,
    }
}

/// Whether the words before a colon name children, outside brackets: "Children from 5 years:".
pub(super) fn is_childs_heading(head: &[Piece<'_>]) -> bool {
    let mut depth = 0_i32;
    head.iter().any(|piece| {
        match piece.mark {
            Mark::Open => depth += 1,
            Mark::Close => depth -= 1,
            _ => {}
        }
        depth == 0 && piece.is_child()
    })
}

/// Whether a bracket holds the amount of children beside the one before it: "(child 10 mg/kg)",
/// "(under 50 kg 15 mg/kg)". The highest dose by weight is no such amount.
pub(super) fn is_childs_amount(bracket: &[Piece<'_>]) -> bool {
    let Some([first, next]) = bracket.get(1..3) else {
        return false;
    };
    // "(at most 15 mg/kg)" limits the dose before it.
    if first.is(&["at", "up", "max", "maximum", "highest"]) {
        return false;
    }
    let within = || {
        bracket[1..]
            .iter()
            .take_while(|piece| piece.mark != Mark::Close)
    };
    let by_weight = || within().any(|piece| piece.is_per_weight());
    (first.is_child() && next.mark != Mark::Close) || by_weight()
}

/// Whether the bracket that is open names another medicine: "(or amikacin 15 mg/kg)".
pub(super) fn is_alternative(before: &[Piece<'_>]) -> bool {
    let open = before.iter().rposition(|piece| piece.mark == Mark::Open);
    let first = open.and_then(|open| before.get(open + 1));
    first.is_some_and(|piece| piece.is(&["or"]))
}

/// Whether only words that go on with a dose lead to an amount, and where they start.
pub(super) fn lead(before: &[Piece<'_>]) -> (bool, Option<usize>) {
    let leads = before.iter().rev().take_while(|lead| lead.is(&LEADS));
    let start = leads.last().map(|piece| piece.start);
    let opens = before.last().is_some_and(|piece| piece.mark == Mark::Open);
    (start.is_some() || opens, start)
}

/// Whether the words that lead to an amount make it a limit: "at most", "up to".
pub(super) fn is_limit(before: &[Piece<'_>]) -> bool {
    let mut leads = before.iter().rev().take_while(|piece| piece.is(&LEADS));
    leads.any(|lead| lead.is(&["most", "up", "maximum", "max", "highest", "than"]))
}

/// Whether "adults" at this place stands alone (`true`) or beside children (`false`); `None` in
/// "the adult dose".
pub(super) fn adults_alone(pieces: &[Piece<'_>], place: usize) -> Option<bool> {
    let at = |offset: isize| {
        let place = place.checked_add_signed(offset)?;
        pieces.get(place)
    };
    let is = |offset: isize, words: &[&str]| at(offset).is_some_and(|piece| piece.is(words));
    // "adult worms", "adult size": the word describes a thing, not the patient.
    if is(1, &["dose", "doses", "worms", "worm", "size"]) && pieces[place].is(&["adult"]) {
        return None;
    }
    let child = |offset: isize| at(offset).is_some_and(Piece::is_child);
    let joined_after = is(1, &["and", "or"]) && (child(2) || child(3));
    let joined_before = is(-1, &["and", "or"]) && child(-2);
    Some(!(joined_after || joined_before || is(1, &["too", "alike"])))
}

/// Returns the range of a bracket that only says "adults", or of that word at the head of a
/// bracket.
pub(super) fn label(pieces: &[Piece<'_>], place: usize) -> Option<(usize, usize)> {
    let before = &pieces[place.checked_sub(1)?];
    let after = pieces.get(place + 1)?;
    match (before.mark, after.mark) {
        (Mark::Open, Mark::Close) => Some((before.start, after.end)),
        (Mark::Open, Mark::Semicolon | Mark::Comma) => Some((pieces[place].start, after.end)),
        _ => None,
    }
}

/// Whether a word names children, or people of an age or weight, as those whom what follows is for.
pub(super) fn names_others(pieces: &[Piece<'_>], place: usize, after_adults: bool) -> bool {
    let piece = &pieces[place];
    let back = |steps: usize| place.checked_sub(steps).map(|place| &pieces[place]);
    let is_refused =
        || (1..=3).any(|steps| back(steps).is_some_and(|piece| piece.is(&["not", "no", "never"])));
    if piece.is_child() {
        return !is_refused();
    }
    let number = back(1).filter(|number| number.is_digits());
    if piece.is(&["kg", "kilogram"]) {
        return number.is_some();
    }
    let in_years = piece.is(&["year", "years"]);
    let in_months = piece.is(&["month", "months"]);
    let Some(number) = number.filter(|_| in_years || in_months) else {
        return false;
    };
    let is_range =
        back(2).is_some_and(|piece| piece.is(&["to"])) && back(3).is_some_and(Piece::is_digits);
    let before = back(if is_range { 4 } else { 2 });
    let of_age = before.is_some_and(|piece| {
        piece.is(&["below", "under", "from", "above", "aged", "than", "over"])
    });
    let is_range_of_years = is_range && in_years && !before.is_some_and(|piece| piece.is(&["for"]));
    let is_age = of_age
        || is_range_of_years
        || pieces
            .get(place + 1)
            .is_some_and(|piece| piece.is(&["old"]));
    let is_of_adults = in_years
        && !is_range
        && number.number().is_some_and(|age| age >= 12.0)
        && !before.is_some_and(|piece| piece.is(&["below", "under"]));
    is_age && !(after_adults && is_of_adults) && !is_refused()
}
