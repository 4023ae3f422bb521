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
  const end = rdn.search(/[=+]/);
  return rdn.charAt(end) === '=' ? canonicalType(rdn.slice(0, end).trim()) : '';
}

// A leading or trailing comma is ignored; an escaped space belongs to the name.
function trimSeparators(text: string): string {
  let end = text.length;
  while (/[\s,]/.test(text.charAt(end - 1)) && text.charAt(end - 2) !== '\\') end -= 1;
  return text.slice(0, end).replace(/^[\s,]+/, '');
}

/** Splits at unquoted and unescaped separators. */
export function splitUnquoted(text: string, separators: string): string[] {
  const parts = [''];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const taken = character === '\\' ? character + text.charAt(++at) : character;
    if (character === '"') quoted = !quoted;
    if (!quoted && separators.includes(taken)) parts.push('');
    else parts[parts.length - 1] += taken;
  }
  return parts;
}

// Attribute types that name entries in practice: one canonical short name per OID and alias (RFC 4519, RFC 4524, RFC 2985).
const names: Readonly<Record<string, readonly string[]>> = {
  cn: ['2.5.4.3', 'commonname'],
  sn: ['2.5.4.4', 'surname'],
  serialnumber: ['2.5.4.5'],
  c: ['2.5.4.6', 'countryname'],
  l: ['2.5.4.7', 'localityname'],
  st: ['2.5.4.8', 'stateorprovincename'],
  street: ['2.5.4.9', 'streetaddress'],
  o: ['2.5.4.10', 'organizationname'],
  ou: ['2.5.4.11', 'organizationalunitname'],
  title: ['2.5.4.12'],
  description: ['2.5.4.13'],
  member: ['2.5.4.31'],
  owner: ['2.5.4.32'],
  name: ['2.5.4.41'],
  givenname: ['2.5.4.42', 'gn'],
  initials: ['2.5.4.43'],
  generationqualifier: ['2.5.4.44'],
  dnqualifier: ['2.5.4.46'],
  uniquemember: ['2.5.4.50'],
  uid: ['0.9.2342.19200300.100.1.1', 'userid'],
  mail: ['0.9.2342.19200300.100.1.3', 'rfc822mailbox'],
  host: ['0.9.2342.19200300.100.1.9'],
  dc: ['0.9.2342.19200300.100.1.25', 'domaincomponent'],
  associateddomain: ['0.9.2342.19200300.100.1.37'],
  emailaddress: ['1.2.840.113549.1.9.1', 'email', 'e', 'pkcs9email'],
};

const canonical = new Map(
  Object.entries(names).flatMap(([name, others]) => [name, ...others].map((other) => [other, name])),
);

/** The canonical spelling of an attribute type: lower case, the short name instead of an OID or alias. */
export function canonicalType(type: string): string {
  const lower = type.toLowerCase();
  const bare = lower.startsWith('oid.') ? lower.slice(4) : lower;
  return canonical.get(bare) ?? bare;
}
