//! The words of the index: which of them a typed word may mean, and how telling each is.
//!
//! A typing error is looked up through trigrams, so that only words that share letters are measured.

use rapidfuzz::distance::osa;

use super::near::{Letters, differing_max};
use crate::canon::Role;
use crate::hash::FastMap;

/// All distinct words.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    words: Vec<Word>,
    /// What tells most of them from a misspelt word at once, close together.
    shapes: Vec<Shape>,
    /// How telling each word is, 0 to 1.
    weights: Vec<f64>,
    by_text: FastMap<String, u32>,
    by_form: FastMap<String, Vec<u32>>,
    /// Words in alphabetical order, for beginnings.
    sorted: Vec<u32>,
    trigrams: FastMap<u64, Vec<u32>>,
}

#[derive(Clone, Debug)]
struct Word {
    text: String,
    form: String,
    role: Role,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Its letters, counted.
    length: u32,
    letters: Letters,
}

impl Shape {
    fn of(word: &str) -> Self {
        Self {
            length: u32::try_from(word.chars().count()).unwrap_or(u32::MAX),
            letters: Letters::of(word),
        }
    }

    /// Whether a word of the other shape may be so many slips away.
    fn may_be_near(self, other: Self, slips: u32) -> bool {
        let longer = self.length.abs_diff(other.length);
        let differing_max = differing_max(slips, longer);
        longer <= slips && self.letters.differ_by_at_most(other.letters, differing_max)
    }
}

/// A word of the index that a typed word may mean, and how surely (0 to 1).
pub(super) type Fit = (u32, f64);

const SAME_STEM: f64 = 0.98;
const SAME_MEANING: f64 = 0.95;
/// Shorter stems are too alike.
const STEM_MIN: usize = 4;
const ONE_TYPO: f64 = 0.88;
const TWO_TYPOS: f64 = 0.76;
/// Words that a typed beginning may grow into.
const GROWTHS_MAX: usize = 60;

impl Vocabulary {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Enters a word once; gives its number.
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
        self.shapes.push(Shape::of(text));
        self.by_text.insert(text.to_owned(), number);
        self.by_form
            .entry(form.to_owned())
            .or_default()
            .push(number);
        for trigram in trigrams(text) {
            let list = self.trigrams.entry(trigram).or_default();
            if list.last() != Some(&number) {
                list.push(number);
            }
        }
        number
    }

    /// Weighs the words when all entries are in: rare words tell more, and forms of one meaning count together.
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
                role_weight(word.role) * (-share.ln() / 8.0).clamp(0.3, 1.0)
            })
            .collect();
        self.weights = weights;
        let mut sorted: Vec<u32> = (0..self.words.len())
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX))
            .collect();
        sorted.sort_by(|&a, &b| self.text(a).cmp(self.text(b)));
        self.sorted = sorted;
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

    /// The weight of a word of the query: that of its like in the index, of the commonest word it may be a slip of, or
    /// full for a stranger.
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

    /// Two words written as one ("sorethroat"): where to part them.
    pub(super) fn parted<'t>(&self, text: &'t str) -> Option<[&'t str; 2]> {
        let known = |part: &str| part.len() > 3 && self.by_text.contains_key(part);
        let places = text.char_indices().map(|(at, _)| at).filter(|&at| at > 2);
        let mut parts = places.map(|at| text.split_at(at));
        parts
            .find(|(a, b)| known(a) && known(b))
            .map(|(a, b)| [a, b])
    }

    /// What a typed word may mean. `unfinished`: it is the last one, somebody may still be typing it.
    pub(super) fn fits(&self, text: &str, form: &str, unfinished: bool) -> Vec<Fit> {
        let mut fits: Vec<Fit> = Vec::new();
        fits.extend(self.exact(text).map(|word| (word, 1.0)));
        for &word in self.by_form.get(form).into_iter().flatten() {
            let stem_alike = shares_start(self.text(word), text);
            // "iching" is no form of "ICH": a stem of three letters says nothing.
            if form.len() < STEM_MIN && self.text(word).len().abs_diff(text.len()) > 1 {
                continue;
            }
            push(
                &mut fits,
                word,
                if stem_alike { SAME_STEM } else { SAME_MEANING },
            );
        }
        if unfinished && text.chars().count() >= 2 {
            self.growths(text, &mut fits);
        }
        if fits.iter().all(|(_, fit)| *fit < SAME_MEANING) {
            self.misspelt(text, &mut fits);
        }
        fits
    }

    fn text(&self, word: u32) -> &str {
        &self.words[word as usize].text
    }

    /// Words that begin so. The nearer to complete, the surer.
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

    /// Two neighbouring letters swapped: in a short word that leaves no trigram whole.
    fn swapped(&self, text: &str, fits: &mut Vec<Fit>) {
        let letters: Vec<char> = text.chars().collect();
        for n in 1..letters.len() {
            let mut other = letters.clone();
            other.swap(n - 1, n);
            if let Some(word) = self.exact(&other.into_iter().collect::<String>()) {
                push(fits, word, ONE_TYPO);
            }
        }
    }

    /// Words one or two slips away: a letter wrong, missing, too many, or two swapped.
    fn misspelt(&self, text: &str, fits: &mut Vec<Fit>) {
        let shape = Shape::of(text);
        let slips_max = match shape.length {
            0..=3 => return,
            4..=6 => 1,
            _ => 2,
        };
        self.swapped(text, fits);
        let own = trigrams(text);
        let mut counts = vec![0_u8; self.words.len()];
        let lists = || own.iter().filter_map(|it| self.trigrams.get(it));
        let mut shared: Vec<u32> = Vec::with_capacity(lists().map(Vec::len).sum());
        for list in lists() {
            for &word in list {
                let count = &mut counts[word as usize];
                if *count == 0 {
                    shared.push(word);
                }
                *count = count.saturating_add(1);
            }
        }
        // A slip destroys at most three trigrams (a swap four).
        let needed = own.len().saturating_sub(4 * slips_max as usize).max(1);
        let comparator = osa::BatchComparator::new(text.chars());
        let cutoff = osa::Args::default().score_cutoff(slips_max as usize);
        for word in shared {
            let other = self.shapes[word as usize];
            let count = usize::from(counts[word as usize]);
            if count < needed || other.length < 4 || !shape.may_be_near(other, slips_max) {
                continue;
            }
            match comparator.distance_with_args(self.text(word).chars(), &cutoff) {
                Some(0 | 1) => push(fits, word, ONE_TYPO),
                Some(_) => push(fits, word, TWO_TYPOS),
                None => {}
            }
        }
        // Forms of the word that was meant fit as well as the word itself.
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

/// The trigrams of a word, with its start and end marked, each as one number.
fn trigrams(text: &str) -> Vec<u64> {
    let padded: Vec<u64> = std::iter::once('^')
        .chain(text.chars())
        .chain(['$'])
        .map(u64::from)
        .collect();
    // A character has at most 21 bits.
    padded
        .windows(3)
        .map(|it| it[0] << 42 | it[1] << 21 | it[2])
        .collect()
}
