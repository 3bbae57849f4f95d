//! Classifies IP addresses as public or not. A webhook address is chosen by a stranger and called
//! from inside this service's network (server-side request forgery), so everything that is not
//! clearly the public internet is refused: IANA's special-purpose registries, and IPv6 forms that
//! contain an IPv4 address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// The kind of network an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkKind {
    Public,
    /// This machine or a private network, which a developer may allow.
    Private,
    /// Link-local (which includes metadata services), multicast, reserved and other special
    /// addresses.
    Special,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(head: [u16; 4], length: u8) -> Ipv6Net {
    let [a, b, c, d] = head;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), length)
}

const PRIVATE_V4: [Ipv4Net; 4] = [
    v4(127, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(172, 16, 0, 0, 12),
    v4(192, 168, 0, 0, 16),
];

const SPECIAL_V4: [Ipv4Net; 13] = [
    v4(0, 0, 0, 0, 8),
    // Carrier-grade NAT; also contains Alibaba's metadata service.
    v4(100, 64, 0, 0, 10),
    // Link-local; contains the metadata service of most clouds.
    v4(169, 254, 0, 0, 16),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 31, 196, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    // A public address, but used by Azure's machine agent in every Azure network.
    v4(168, 63, 129, 16, 32),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];

/// The only range allocated for the public internet.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0], 3);
const UNIQUE_LOCAL_V6: Ipv6Net = v6([0xfc00, 0, 0, 0], 7);
/// EC2's metadata service over IPv6, inside the unique-local range.
const METADATA_V6: Ipv6Net = v6([0xfd00, 0x0ec2, 0, 0], 64);
/// NAT64: the last 32 bits are an IPv4 address.
const NAT64: Ipv6Net = v6([0x0064, 0xff9b, 0, 0], 96);
/// 6to4: bits 16 to 48 are an IPv4 address.
const SIX_TO_FOUR: Ipv6Net = v6([0x2002, 0, 0, 0], 16);
const SPECIAL_GLOBAL_V6: [Ipv6Net; 3] = [
    // Protocol assignments, including Teredo, which contains an IPv4 address.
    v6([0x2001, 0, 0, 0], 23),
    v6([0x2001, 0x0db8, 0, 0], 32),
    v6([0x3fff, 0, 0, 0], 20),
];

/// The kind of network an address belongs to.
pub(crate) fn place_of(address: IpAddr) -> NetworkKind {
    match address {
        IpAddr::V4(address) => place_of_v4(address),
        IpAddr::V6(address) => place_of_v6(address),
    }
}

fn place_of_v4(address: Ipv4Addr) -> NetworkKind {
    if PRIVATE_V4.iter().any(|net| net.contains(&address)) {
        NetworkKind::Private
    } else if SPECIAL_V4.iter().any(|net| net.contains(&address)) {
        NetworkKind::Special
    } else {
        NetworkKind::Public
    }
}

fn place_of_v6(address: Ipv6Addr) -> NetworkKind {
    if address.is_loopback() {
        return NetworkKind::Private;
    }
    // The forms that contain an IPv4 address come before the general ranges, so that the inner
    // address decides.
    if let Some(inside) = address.to_ipv4_mapped() {
        return place_of_v4(inside);
    }
    let [_, a, b, _, _, _, d, e] = address.segments();
    if NAT64.contains(&address) {
        return never_private(place_of_v4(joined(d, e)));
    }
    if SIX_TO_FOUR.contains(&address) {
        return never_private(place_of_v4(joined(a, b)));
    }
    // Before the unique-local range, which contains it and which a developer may allow.
    if METADATA_V6.contains(&address) {
        return NetworkKind::Special;
    }
    if UNIQUE_LOCAL_V6.contains(&address) {
        return NetworkKind::Private;
    }
    let special = SPECIAL_GLOBAL_V6.iter().any(|net| net.contains(&address));
    if GLOBAL_V6.contains(&address) && !special {
        NetworkKind::Public
    } else {
        NetworkKind::Special
    }
}

/// Refuses private addresses behind a translator (NAT64 or 6to4): they belong to another network,
/// not to the developer's.
fn never_private(place: NetworkKind) -> NetworkKind {
    match place {
        NetworkKind::Public => NetworkKind::Public,
        NetworkKind::Private | NetworkKind::Special => NetworkKind::Special,
    }
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &[&str], expected: NetworkKind) {
        for text in addresses {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(place_of(address), expected, "{text}");
        }
    }

    #[test]
    fn public_addresses_are_classified_as_public() {
        check(
            &[
                "8.8.8.8",
                "1.1.1.1",
                "102.89.23.1",
                "172.15.255.255",
                "172.32.0.0",
                "192.169.0.1",
                "100.63.255.255",
                "100.128.0.1",
                "223.255.255.255",
                "2606:4700:4700::1111",
                "2c0f:fe38::1",
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
                "2002:808:808::1",
            ],
            NetworkKind::Public,
        );
    }

    #[test]
    fn loopback_and_private_networks_are_classified_as_private() {
        check(
            &[
                "127.0.0.1",
                "127.255.255.254",
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::ffff:7f00:1",
                "fc00::1",
                "fd12:3456:789a::1",
            ],
            NetworkKind::Private,
        );
    }

    #[test]
    fn reserved_addresses_are_classified_as_special() {
        check(
            &[
                "0.0.0.0",
                "0.1.2.3",
                "169.254.169.254",
                "169.254.0.1",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.51.100.7",
                "203.0.113.9",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::127.0.0.1",
                "::8.8.8.8",
                "::ffff:169.254.169.254",
                "::ffff:0:127.0.0.1",
                "64:ff9b::127.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b::169.254.169.254",
                "64:ff9b:1::1",
                "2002:7f00:1::1",
                "2002:a9fe:a9fe::1",
                "2002:a00:1::1",
                "2001::1",
                "2001:0:4136:e378:8000:63bf:3fff:fdd2",
                "2001:db8::1",
                "3fff::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "fd00:ec2::254",
                "100::1",
                "5f00::1",
                "4000::1",
            ],
            NetworkKind::Special,
        );
    }
}
