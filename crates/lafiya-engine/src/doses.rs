//! The doses in a line of treatment, for the patient's age. Lines are written for adults and
//! children together and say whom an amount is for (`knowledge/FORM.md`). A patient below
//! [`ADULT_DOSE_FROM_YEARS`] is not shown an amount that is for adults: where no child's amount
//! stands beside it, the line refers to the formulary.

use lafiya_knowledge::Condition;
use lafiya_model::{Age, Phrase, Text};

use self::words::{Mark, pieces};

mod words;

/// The age from which doses for adults are shown.
pub(crate) const ADULT_DOSE_FROM_YEARS: u32 = 12;
/// What a child is told in place of an adult amount.
const SEE_FORMULARY: &str = "(dose by weight: see the formulary)";

/// Returns a line of a condition as a patient of this age reads it. A condition of children alone
/// has no doses for adults.
pub(crate) fn of_condition<'a>(age: Age, condition: &Condition, line: &'a Phrase) -> Text<'a> {
    let to = condition.text.who.to;
    if to.is_some_and(|to| to <= Age::from_years(ADULT_DOSE_FROM_YEARS)) {
        return line.into();
    }
    for_age(age, line)
}

/// Returns a line as a patient of this age reads it.
pub(crate) fn for_age<'a>(age: Age, line: &'a Phrase) -> Text<'a> {
    if age >= Age::from_years(ADULT_DOSE_FROM_YEARS) {
        return line.into();
    }
    for_child(line).map_or_else(|| line.into(), Text::from)
}

/// Like [`of_condition`], for a line that also refers to doses: the line with its own amounts
/// changed for a child, or `None` if nothing changes.
pub(crate) fn prose_of_condition(age: Age, condition: &Condition, line: &str) -> Option<String> {
    let to = condition.text.who.to;
    let is_of_children = to.is_some_and(|to| to <= Age::from_years(ADULT_DOSE_FROM_YEARS));
    if is_of_children {
        return None;
    }
    prose_for_age(age, line)
}

/// Like [`for_age`], for a line that also refers to doses.
pub(crate) fn prose_for_age(age: Age, line: &str) -> Option<String> {
    (age < Age::from_years(ADULT_DOSE_FROM_YEARS))
        .then(|| for_child(line))
        .flatten()
}

/// Whom an amount is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    /// Nobody is named before it.
    Unsaid,
    Adults,
    /// Children, or anybody named by age or weight.
    Others,
}

/// An amount in a line, such as "500 mg" or "1 to 2 tablets".
#[derive(Clone, Copy, Debug)]
struct Amount {
    start: usize,
    end: usize,
    whom: Whom,
    /// Where the word "adults" stands, if it governs this amount from before.
    governed_from: Option<usize>,
    clause: usize,
    sentence: usize,
    /// Whether it may be the amount for others of the medicine before it. An amount by weight that
    /// stands alone belongs to a medicine of its own: "ceftriaxone 2 g with gentamicin 5 mg/kg".
    may_be_beside: bool,
    /// Whether it goes on with the dose of the amount before it: "then 250 mg".
    continues: bool,
    /// Where the words that lead to it start: "then".
    lead_start: usize,
}

/// One clause: up to a semicolon or the end of a sentence.
#[derive(Clone, Debug, Default)]
struct Clause {
    /// Whether some of its amounts are labelled for adults, or a child's amount follows in
    /// brackets.
    is_labelled: bool,
    /// The ranges of labels that mean nothing once the amounts are gone.
    labels: Vec<(usize, usize)>,
    sentence: usize,
    /// Whether it has a dose by weight that is for adults. It stays, and so does its label.
    has_adult_weight: bool,
}

/// Returns a line without the amounts for adults, or `None` if it has none.
fn for_child(line: &str) -> Option<String> {
    // Most lines name nobody by age or weight, so they are returned without being read. "dult"
    // matches both "Adults" and "adults".
    if !["dult", "(child", "/kg"]
        .iter()
        .any(|mark| line.contains(mark))
    {
        return None;
    }
    let (clauses, mut amounts) = read(line);
    for amount in &mut amounts {
        // In "500 mg (child 10 mg/kg)" the amount before the bracket is for adults without saying
        // so.
        if amount.whom == Whom::Unsaid && clauses[amount.clause].is_labelled {
            amount.whom = Whom::Adults;
        }
    }
    let mut edits: Vec<(usize, usize, &str)> = Vec::new();
    for (place, amount) in amounts.iter().enumerate() {
        if amount.whom != Whom::Adults {
            continue;
        }
        let has_other = has_amount_for_others(&amounts, place);
        match amount.governed_from {
            Some(start) if has_other => edits.push((start, segment_end(line, amount.end), "")),
            _ if has_other => edits.push((amount.start, amount.end, "")),
            // "then 250 mg" goes on with an adult dose that is already replaced, so the words that
            // lead to it go too.
            _ if amount.continues => {
                edits.push((amount.lead_start, segment_end(line, amount.end), ""));
            }
            _ => edits.push((amount.start, amount.end, SEE_FORMULARY)),
        }
        let clause = &clauses[amount.clause];
        let mut others = clauses.iter();
        if others.any(|other| other.sentence == clause.sentence && other.has_adult_weight) {
            continue;
        }
        for label in &clause.labels {
            edits.push((label.0, label.1, ""));
        }
    }
    (!edits.is_empty()).then(|| tidy(&edited(line, edits)))
}

/// Whether an amount for others than adults belongs to the same medicine: the next one in the
/// sentence, or the one before it in "child 10 mg/kg, adults 500 mg".
fn has_amount_for_others(amounts: &[Amount], place: usize) -> bool {
    let amount = &amounts[place];
    let rest = amounts[place + 1..].iter();
    let mut rest = rest.take_while(|later| later.sentence == amount.sentence);
    let next = rest.find(|later| !(later.whom == Whom::Adults && later.continues));
    let before = place.checked_sub(1).map(|before| &amounts[before]);
    let before = before.filter(|earlier| earlier.sentence == amount.sentence);
    next.is_some_and(|later| later.whom == Whom::Others && later.may_be_beside)
        || (amount.governed_from.is_some()
            && before.is_some_and(|earlier| earlier.whom == Whom::Others))
        || (amount.continues
            && before.is_some_and(|earlier| earlier.whom == Whom::Adults)
            && has_amount_for_others(amounts, place - 1))
}

/// Where the words about an amount end: before the next mark, or the next medicine.
fn segment_end(line: &str, from: usize) -> usize {
    let rest = &line[from..];
    let marks = rest.char_indices().find(|(place, letter)| match letter {
        ';' | '(' | ')' => true,
        ',' | '.' => rest[place + 1..].starts_with(' ') || rest.len() == place + 1,
        _ => false,
    });
    let mark = marks.map(|(place, _)| place);
    let joins = [" and ", " or ", " with "];
    let join = joins.iter().filter_map(|join| rest.find(join)).min();
    let end = mark.into_iter().chain(join).min();
    from + end.unwrap_or(rest.len())
}

/// Applies edits (start, end, new text). Overlapping deletions are merged.
fn edited(line: &str, mut edits: Vec<(usize, usize, &str)>) -> String {
    // The label of a clause is added after its amounts, although it stands before them.
    edits.sort_unstable();
    edits.dedup();
    let mut text = String::with_capacity(line.len() + SEE_FORMULARY.len());
    let mut done = 0;
    for (start, end, new) in edits {
        if start >= done {
            text.push_str(&line[done..start]);
            // `tidy` capitalises the next sentence only where something was removed.
            text.push(EDITED);
            text.push_str(new);
        }
        done = done.max(end);
    }
    text.push_str(&line[done..]);
    text
}

/// Stands where a line was changed, until `tidy`.
const EDITED: char = '\0';

/// Removes the spaces and marks that an edit leaves behind, and starts sentences with a capital.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut is_edited = false;
    for letter in text.chars() {
        if letter == EDITED {
            is_edited = true;
            continue;
        }
        if matches!(letter, ',' | ';' | ':' | '.' | ')') && tidied.ends_with(' ') {
            tidied.pop();
        }
        let last = tidied.chars().next_back();
        match (last, letter) {
            // What an edit can leave: a doubled space, a mark without words before it, two marks in
            // a row or an empty bracket.
            (None | Some(' ' | '('), ' ') => {}
            (None | Some('(' | ',' | ':' | ';'), ',') => {}
            (None | Some('(' | ':' | ';'), ';' | ':') => {}
            (None, '.') => {}
            (Some(','), ';') => replace_last(&mut tidied, ';'),
            (Some(',' | ';'), '.') => replace_last(&mut tidied, '.'),
            (Some(',' | ';'), ')') => replace_last(&mut tidied, ')'),
            (Some('('), ')') => {
                tidied.pop();
            }
            (Some(' '), '(') if tidied.ends_with(", ") => {
                tidied.truncate(tidied.len() - 2);
                tidied.push_str(" (");
            }
            (None, first) => tidied.extend(first.to_uppercase()),
            (_, first) if is_edited && tidied.ends_with(". ") => {
                tidied.extend(first.to_uppercase());
            }
            (_, letter) => tidied.push(letter),
        }
        is_edited &= !letter.is_alphabetic();
    }
    let end = tidied.trim_end_matches([' ', ',', ';', ':']).len();
    tidied.truncate(end);
    // The line had only doses for adults. An empty line would look like nothing to do.
    if tidied.is_empty() {
        tidied.push_str(SEE_FORMULARY);
    }
    tidied
}

fn replace_last(text: &mut String, letter: char) {
    text.pop();
    text.push(letter);
}

/// What a reader of the line knows at one place.
#[derive(Clone, Copy)]
struct State {
    whom: Whom,
    governed_from: Option<usize>,
}

const NOBODY: State = State {
    whom: Whom::Unsaid,
    governed_from: None,
};

const OTHERS: State = State {
    whom: Whom::Others,
    governed_from: None,
};

/// Reads the clauses and amounts of a line.
fn read(line: &str) -> (Vec<Clause>, Vec<Amount>) {
    let pieces = pieces(line);
    let mut clauses = vec![Clause::default()];
    let mut amounts: Vec<Amount> = Vec::new();
    let mut sentence = 0;
    let mut clause_start = 0;
    // Holds for the following clauses of the sentence: "Adults: ...".
    let mut heading = NOBODY;
    let mut state = NOBODY;
    let mut outer: Vec<State> = Vec::new();
    let mut place = 0;
    while place < pieces.len() {
        let here = &pieces[place..];
        let clause = clauses.len() - 1;
        match here[0].mark {
            // A bracket speaks of somebody only inside: "500 mg (child 10 mg/kg) daily".
            Mark::Open => {
                outer.push(state);
                clauses[clause].is_labelled |= words::is_childs_amount(here);
            }
            // A line may close a bracket that it did not open; that is no reason to fail.
            Mark::Close => state = outer.pop().unwrap_or(NOBODY),
            Mark::Colon if outer.is_empty() => {
                let is_adults = |at: &usize| {
                    pieces[*at].is_adult() && words::adults_alone(&pieces, *at) == Some(true)
                };
                if let Some(at) = (clause_start..place).find(is_adults) {
                    let adults = &pieces[at];
                    heading = State {
                        whom: Whom::Adults,
                        governed_from: None,
                    };
                    state = heading;
                    clauses[clause].is_labelled = true;
                    // Only a heading that is the single word "Adults:" means nothing without its
                    // amounts. "Adults with fever:" still says something.
                    if adults.start == pieces[clause_start].start && place == clause_start + 1 {
                        clauses[clause].labels.push((adults.start, here[0].end));
                    }
                } else if words::is_childs_heading(&pieces[clause_start..place]) {
                    heading = OTHERS;
                    state = heading;
                }
            }
            Mark::Semicolon | Mark::Stop if outer.is_empty() => {
                if here[0].mark == Mark::Stop {
                    sentence += 1;
                    heading = NOBODY;
                }
                state = heading;
                clauses.push(Clause {
                    sentence,
                    is_labelled: heading.whom == Whom::Adults,
                    ..Clause::default()
                });
                clause_start = place + 1;
            }
            Mark::Word => {
                if let Some(length) = words::amount(here) {
                    let last = &here[length - 1];
                    let (lead, lead_start) = words::lead(&pieces[clause_start..place]);
                    let follows = amounts
                        .last()
                        .is_some_and(|previous| previous.clause == clause);
                    let by_weight = words::is_by_weight(&here[..length]);
                    // "80 mg/kg, at most 2 g": the limit of the amount by weight.
                    let is_limit = words::is_limit(&pieces[clause_start..place])
                        && amounts.last().is_some_and(|previous| {
                            previous.clause == clause && previous.whom == Whom::Others
                        });
                    let for_others = by_weight
                        || words::is_for_child(&here[length..])
                        || (is_limit && state.whom == Whom::Unsaid);
                    // A dose by weight for adults is not an amount for others.
                    if by_weight && state.whom == Whom::Adults {
                        clauses[clause].has_adult_weight |= !is_limit;
                    } else {
                        amounts.push(Amount {
                            start: here[0].start,
                            end: last.end,
                            whom: if for_others { Whom::Others } else { state.whom },
                            governed_from: state.governed_from,
                            clause,
                            sentence,
                            may_be_beside: !by_weight
                                || state.whom == Whom::Others
                                || (!outer.is_empty() && !words::is_alternative(&pieces[..place])),
                            continues: follows && lead,
                            lead_start: lead_start.unwrap_or(here[0].start),
                        });
                    }
                    place += length;
                    continue;
                }
                if here[0].is_adult() {
                    match words::adults_alone(&pieces, place) {
                        Some(true) => {
                            clauses[clause].is_labelled = true;
                            let label = words::label(&pieces, place);
                            clauses[clause].labels.extend(label);
                            state = State {
                                whom: Whom::Adults,
                                governed_from: Some(here[0].start),
                            };
                        }
                        Some(false) => state = OTHERS,
                        None => {}
                    }
                } else if words::names_others(&pieces, place, state.whom == Whom::Adults) {
                    state = OTHERS;
                }
            }
            _ => {}
        }
        place += 1;
    }
    (clauses, amounts)
}
