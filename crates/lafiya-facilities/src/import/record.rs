//! One row of any format, as fields of a facility.

use std::collections::HashMap;

/// The fields that a column can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Field {
    Id,
    Name,
    Type,
    Latitude,
    Longitude,
    Country,
    Phone,
    Rating,
    Services,
}

impl Field {
    pub(super) const ALL: [Self; 9] = [
        Self::Id,
        Self::Name,
        Self::Type,
        Self::Latitude,
        Self::Longitude,
        Self::Country,
        Self::Phone,
        Self::Rating,
        Self::Services,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::Type => "type",
            Self::Latitude => "latitude",
            Self::Longitude => "longitude",
            Self::Country => "country",
            Self::Phone => "phone",
            Self::Rating => "rating",
            Self::Services => "services",
        }
    }

    /// Returns the folded headers that identify a field without a mapping: those of the WHO/KWTRP
    /// list, healthsites.io, GRID3 and common national lists.
    pub(super) fn usual_headers(self) -> &'static [&'static str] {
        match self {
            Self::Id => &[
                "id",
                "osm id",
                "uuid",
                "facility id",
                "facility code",
                "code",
                "globalid",
                "mfl code",
                "facility uid",
            ],
            Self::Name => &[
                "name",
                "facility name",
                "facility n",
                "facility",
                "nom",
                "nome",
                "official name",
                "prmry name",
                "site name",
            ],
            Self::Type => &[
                "type",
                "facility type",
                "type raw",
                "amenity",
                "healthcare",
                "facility level",
                "facility level option",
                "category",
                "keph level",
                "func stats",
                "type de formation",
            ],
            Self::Latitude => &[
                "latitude",
                "lat",
                "y",
                "ycoord",
                "y coord",
                "gps latitude",
                "facility latitude",
            ],
            Self::Longitude => &[
                "longitude",
                "lon",
                "long",
                "lng",
                "x",
                "xcoord",
                "x coord",
                "gps longitude",
                "facility longitude",
            ],
            Self::Country => &[
                "country",
                "iso2",
                "country code",
                "iso a2",
                "pays",
                "pais",
                "countryname",
            ],
            Self::Phone => &[
                "phone",
                "telephone",
                "tel",
                "contact number",
                "contact phone",
                "phone number",
                "mobile",
            ],
            Self::Rating => &["rating", "stars"],
            Self::Services => &["services", "speciality", "service"],
        }
    }
}

/// One row.
pub(super) struct Record<'a> {
    pub(super) fields: HashMap<Field, &'a str>,
    /// Returns any column by its folded header.
    pub(super) column: &'a dyn Fn(&str) -> Option<&'a str>,
}

impl<'a> Record<'a> {
    pub(super) fn get(&self, field: Field) -> Option<&'a str> {
        self.fields.get(&field).copied()
    }
}
