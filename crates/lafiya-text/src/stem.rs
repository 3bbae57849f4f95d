//! Stemming: the part that the forms of a word share, in British and American spelling alike.
//!
//! Deliberately light and regular. Both sides of every comparison are stemmed, so a stem does not
//! have to be a word; it only has to be the same for both. Irregular forms are data
//! (`words/same.toml`).

/// Normalizes to American spelling, so that "diarrhoea", "diarrhea", "haematuria" and "tumour" have
/// one form each.
pub(crate) fn spelling(word: &str) -> String {
    if word.len() < 5 || !word.is_ascii() || !has_british_letters(word) {
        return word.to_owned();
    }
    let mut plain = word
        .replace("rrhoe", "rrhe")
        .replace("oea", "ea")
        .replace("oed", "ed")
        .replace("oes", "es")
        .replace("foet", "fet")
        .replace("pnoe", "pne")
        .replace("ae", "e")
        .replace("ysis", "ys")
        .replace("ph", "f");
    for (british, american) in [
        ("our", "or"),
        ("ours", "or"),
        ("oured", "ored"),
        ("ise", "ize"),
        ("ised", "ized"),
    ] {
        if plain.len() >= british.len() + 3 && plain.ends_with(british) {
            plain.truncate(plain.len() - british.len());
            plain.push_str(american);
            break;
        }
    }
    plain
}

fn has_british_letters(word: &str) -> bool {
    ["oe", "ae", "ph", "ysis"]
        .iter()
        .any(|letters| word.contains(letters))
        || ["our", "ours", "oured", "ise", "ised"]
            .iter()
            .any(|suffix| word.ends_with(suffix))
}

/// Returns the singular in normalized spelling. Verb forms stay separate: "stool" is not
/// "stooling".
pub(crate) fn singular(word: &str) -> String {
    let mut word = spelling(word);
    // Short words would lose more than a plural: "gas", "pus".
    if word.len() <= 3 || !word.is_ascii() {
        return word;
    }
    let ending = |suffix: &str| word.ends_with(suffix);
    if ending("ies") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ["ches", "shes", "xes", "sses", "zes"]
        .iter()
        .any(|suffix| ending(suffix))
    {
        word.truncate(word.len() - 2);
    } else if ending("s") && !["ss", "us", "is"].iter().any(|suffix| ending(suffix)) {
        word.truncate(word.len() - 1);
    }
    word
}

/// Returns the stem: the singular without verb endings and derivational suffixes (-ness, -ful, -ly,
/// -y).
pub(crate) fn stem(word: &str) -> String {
    stem_of_singular(singular(word))
}

/// Returns the stem of a word whose singular is known.
pub(crate) fn stem_of_singular(singular: String) -> String {
    let mut stem = singular;
    // "even" in "too weak to even stand" is not an evening, and a stabbing pain is not a stab
    // wound. A number has no endings: 1500 is not 150.
    let has_endings = stem.bytes().any(|byte| byte.is_ascii_alphabetic());
    if stem.len() <= 3
        || !stem.is_ascii()
        || !has_endings
        || ["evening", "stabbing"].contains(&stem.as_str())
    {
        return stem;
    }
    for (suffix, rest) in [("ness", 3), ("ful", 3), ("ing", 3), ("ed", 3), ("ly", 4)] {
        if stem.len() >= suffix.len() + rest
            && stem.ends_with(suffix)
            && has_vowel(&stem[..stem.len() - suffix.len()])
        {
            stem.truncate(stem.len() - suffix.len());
            break;
        }
    }
    if stem.len() > 4 && stem.ends_with('i') {
        stem.pop();
        stem.push('y');
    }
    if made_with_y(&stem) {
        stem.pop();
    }

    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    let doubled =
        stem.len() > 3 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
    if doubled {
        stem.pop();
    }
    // "Note" and "noted" must not become the negation "not".
    if stem == "not" {
        stem.push('e');
    }
    stem
}

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// "itchy", "dizzy", "watery" are made from shorter words; "party" and "heavy" are not.
fn made_with_y(word: &str) -> bool {
    let Some(root) = word.strip_suffix('y') else {
        return false;
    };
    let last = root.as_bytes().last();
    let doubled = root.len() > 2 && last == root.as_bytes().get(root.len() - 2);
    let consonant = !root.ends_with(['a', 'e', 'i', 'o', 'u']);
    (doubled && root.len() > 3) || root.ends_with("ch") || (consonant && root.len() > 4)
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        let check = |words: &[&str]| {
            for word in words {
                assert_eq!(stem(word), stem(words[0]), "{word} and {}", words[0]);
            }
        };
        check(&["vomit", "vomits", "vomiting", "vomited"]);
        check(&["cough", "coughing", "coughs"]);
        check(&["breathe", "breathing", "breath"]);
        check(&["diarrhoea", "diarrhea"]);
        check(&["oedema", "edema"]);
        check(&["itch", "itchy", "itching"]);
        check(&["dizzy", "dizziness"]);
        check(&["running", "runny", "run"]);
        check(&["stiff", "stiffness"]);
        check(&["tumour", "tumor", "tumours"]);
        check(&["belly", "bellies"]);
        check(&["pain", "painful", "paining", "pains"]);
        check(&["wheeze", "wheezing"]);
        check(&["haematuria", "hematuria"]);
    }

    #[test]
    fn singular_strips_plurals_but_keeps_verb_endings() {
        assert_eq!(singular("stools"), "stool");
        assert_eq!(singular("stooling"), "stooling");
        assert_eq!(singular("rashes"), "rash");
    }
}
