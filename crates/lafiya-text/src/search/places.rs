//! Places for numbers of a wide range of which a query meets few. A table of the whole range would have to be cleared for
//! every query, and that would cost more than the query itself; this one is cleared page by page where a number is met.

/// The place of each number that was met.
pub(super) struct Places {
    /// The page of each stretch of numbers.
    page_of: Vec<u32>,
    pages: Vec<[u32; PAGE]>,
}

/// One line of the processor's cache.
const PAGE: usize = 16;
const NONE: u32 = u32::MAX;

impl Places {
    /// For numbers below `range`, of which `likely` may be met.
    pub(super) fn of(range: usize, likely: usize) -> Self {
        let pages = range.div_ceil(PAGE);
        Self {
            page_of: vec![NONE; pages],
            pages: Vec::with_capacity(likely.min(pages)),
        }
    }

    /// The place of a number; none where it has none yet and `next` gives it none.
    #[inline]
    pub(super) fn place(
        &mut self,
        number: u32,
        next: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        let page = &mut self.page_of[number as usize / PAGE];
        if *page == NONE {
            *page = u32::try_from(self.pages.len()).unwrap_or(NONE);
            self.pages.push([NONE; PAGE]);
        }
        let place = &mut self.pages[*page as usize][number as usize % PAGE];
        if *place == NONE {
            *place = u32::try_from(next()?).unwrap_or(NONE);
        }
        Some(*place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_the_place_it_was_given() {
        let mut places = Places::of(100, 2);
        assert_eq!(places.place(99, || None), None);
        assert_eq!(places.place(99, || Some(0)), Some(0));
        assert_eq!(places.place(98, || Some(1)), Some(1));
        assert_eq!(places.place(3, || Some(2)), Some(2));
        assert_eq!(places.place(99, || Some(7)), Some(0));
        assert_eq!(places.place(98, || None), Some(1));
    }
}
