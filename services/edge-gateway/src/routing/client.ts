import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Who is at the other end, as far as it can be believed. */
export type ClientView = {
  ip: string;
  scheme: 'http' | 'https';
  host: string;
  /** Whether a trusted proxy sent the request. */
  isProxied: boolean;
};

export type ClientViewOf = (req: IncomingMessage) => ClientView;

/** An IPv4 address that came over an IPv6 socket, as IPv4. */
export function plain(ip: string): string {
  return ip.startsWith('::ffff:') ? ip.slice(7) : ip;
}

/** @throws Error naming an entry that is neither an address nor a block. */
function blocks(list: string): BlockList {
  const out = new BlockList();
  for (const entry of list.split(/[\s,]+/).filter(Boolean)) {
    const [address = '', bits] = entry.split('/');
    const version = isIP(address);
    if (version === 0) throw new Error(`TRUSTED_PROXIES: ${entry} is neither an address nor a CIDR block`);
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) out.addAddress(address, family);
    else out.addSubnet(address, Number(bits), family);
  }
  return out;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** @throws Error when the list has an entry that is neither an address nor a block. */
export function createTrustedProxies(list: string): (ip: string) => boolean {
  const trusted = blocks(list);
  return (ip) => {
    const version = list === '' ? 0 : isIP(ip);
    return version !== 0 && trusted.check(ip, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/**
 * Reads address, scheme and host of the client. X-Forwarded-* counts only when the socket's own peer is a trusted
 * proxy; of a chain of addresses the last one that is not itself a trusted proxy is the client.
 */
export function createClientView(trustedProxies: string): ClientViewOf {
  const isTrusted = createTrustedProxies(trustedProxies);
  return (req) => {
    const peer = plain(req.socket.remoteAddress ?? '');
    const host = req.headers.host ?? '';
    if (!isTrusted(peer)) return { ip: peer, scheme: 'http', host, isProxied: false };
    const chain = (one(req.headers['x-forwarded-for']) ?? '').split(',').map((address) => plain(address.trim()));
    const ip = chain.toReversed().find((address) => isIP(address) !== 0 && !isTrusted(address)) ?? peer;
    const scheme = one(req.headers['x-forwarded-proto']) === 'https' ? 'https' : 'http';
    return { ip, scheme, host: one(req.headers['x-forwarded-host']) ?? host, isProxied: true };
  };
}

/** The first four groups of an IPv6 address, its zeros written out. */
function network(ip: string): string {
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  const zeros = tail === undefined ? 0 : 8 - groups.length - after;
  const all = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...(tail ?? '').split(':')];
  return all.slice(0, 4).join(':');
}

/** What counts as one client: an IPv4 address, or the /64 that an IPv6 host chooses its addresses from. */
export function limitKey(ip: string): string {
  return isIP(ip) === 6 ? network(ip) : ip;
}
