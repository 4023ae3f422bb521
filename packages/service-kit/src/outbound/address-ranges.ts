import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A range of addresses in CIDR notation, parsed. */
export type AddressRange = [Address, number];

/** @throws Error naming the part that is not an address or a range. */
export function parseRanges(text: string): AddressRange[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return ipaddr.parseCIDR(part.includes('/') ? part : `${part}/${part.includes(':') ? 128 : 32}`);
      } catch (cause) {
        throw new Error(`${part} is not an address range, such as 10.0.0.0/8 or fd00::/8`, { cause });
      }
    });
}

/** IPv6 ranges that contain an IPv4 address: the bit at which it begins, and whether its bits are inverted (Teredo). */
const embeddings: { range: AddressRange; startBit: number; inverted?: boolean }[] = [
  // IPv4-mapped, IPv4-compatible, IPv4-translated.
  { range: ipaddr.parseCIDR('::ffff:0:0/96'), startBit: 96 },
  { range: ipaddr.parseCIDR('::/96'), startBit: 96 },
  { range: ipaddr.parseCIDR('::ffff:0:0:0/96'), startBit: 96 },
  // NAT64: well-known prefix and local-use prefix (RFC 6052, RFC 8215).
  { range: ipaddr.parseCIDR('64:ff9b::/96'), startBit: 96 },
  { range: ipaddr.parseCIDR('2002::/16'), startBit: 16 },
  { range: ipaddr.parseCIDR('2001::/32'), startBit: 96, inverted: true },
];

/** Of all IPv6 addresses only 2000::/3 is assigned for global unicast; these parts of it are not public. */
const notPublic6 = [
  // Protocol assignments, with Teredo, ORCHID and benchmarking.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  // 6bone, returned in 2006.
  '3ffe::/16',
].map((range) => ipaddr.parseCIDR(range));
const globalUnicast6 = ipaddr.parseCIDR('2000::/3');

/** Addresses that ipaddr.js calls unicast although they are not public. */
const notPublic4 = ['192.0.0.0/24', '192.88.99.0/24', '168.63.129.16/32'].map((range) => ipaddr.parseCIDR(range));

/**
 * Whether requests to an address are refused: it is not a public unicast address, and in none of the allowed ranges. An IPv6
 * address that stands for an IPv4 address is refused unless that range is allowed, even for a public IPv4 address: a
 * resolver has no reason to return one, and a gateway would translate it.
 */
export function isRefusedAddress(text: string, allowed: readonly AddressRange[] = []): boolean {
  if (!ipaddr.isValid(text)) return true;
  const address = ipaddr.parse(text);
  // With a zone an address names an interface of this machine.
  if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).zoneId) return true;
  const embedded = address.kind() === 'ipv6' ? embeddedAddress(address as ipaddr.IPv6) : undefined;
  if (isWithin(embedded?.isMapped ? embedded.address : address, allowed)) return false;
  if (embedded) return embedded.isMapped ? !isPublic(embedded.address) : true;
  return !isPublic(address);
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return address.range() === 'unicast' && !isWithin(address, notPublic4);
  return address.match(globalUnicast6) && !isWithin(address, notPublic6);
}

function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(
    ([network, bits]) => network.kind() === address.kind() && (address as ipaddr.IPv4).match(network, bits),
  );
}

/** The IPv4 address inside an IPv6 address. A mapped one is the same address for the operating system. */
function embeddedAddress(address: ipaddr.IPv6): { address: ipaddr.IPv4; isMapped: boolean } | undefined {
  const found = embeddings.find(({ range }) => address.match(range as [ipaddr.IPv6, number]));
  if (!found) return undefined;
  const start = found.startBit / 8;
  const bytes = address.toByteArray().slice(start, start + 4);
  const plain = found.inverted ? bytes.map((byte) => byte ^ 0xff) : bytes;
  return { address: new ipaddr.IPv4(plain), isMapped: address.isIPv4MappedAddress() };
}
