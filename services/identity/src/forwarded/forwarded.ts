import type { Forwarded } from '@overtone/service-kit';
import { inBlocks } from './peers.ts';

export { malformedBlocks } from './peers.ts';

/** Why nothing of what was forwarded is believed. */
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

/** A header that may say who is calling. */
export type Wanted = {
  name: string;
  maxBytes: number;
  /** Whether commas belong to its value; elsewhere one means that two headers were joined. */
  commas?: boolean;
};
type Judgement =
  { trusted: true; values: ReadonlyMap<string, string> } | { trusted: false; fault: ForwardedFault; header?: string };

/** What all spellings of a name have in common that some server on the way may take for the same. */
const skeleton = (name: string): string => {
  let plain = name;
  try {
    plain = decodeURIComponent(name);
  } catch {
    // A % that begins no escape is a character like any other.
  }
  return plain
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
};

const pairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? '']] : []));

const decoder = new TextDecoder('utf-8', { fatal: true });
const controls = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;
const encodedWord = /=\?[^?]*\?[bq]\?/i;

/** Header bytes are read as UTF-8: the parser gave them one character each. */
const textOf = (value: string): string | undefined => {
  try {
    return decoder.decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined;
  }
};

const faultOfValue = (value: string, text: string | undefined, w: Wanted): ForwardedFault | undefined => {
  if (Buffer.byteLength(value, 'latin1') > w.maxBytes) return 'too_long';
  if (text === undefined) return 'encoding';
  if (controls.test(text)) return 'control';
  if (text !== text.trim() || encodedWord.test(text)) return 'encoding';
  return !w.commas && text.includes(',') ? 'joined' : undefined;
};

/** Names that the Connection header binds to this connection: a proxy that obeys it would have dropped them. */
const boundNames = (headers: readonly [string, string][]): Set<string> =>
  new Set(
    headers.flatMap(([name, value]) =>
      name === 'connection' || name === 'proxy-connection' ? value.split(',').map(skeleton) : [],
    ),
  );

/**
 * Reads what a proxy says of its caller. Only the socket's other end counts as the proxy, whatever X-Forwarded-For says,
 * and what can be read in two ways is not read at all.
 */
export const judge = (f: Forwarded, trustedProxies: string, wanted: readonly Wanted[]): Judgement => {
  const names = new Map(wanted.map((w) => [skeleton(w.name), w]));
  const headers = pairs(f.headers);
  const known = inBlocks(f.peer, trustedProxies);
  if (known !== 'inside') {
    const named = headers.find(([name]) => names.has(skeleton(name)));
    if (known === 'outside' && named)
      return { trusted: false, fault: 'identity_header_from_untrusted_peer', header: named[0] };
    return { trusted: false, fault: known === 'outside' ? 'untrusted_peer' : known };
  }
  if (headers.some(([name, value]) => name === 'sec-fetch-site' && value === 'cross-site'))
    return { trusted: false, fault: 'cross_site' };

  const bound = boundNames(headers);
  const values = new Map<string, string>();
  for (const [name, value] of headers) {
    const w = names.get(skeleton(name));
    if (!w) continue;
    const refuse = (fault: ForwardedFault): Judgement => ({ trusted: false, fault, header: name });
    if (name !== w.name.toLowerCase()) return refuse('variant');
    if (values.has(w.name)) return refuse('duplicate');
    if (bound.has(skeleton(name))) return refuse('hop_by_hop');
    const text = textOf(value);
    const fault = faultOfValue(value, text, w);
    if (fault) return refuse(fault);
    values.set(w.name, text as string);
  }
  return { trusted: true, values };
};
