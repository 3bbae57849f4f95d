//! Country codes from ISO 3166-1.

/// Every assigned country code.
const CODES: &str = "\
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ \
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR \
    GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP \
    KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ \
    NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW \
    SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ \
    UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/// Whether a two-letter code is assigned to a country. Case does not matter.
///
/// # Example
///
/// ```
/// use lafiya_model::is_country_code;
///
/// assert!(is_country_code("ng"));
/// assert!(!is_country_code("Nigeria"));
/// ```
pub fn is_country_code(code: &str) -> bool {
    let mut codes = CODES.split_ascii_whitespace();
    codes.any(|known| known.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_country_codes_are_known() {
        assert_eq!(CODES.split_ascii_whitespace().count(), 249);
        for code in ["NG", "gh", "Ke", "SS", "ZW"] {
            assert!(is_country_code(code), "{code}");
        }
        for code in ["XX", "N", "", "NGA", "NG GH", "ÑG"] {
            assert!(!is_country_code(code), "{code}");
        }
    }
}
