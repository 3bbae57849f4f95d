//! A sparse map from a wide range of numbers, of which a query touches few. Clearing a table of the
//! whole range for every query would cost more than the query itself; this map clears only the
//! pages it touches.

/// The position of each number that was inserted.
pub(super) struct Places {
    /// The page of each block of numbers.
    page_of: Vec<u32>,
    pages: Vec<[u32; PAGE]>,
}

/// One CPU cache line.
const PAGE: usize = 16;
const NONE: u32 = u32::MAX;

impl Places {
    /// Creates a map for numbers below `range`, of which about `likely` will be inserted.
    pub(super) fn of(range: usize, likely: usize) -> Self {
        let pages = range.div_ceil(PAGE);
        Self {
            page_of: vec![NONE; pages],
            pages: Vec::with_capacity(likely.min(pages)),
        }
    }

    /// Returns the position of a number, or inserts `fresh` if it has none.
    #[inline]
    pub(super) fn place_or(&mut self, number: u32, fresh: usize) -> usize {
        let page = &mut self.page_of[number as usize / PAGE];
        if *page == NONE {
            *page = u32::try_from(self.pages.len()).unwrap_or(NONE);
            self.pages.push([NONE; PAGE]);
        }
        let place = &mut self.pages[*page as usize][number as usize % PAGE];
        if *place == NONE {
            *place = u32::try_from(fresh).unwrap_or(NONE);
        }
        *place as usize
    }

    /// Returns the position of a number, if it has one.
    #[inline]
    pub(super) fn place(&self, number: u32) -> Option<usize> {
        let page = self.page_of[number as usize / PAGE];
        let place = self.pages.get(page as usize)?[number as usize % PAGE];
        (place != NONE).then_some(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_first_place() {
        let mut places = Places::of(100, 2);
        assert_eq!(places.place(99), None);
        assert_eq!(places.place_or(99, 0), 0);
        assert_eq!(places.place_or(98, 1), 1);
        assert_eq!(places.place_or(3, 2), 2);
        assert_eq!(places.place_or(99, 7), 0);
        assert_eq!((places.place(98), places.place(97)), (Some(1), None));
    }
}
