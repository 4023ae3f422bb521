import type { Forwarded } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import { peerStatusOf } from './peers.ts';

export { malformedBlocks } from './peers.ts';

/** Why the forwarded headers are rejected. */
export type ForwardedFault =
  | 'no_trusted_proxies'
  | 'malformed_trusted_proxies'
  | 'untrusted_peer'
  | 'identity_header_from_untrusted_peer'
  | 'cross_site'
  | 'duplicate'
  | 'joined'
  | 'variant'
  | 'hop_by_hop'
  | 'control'
  | 'encoding'
  | 'too_long';

/** A header that identifies the caller. */
export type IdentityHeader = {
  name: string;
  maxBytes: number;
  /** Whether its value may contain commas; otherwise a comma means that two headers were joined. */
  commas?: boolean;
};
type ForwardedRefusal = { ok: false; errorCode: AuditErrorCode; reason: ForwardedFault; header?: string };
type Judgement = { ok: true; values: ReadonlyMap<string, string> } | ForwardedRefusal;

const decoder = new TextDecoder('utf-8', { fatal: true });
const controls = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;
const encodedWord = /=\?[^?]*\?[bq]\?/i;

/**
 * Reads the identity headers of a trusted proxy. The proxy is the peer of the connection; X-Forwarded-For is ignored.
 * Headers that servers could interpret differently are rejected.
 */
export function readForwarded(
  forwarded: Forwarded,
  trustedProxies: string,
  wanted: readonly IdentityHeader[],
): Judgement {
  const names = new Map(wanted.map((word) => [skeleton(word.name), word]));
  const headers = pairs(forwarded.headers);
  const peerStatus = peerStatusOf(forwarded.peer, trustedProxies);
  if (peerStatus !== 'inside') {
    const named = headers.find(([name]) => names.has(skeleton(name)));
    if (peerStatus === 'outside' && named)
      return refusal('UNTRUSTED_PROXY', 'identity_header_from_untrusted_peer', named[0]);
    return refusal('UNTRUSTED_PROXY', peerStatus === 'outside' ? 'untrusted_peer' : peerStatus);
  }
  if (headers.some(([name, value]) => name === 'sec-fetch-site' && value === 'cross-site'))
    return refusal('INVALID_HEADER', 'cross_site');

  const hopByHop = hopByHopNames(headers);
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const word = names.get(skeleton(name));
    if (!word) continue;
    const refuse = (reason: ForwardedFault): Judgement => refusal('INVALID_HEADER', reason, name);
    if (name !== word.name.toLowerCase()) return refuse('variant');
    if (values.has(word.name)) return refuse('duplicate');
    if (hopByHop.has(skeleton(name))) return refuse('hop_by_hop');
    const text = textOf(value);
    const fault = faultOfValue(value, text, word);
    if (fault) return refuse(fault);
    values.set(word.name, text as string);
  }
  return { ok: true, values };
}

function refusal(errorCode: AuditErrorCode, reason: ForwardedFault, header?: string): ForwardedRefusal {
  return { ok: false, errorCode, reason, ...(header ? { header } : {}) };
}

/** Equal for all spellings of a header name that a server on the way may treat as the same header. */
function skeleton(name: string): string {
  let plain = name;
  try {
    plain = decodeURIComponent(name);
  } catch {
    // A % without an escape sequence is an ordinary character.
  }
  return plain
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? '']] : []));
}

/** Hop-by-hop headers named by the Connection header: a compliant proxy removes them. */
function hopByHopNames(headers: readonly [string, string][]): Set<string> {
  return new Set(
    headers.flatMap(([name, value]) =>
      name === 'connection' || name === 'proxy-connection' ? value.split(',').map(skeleton) : [],
    ),
  );
}

/** Decodes header bytes as UTF-8; Node's parser decodes them as latin1. */
function textOf(value: string): string | undefined {
  try {
    return decoder.decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined;
  }
}

function faultOfValue(value: string, text: string | undefined, header: IdentityHeader): ForwardedFault | undefined {
  if (Buffer.byteLength(value, 'latin1') > header.maxBytes) return 'too_long';
  if (text === undefined) return 'encoding';
  if (controls.test(text)) return 'control';
  if (text !== text.trim() || encodedWord.test(text)) return 'encoding';
  return !header.commas && text.includes(',') ? 'joined' : undefined;
}
