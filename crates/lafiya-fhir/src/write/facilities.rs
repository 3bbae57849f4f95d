//! Writes the nearest facilities as Locations, with telephone numbers only if a register has them.

use lafiya_model::NearestFacility;
use serde_json::json;

use super::Writer;

impl<'a> Writer<'a> {
    pub(super) fn write_facilities(&mut self) {
        let document = self.document;
        for (facility, number) in document.facilities.iter().zip(1..) {
            self.write_facility(facility, &format!("facility-{number}"));
        }
    }

    fn write_facility(&mut self, facility: &'a NearestFacility, label: &str) {
        let mut location = self
            .resource("Location", label, None)
            .with("status", "active")
            .with("name", facility.name.as_str())
            .with("description", facility.travel_hint.as_str())
            .with("mode", "instance")
            .with("type", json!([{"text": facility.kind}]))
            .with(
                "position",
                json!({"longitude": facility.longitude, "latitude": facility.latitude}),
            );
        if let Some(phone) = &facility.phone {
            location = location.with("telecom", json!([{"system": "phone", "value": phone}]));
        }
        if !facility.address.is_empty() {
            location = location.with("address", json!({"text": facility.address}));
        }
        let says = format!(
            "{} ({}), about {} km away. Source: {}.",
            facility.name, facility.kind, facility.distance_km, facility.source
        );
        let location = location.narrated(&[says]);
        self.add(location);
    }
}
