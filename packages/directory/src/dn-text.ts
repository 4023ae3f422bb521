import { canonicalType } from './attribute-names.ts';

// Splits settings that list distinguished names. Also runs in the browser, which shows the result.

/**
 * Splits a text that lists DNs, which themselves contain commas: `;` and the end of a line always separate; a comma
 * separates only before a new DN that follows a complete one. The parts are not validated here.
 */
export function splitDns(text: string): string[] {
  return splitUnquoted(text, ';\n\r')
    .flatMap(splitAtNewDns)
    .map(trimSeparators)
    .filter((dn) => dn !== '');
}

// Attribute types of top-level components: a DN is complete after one of them when another type follows.
const topTypes = new Set(['dc', 'o', 'c', 'l', 'st', 'street']);

function splitAtNewDns(text: string): string[] {
  const dns: string[] = [];
  let previousIsTop = false;
  for (const rdn of splitUnquoted(text, ',')) {
    const isTop = topTypes.has(typeOf(rdn));
    const begins = dns.length === 0 || (previousIsTop && !isTop && rdn.includes('='));
    if (begins) dns.push(rdn);
    else dns[dns.length - 1] += `,${rdn}`;
    if (rdn.trim() !== '') previousIsTop = isTop;
  }
  return dns;
}

function typeOf(rdn: string): string {
  return canonicalType(/^\s*([^=+]*?)\s*=/.exec(rdn)?.[1] ?? '');
}

// A leading or trailing comma is ignored; an escaped space belongs to the name.
function trimSeparators(text: string): string {
  return text.replace(/^[\s,]+/, '').replace(/(?<!\\)[\s,]+$/, '');
}

/** Splits at unquoted and unescaped separators. */
export function splitUnquoted(text: string, separators: string): string[] {
  const parts = [''];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const c = text.charAt(at);
    const taken = c === '\\' ? c + text.charAt(++at) : c;
    if (c === '"') quoted = !quoted;
    if (!quoted && separators.includes(taken)) parts.push('');
    else parts[parts.length - 1] += taken;
  }
  return parts;
}
