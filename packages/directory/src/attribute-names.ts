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

const canonical = new Map(Object.entries(names).flatMap(([name, others]) => [name, ...others].map((n) => [n, name])));

/** The canonical spelling of an attribute type: lower case, the short name instead of an OID or alias. */
export function canonicalType(type: string): string {
  const lower = type.toLowerCase();
  const bare = lower.startsWith('oid.') ? lower.slice(4) : lower;
  return canonical.get(bare) ?? bare;
}

/** An attribute description: a name or an OID, with options. */
export function isAttributeDescription(text: string): boolean {
  return /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)(?:;[a-z0-9-]+)*$/i.test(text);
}
