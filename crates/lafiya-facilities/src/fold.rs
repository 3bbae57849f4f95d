//! Folds names for comparison: lower case, no accents, single spaces. The build script uses this
//! file to fold the embedded names.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Folds a text: `Côte d'Ivoire` becomes `cote divoire`, and `Port-Harcourt` becomes `port
/// harcourt`.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        if is_apostrophe(c) {
            continue;
        }
        if !c.is_alphanumeric() {
            gap = true;
            continue;
        }
        if gap && !folded.is_empty() {
            folded.push(' ');
        }
        gap = false;
        folded.extend(c.to_lowercase().map(plain));
    }
    folded
}

/// Folds letters of African orthographies that do not decompose into a base letter and a mark.
fn plain(c: char) -> char {
    match c {
        'ɓ' => 'b',
        'ɗ' | 'đ' => 'd',
        'ɛ' | 'ǝ' | 'ə' => 'e',
        'ƙ' => 'k',
        'ŋ' => 'n',
        'ɔ' | 'ø' => 'o',
        'ƴ' => 'y',
        'ı' => 'i',
        other => other,
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '’' | '‘' | '`' | '´' | 'ʻ' | 'ʼ' | 'ʽ' | '‛' | 'ʿ' | 'ʾ'
    )
}
