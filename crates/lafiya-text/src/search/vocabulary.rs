//! The vocabulary of the index: which words a typed word may mean, and how distinctive each is.

use smallvec::SmallVec;

use super::misspelt::{LETTERS_MIN, Misspelt};
use crate::canon::Role;
use crate::hash::FastMap;

/// All distinct words.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    words: Vec<Word>,
    /// How distinctive each word is, from 0 to 1.
    weights: Vec<f64>,
    by_text: FastMap<String, u32>,
    by_form: FastMap<String, Vec<u32>>,
    /// Words in alphabetical order, for prefix matches.
    sorted: Vec<u32>,
    misspelt: Misspelt,
}

#[derive(Clone, Debug)]
struct Word {
    text: String,
    form: String,
    role: Role,
}

/// An index word that a typed word may mean, and how likely (0 to 1).
pub(super) type Fit = (u32, f64);

const SAME_STEM: f64 = 0.98;
const SAME_MEANING: f64 = 0.95;
/// Shorter stems are too ambiguous.
const STEM_MIN: usize = 4;
const ONE_TYPO: f64 = 0.88;
const TWO_TYPOS: f64 = 0.76;
/// Maximum number of completions of a prefix.
const GROWTHS_MAX: usize = 60;

impl Vocabulary {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Inserts a word if it is new, and returns its number.
    pub(super) fn add(&mut self, text: &str, form: &str, role: Role) -> u32 {
        if let Some(&known) = self.by_text.get(text) {
            return known;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.push(Word {
            text: text.to_owned(),
            form: form.to_owned(),
            role,
        });
        self.by_text.insert(text.to_owned(), number);
        self.by_form
            .entry(form.to_owned())
            .or_default()
            .push(number);
        number
    }

    /// Computes the word weights once all entries are in. Rare words are more distinctive; forms of
    /// one meaning count together.
    pub(super) fn finish(&mut self, postings: &[Vec<u32>], entries: usize) {
        let mut uses: FastMap<&str, usize> = FastMap::default();
        for (word, list) in self.words.iter().zip(postings) {
            *uses.entry(&word.form).or_default() += list.len();
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
        let weights = self
            .words
            .iter()
            .map(|word| {
                let share = uses[word.form.as_str()] as f64 / entries.max(1) as f64;
                // The inverse document frequency. `e^-8` is one entry in 3,000: from there on a
                // word counts fully.
                role_weight(word.role) * (-share.ln() / 8.0).clamp(0.3, 1.0)
            })
            .collect();
        self.weights = weights;
        let mut sorted: Vec<u32> = (0..self.words.len())
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX))
            .collect();
        sorted.sort_by(|&a, &b| self.text(a).cmp(self.text(b)));
        self.sorted = sorted;
        self.misspelt = Misspelt::of(self.words.iter().map(|word| word.text.as_str()));
    }

    pub(super) fn weight(&self, word: u32) -> f64 {
        self.weights[word as usize]
    }

    pub(super) fn form(&self, word: u32) -> &str {
        &self.words[word as usize].form
    }

    pub(super) fn exact(&self, text: &str) -> Option<u32> {
        self.by_text.get(text).copied()
    }

    /// Returns the weight of a query word: the weight of its equivalent in the index, of the
    /// commonest word it may be a typo of, or full weight for an unknown word.
    pub(super) fn query_weight(&self, text: &str, form: &str, role: Role, fits: &[Fit]) -> f64 {
        let known = self
            .exact(text)
            .or_else(|| self.by_form.get(form)?.first().copied());
        let meant = fits
            .iter()
            .filter(|(_, fit)| *fit >= TWO_TYPOS)
            .map(|(word, _)| self.weight(*word));
        match known {
            Some(word) => self.weight(word),
            None => meant
                .min_by(f64::total_cmp)
                .unwrap_or_else(|| role_weight(role)),
        }
    }

    /// Splits two words written as one ("sorethroat").
    pub(super) fn parted<'t>(&self, text: &'t str) -> Option<[&'t str; 2]> {
        let known = |part: &str| part.len() > 3 && self.by_text.contains_key(part);
        let places = text.char_indices().map(|(at, _)| at).filter(|&at| at > 2);
        let mut parts = places.map(|at| text.split_at(at));
        parts
            .find(|(a, b)| known(a) && known(b))
            .map(|(a, b)| [a, b])
    }

    /// Returns the possible meanings of a typed word. `unfinished` marks the last word, which may
    /// still be incomplete.
    pub(super) fn fits(&self, text: &str, form: &str, unfinished: bool) -> Vec<Fit> {
        let mut fits: Vec<Fit> = Vec::new();
        fits.extend(self.exact(text).map(|word| (word, 1.0)));
        for &word in self.by_form.get(form).into_iter().flatten() {
            let stem_alike = shares_start(self.text(word), text);
            // "iching" is not a form of "ICH": a stem of three letters is not enough.
            if form.len() < STEM_MIN && self.text(word).len().abs_diff(text.len()) > 1 {
                continue;
            }
            push(
                &mut fits,
                word,
                if stem_alike { SAME_STEM } else { SAME_MEANING },
            );
        }
        let letters = text.chars().count();
        if unfinished && letters >= 2 {
            self.growths(text, &mut fits);
        }
        if letters >= LETTERS_MIN && fits.iter().all(|(_, fit)| *fit < SAME_MEANING) {
            self.misspelt(text, &mut fits);
        }
        fits
    }

    fn text(&self, word: u32) -> &str {
        &self.words[word as usize].text
    }

    /// Adds words with this prefix. The closer to complete, the higher the score.
    fn growths(&self, start: &str, fits: &mut Vec<Fit>) {
        let from = self.sorted.partition_point(|&word| self.text(word) < start);
        let beginning = self.sorted[from..]
            .iter()
            .take_while(|&&word| self.text(word).starts_with(start));
        for &word in beginning.take(GROWTHS_MAX) {
            #[expect(clippy::cast_precision_loss, reason = "words are short")]
            let share = start.len() as f64 / self.text(word).len() as f64;
            push(fits, word, 0.60 + 0.35 * share);
        }
    }

    /// Swaps the two letters in the middle of a four-letter word, because such a swap leaves no
    /// trigram intact.
    fn swapped(&self, text: &str, fits: &mut Vec<Fit>) {
        let letters: SmallVec<[char; 4]> = text.chars().collect();
        if let &[a, b, c, d] = letters.as_slice()
            && let Some(word) = self.exact(&String::from_iter([a, c, b, d]))
        {
            push(fits, word, ONE_TYPO);
        }
    }

    /// Adds words one or two edits away, and their other forms.
    fn misspelt(&self, text: &str, fits: &mut Vec<Fit>) {
        self.swapped(text, fits);
        let text_of = |word| self.text(word);
        self.misspelt.for_each_near(text, text_of, |word, slips| {
            push(fits, word, if slips < 2 { ONE_TYPO } else { TWO_TYPOS });
        });
        // Other forms of a corrected word fit as well as the word itself.
        fits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let meant: Vec<Fit> = fits
            .iter()
            .copied()
            .filter(|(_, fit)| *fit <= ONE_TYPO)
            .take(3)
            .collect();
        for (word, fit) in meant {
            for &like in self
                .by_form
                .get(&self.words[word as usize].form)
                .into_iter()
                .flatten()
            {
                push(fits, like, fit * SAME_STEM);
            }
        }
    }
}

fn push(fits: &mut Vec<Fit>, word: u32, fit: f64) {
    match fits.iter_mut().find(|(known, _)| *known == word) {
        Some((_, known)) => *known = known.max(fit),
        None => fits.push((word, fit)),
    }
}

fn role_weight(role: Role) -> f64 {
    match role {
        Role::Content => 1.0,
        Role::Modifier => 0.6,
        Role::Person => 0.3,
        Role::Filler => 0.05,
    }
}

fn shares_start(a: &str, b: &str) -> bool {
    a.chars()
        .zip(b.chars())
        .take(3)
        .filter(|(a, b)| a == b)
        .count()
        == 3
}
