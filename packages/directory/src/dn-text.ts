import { canonicalType } from './attribute-names.ts';

// How settings that list distinguished names are read. Runs in the browser, too, which shows what will be read.

/**
 * Splits a text that lists DNs, which themselves contain commas: `;` and the end of a line always separate; a comma
 * separates only where a new DN begins after a complete one. Whether each is a DN is not judged here.
 */
export const splitDns = (text: string): string[] =>
  splitUnquoted(text, ';\n\r')
    .flatMap(splitAtNewDns)
    .map(trimSeparators)
    .filter((dn) => dn !== '');

// What stands at the top of a name: a DN is complete after one of these when something else follows.
const topTypes = new Set(['dc', 'o', 'c', 'l', 'st', 'street']);

const splitAtNewDns = (text: string): string[] => {
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
};

const typeOf = (rdn: string): string => canonicalType(/^\s*([^=+]*?)\s*=/.exec(rdn)?.[1] ?? '');

// A comma at the edge separates nothing; an escaped space belongs to the name.
const trimSeparators = (text: string): string => text.replace(/^[\s,]+/, '').replace(/(?<!\\)[\s,]+$/, '');

/** Splits at characters that are neither quoted nor escaped. */
export const splitUnquoted = (text: string, separators: string): string[] => {
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
};
