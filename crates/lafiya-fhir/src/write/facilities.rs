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

    fn write_facility(&mut self, it: &'a NearestFacility, label: &str) {
        let mut location = self
            .resource("Location", label, None)
            .with("status", "active")
            .with("name", it.name.as_str())
            .with("description", it.travel_hint.as_str())
            .with("mode", "instance")
            .with("type", json!([{"text": it.kind}]))
            .with(
                "position",
                json!({"longitude": it.longitude, "latitude": it.latitude}),
            );
        if let Some(phone) = &it.phone {
            location = location.with("telecom", json!([{"system": "phone", "value": phone}]));
        }
        if !it.address.is_empty() {
            location = location.with("address", json!({"text": it.address}));
        }
        let says = format!(
            "{} ({}), about {} km away. Source: {}.",
            it.name, it.kind, it.distance_km, it.source
        );
        let location = location.narrated(&[says]);
        self.add(location);
    }
}
