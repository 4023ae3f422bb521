/**
 * Splits a setting that lists distinguished names, which themselves contain commas: `;` and the end of a line always
 * separate; a comma separates only where a new name begins after a complete one. The service judges each name; this is
 * for showing what it will read.
 */
export const splitDns = (text: string): string[] =>
  splitAt(text, ';\n\r')
    .flatMap(splitAtNewNames)
    .map(trimmed)
    .filter((dn) => dn !== '');

/** A list whose entries hold no commas: login names, roles, addresses. */
export const splitWords = (text: string): string[] =>
  text
    .split(/[,;\n\r]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Addresses and blocks of them: blanks separate, too. */
export const splitAddresses = (text: string): string[] => text.split(/[\s,;]+/).filter((entry) => entry !== '');

/** True when it looks like `type=value,type=value`. */
export const looksLikeDn = (text: string): boolean =>
  splitAt(text, ',').every((part) => /^\s*(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*\S/i.test(part));

// What stands at the top of a name: one of these completes it.
const topTypes: ReadonlySet<string> = new Set(
  (
    'dc o c l st street domaincomponent organizationname countryname localityname stateorprovincename streetaddress ' +
    '0.9.2342.19200300.100.1.25 2.5.4.10 2.5.4.6 2.5.4.7 2.5.4.8 2.5.4.9'
  ).split(' '),
);
const isTop = (rdn: string): boolean => topTypes.has((/^\s*([^=+]*?)\s*=/.exec(rdn)?.[1] ?? '').toLowerCase());

const splitAtNewNames = (text: string): string[] => {
  const names: string[] = [];
  let afterTop = false;
  for (const rdn of splitAt(text, ',')) {
    const top = isTop(rdn);
    if (names.length === 0 || (afterTop && !top && rdn.includes('='))) names.push(rdn);
    else names[names.length - 1] += `,${rdn}`;
    if (rdn.trim() !== '') afterTop = top;
  }
  return names;
};

const trimmed = (text: string): string => text.replace(/^[\s,]+/, '').replace(/(?<!\\)[\s,]+$/, '');

/** Splits outside of quotes and escapes. */
const splitAt = (text: string, separators: string): string[] => {
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
