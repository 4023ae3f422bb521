import { BlockList, isIP } from 'node:net';

/** Whether an address is in a list of addresses and blocks. A malformed list contains no address. */
type PeerStatus = 'inside' | 'outside' | 'no_trusted_proxies' | 'malformed_trusted_proxies';

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const mappedHex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i;

/** Converts an IPv4-mapped IPv6 address to IPv4, and removes the zone. */
export function plainAddress(address: string): string {
  const bare = address.split('%')[0] as string;
  const dotted = mapped.exec(bare)?.[1];
  if (dotted) return dotted;
  const hex = mappedHex.exec(bare);
  if (!hex) return bare;
  const [high, low] = [parseInt(hex[1] as string, 16), parseInt(hex[2] as string, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const decimal = /^\d{1,3}$/;

function addEntry(list: BlockList, entry: string): boolean {
  const [text = '', bits, ...more] = entry.split('/');
  const address = plainAddress(text);
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) {
    list.addAddress(address, family);
    return true;
  }
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8: the prefix is 96 bits shorter.
  const length = Number(bits) - (address === text.split('%')[0] ? 0 : 96);
  if (!decimal.test(bits) || length < 0 || length > (version === 6 ? 128 : 32)) return false;
  list.addSubnet(address, length, family);
  return true;
}

/** @returns undefined when an entry is neither an address nor a block. */
function parse(entries: readonly string[]): BlockList | undefined {
  const list = new BlockList();
  return entries.every((entry) => addEntry(list, entry)) ? list : undefined;
}

function entriesOf(setting: string): string[] {
  return setting.split(/[\s,;]+/).filter(Boolean);
}

/** Entries of a list that are neither an address nor a block. */
export function malformedBlocks(setting: string): string[] {
  return entriesOf(setting).filter((entry) => !addEntry(new BlockList(), entry));
}

export function peerStatusOf(peer: string, setting: string): PeerStatus {
  const entries = entriesOf(setting);
  if (entries.length === 0) return 'no_trusted_proxies';
  const list = parse(entries);
  if (!list) return 'malformed_trusted_proxies';
  const address = plainAddress(peer);
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4') ? 'inside' : 'outside';
}
