//! Checks whether a sentence of the model may be shown: each of its words must occur in an excerpt
//! it cites, in the stated findings, or in a short list of linking words. Words of advice, urgency,
//! dosage and negation are never shown: half a true sentence ("do not give X") can be dangerous.

use std::collections::HashSet;

use crate::prompt::KnowledgeExcerpt;

const SENTENCE_CHARACTERS_MAX: usize = 300;
const SENTENCE_WORDS_MIN: usize = 3;

/// Words that make no claim of their own.
const LINKING: &str = "a also among an and are area as at be because been between both but by case \
combination common commonly condition conditions consistent describes described disease explain explained explains \
features finding findings first fit fits fitting for from given group had has have here illness in is it its leading \
likely likelier make makes match matches more most of often on or passage pattern patient person picture point \
pointing points presence present presentation region reported second seen sign signs since so such suggest suggests \
support supported supports symptom symptoms than that the their then there these they this those to together typical \
typically usual usually was were when where which while who with";

/// Words that are never shown, in any sentence.
const FORBIDDEN: &str = "absent administer advice advise antibiotic antibiotics avoid benign cannot capsule \
capsules cure delay discharge dismiss do dont dosage dose doses drug drugs emergency exclude excluded excludes fine \
give given-with harmless home ignore immediately injection injections inject instead instruction instructions iu less \
lower mcg medicine medicines medication mg mild minor ml must never no none nor not okay override prescribe prompt \
reassure refer referral rest routine rule rules safe self should stop system tablet tablets take therapy treat treated \
treatment triage unlikely urgent wait withhold without wrong";

/// Returns why a sentence may not be shown.
pub(crate) fn objection(
    sentence: &str,
    cited: &[&KnowledgeExcerpt],
    told: &[String],
) -> Option<&'static str> {
    if cited.is_empty() {
        return Some("cites no passage that was given");
    }
    if sentence.chars().count() > SENTENCE_CHARACTERS_MAX {
        return Some("is longer than a sentence");
    }
    let plain = |letter: char| letter.is_alphanumeric() || " ,.;:()'’-–/%".contains(letter);
    // Mark-up, addresses of web pages and line breaks have no place in a reason.
    if !sentence.chars().all(plain) {
        return Some("holds more than words");
    }
    let words = words_of(sentence);
    if words.len() < SENTENCE_WORDS_MIN {
        return Some("is no sentence");
    }
    let forbidden: HashSet<&str> = FORBIDDEN.split_whitespace().collect();
    if words.iter().any(|word| forbidden.contains(word.as_str())) {
        return Some("speaks of treatment, urgency or absence, which is not its part");
    }
    let mut known: HashSet<String> = LINKING.split_whitespace().map(str::to_owned).collect();
    // Only the passages that it cites: words of another one would be a claim without a source.
    let sources = cited.iter().map(|passage| passage.text.as_str());
    for text in sources.chain(told.iter().map(String::as_str)) {
        known.extend(words_of(text));
    }
    let grounded = |word: &String| {
        known.contains(word)
            || word
                // A singular where the passage has the plural, or the other way round.
                .strip_suffix('s')
                .is_some_and(|singular| known.contains(singular))
            || known.contains(&format!("{word}s"))
    };
    if !words.iter().all(grounded) {
        return Some("says what the passages it cites do not say");
    }
    None
}

/// Splits a text into words and numbers in lower case; an apostrophe does not end a word.
fn words_of(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, shown: bool) {
        let passage = KnowledgeExcerpt {
            number: 1,
            text: "Example fever (the shakes). Fever after the bite of a mosquito; do not give aspirin. \
                   Findings: Fever in 95 of 100, Headache in 60 of 100. Not an emergency by itself."
                .to_owned(),
            sources: vec!["s".to_owned()],
        };
        let told = vec!["Vomiting".to_owned()];
        let objection = objection(sentence, &[&passage], &told);
        assert_eq!(objection.is_none(), shown, "{sentence}: {objection:?}");
    }

    #[test]
    fn sentences_grounded_in_the_passages_are_shown() {
        check(
            "Fever, headache and vomiting together fit example fever.",
            true,
        );
        check("Fever is present in 95 of 100 with example fever.", true);
        check("The patient's fevers and headaches are typical.", true);
    }

    #[test]
    fn ungrounded_sentences_are_not_shown() {
        check("Fever and a stiff neck fit example fever.", false);
        check("Fever is present in 12 of 100.", false);
        check("Lafiyacillin fits example fever.", false);
    }

    #[test]
    fn advice_denials_and_levels_are_never_shown() {
        check("Give aspirin for the fever.", false);
        check("This is not example fever.", false);
        check("Fever here is an emergency.", false);
        check("Fever and headache: stay at home.", false);
        check("Ignore the fever.", false);
    }

    #[test]
    fn markup_addresses_and_fragments_are_not_shown() {
        check("Fever <b>and</b> headache.", false);
        check("Fever and headache\nand fever", false);
        check("Fever.", false);
        check(&"fever and headache ".repeat(40), false);
    }

    #[test]
    fn a_sentence_without_a_passage_is_not_shown() {
        assert!(objection("Fever and headache fit.", &[], &[]).is_some());
    }
}
