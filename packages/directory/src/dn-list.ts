import { canonicalType } from './attribute-names.ts';
import { NoDn, canonicalDn } from './dn.ts';

/** What a list setting means. */
export interface DnList {
  readonly dns: string[];
  /** One sentence for each part that is no DN. */
  readonly faults: string[];
}

/**
 * Splits a setting that lists DNs, which themselves contain commas: `;` and the end of a line always separate; a comma
 * separates only where a new DN begins after a complete one.
 */
export function parseDnList(text: string): DnList {
  const list: DnList = { dns: [], faults: [] };
  const seen = new Set<string>();
  for (const part of splitAt(text, ';\n\r').flatMap(splitAtNewDns)) {
    const dn = trimSeparators(part);
    if (dn === '') continue;
    try {
      const canonical = canonicalDn(dn);
      if (!seen.has(canonical)) list.dns.push(dn);
      seen.add(canonical);
    } catch (error) {
      if (!(error instanceof NoDn)) throw error;
      list.faults.push(`"${dn.slice(0, 200)}" is no distinguished name. ${error.message}`);
    }
  }
  return list;
}

// What stands at the top of a name: a DN is complete after one of these when something else follows.
const topTypes = new Set(['dc', 'o', 'c', 'l', 'st', 'street']);

function splitAtNewDns(text: string): string[] {
  const dns: string[] = [];
  let previousIsTop = false;
  for (const rdn of splitAt(text, ',')) {
    const isTop = topTypes.has(typeOf(rdn));
    const begins = dns.length === 0 || (previousIsTop && !isTop && rdn.includes('='));
    if (begins) dns.push(rdn);
    else dns[dns.length - 1] += `,${rdn}`;
    if (rdn.trim() !== '') previousIsTop = isTop;
  }
  return dns;
}

const typeOf = (rdn: string): string => canonicalType(/^\s*([^=+]*?)\s*=/.exec(rdn)?.[1] ?? '');

// A comma at the edge separates nothing; an escaped space belongs to the name.
const trimSeparators = (text: string): string => text.replace(/^[\s,]+/, '').replace(/(?<!\\)[\s,]+$/, '');

/** Splits outside of quotes and escapes. */
function splitAt(text: string, separators: string): string[] {
  const parts = [''];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at]!;
    if (c === '\\') {
      parts[parts.length - 1] += c + (text[at + 1] ?? '');
      at += 1;
      continue;
    }
    if (c === '"') quoted = !quoted;
    if (!quoted && separators.includes(c)) parts.push('');
    else parts[parts.length - 1] += c;
  }
  return parts;
}
