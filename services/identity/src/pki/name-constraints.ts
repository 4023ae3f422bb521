import { oidOf, readChildren, readElement, readElements, type Element } from './der.ts';
import { comparable, commonNameOid, emailAddressOid, readName, type Name } from './names.ts';

/** A GeneralName (RFC 5280 section 4.2.1.6) by its context tag. */
export type GeneralName = { kind: number; bytes: Buffer; otherNameType?: string };
type Subtree = GeneralName & { hasDistance: boolean };
export type NameConstraints = { permitted: readonly Subtree[]; excluded: readonly Subtree[] };

export const generalNameKinds = { otherName: 0, email: 1, dns: 2, directory: 4, uri: 6, ip: 7 } as const;
const kinds = generalNameKinds;
const smtpUtf8Mailbox = '1.3.6.1.5.5.7.8.9';

/** @throws Error */
export function generalNamesOf(der: Uint8Array): GeneralName[] {
  return readChildren(der).map((name) => generalNameOf(der, name));
}

function subtreesOf(der: Uint8Array, { content, end }: Element): Subtree[] {
  return readElements(der, content, end).map((subtree) => {
    const [base, ...distances] = readElements(der, subtree.content, subtree.end);
    if (!base) throw new Error('no subtree');
    const hasDistance = distances.some((distance) => distance.tag === 0x81 || der[distance.content] !== 0);
    return { ...generalNameOf(der, base), hasDistance };
  });
}

/** @throws Error */
export function constraintsOf(der: Uint8Array): NameConstraints {
  const parts = readChildren(der);
  const side = (tag: number): Subtree[] =>
    parts.filter((part) => part.tag === tag).flatMap((part) => subtreesOf(der, part));
  if (parts.some(({ tag }) => tag !== 0xa0 && tag !== 0xa1)) throw new Error('no name constraints');
  return { permitted: side(0xa0), excluded: side(0xa1) };
}

/** Unclear: a name or constraint that cannot be compared; the certificate is refused. */
type Verdict = 'inside' | 'outside' | 'unclear';

function verdict(isInside: boolean): Verdict {
  return isInside ? 'inside' : 'outside';
}

function sameLetters(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function endsLike(text: string, end: string): boolean {
  return sameLetters(text.slice(-end.length), end);
}

function matchDns(name: string, base: string): Verdict {
  if (base === '') return 'inside';
  if (name.length > base.length && !base.startsWith('.') && name.at(-base.length - 1) !== '.') return 'outside';
  return verdict(name.length >= base.length && endsLike(name, base));
}

function matchEmail(name: string, base: string): Verdict {
  const at = name.lastIndexOf('@');
  const baseAt = base.lastIndexOf('@');
  if (at < 0) return 'unclear';
  if (baseAt < 0 && base.startsWith('.')) return verdict(name.length > base.length && endsLike(name, base));
  // The part before the @ is case-sensitive.
  if (baseAt > 0 && base.slice(0, baseAt) !== name.slice(0, at)) return 'outside';
  return verdict(sameLetters(base.slice(baseAt + 1), name.slice(at + 1)));
}

/** As OpenSSL does: a port ends the host before a path does. */
function hostOf(uri: string): string | undefined {
  const scheme = uri.indexOf(':');
  if (!uri.startsWith('://', scheme)) return undefined;
  const rest = uri.slice(scheme + 3);
  return rest.split(rest.includes(':') ? ':' : '/', 1)[0];
}

function matchUri(name: string, base: string): Verdict {
  const host = hostOf(name);
  if (!host) return 'unclear';
  if (base.startsWith('.')) return verdict(host.length > base.length && endsLike(host, base));
  return verdict(sameLetters(host, base));
}

function matchIp(address: Buffer, base: Buffer): Verdict {
  if (![4, 16].includes(address.length) || ![8, 32].includes(base.length)) return 'unclear';
  const { length } = address;
  if (length * 2 !== base.length) return 'outside';
  return verdict(address.every((byte, i) => ((byte ^ (base[i] as number)) & (base[length + i] as number)) === 0));
}

function matchDirectory(name: Name, base: Buffer): Verdict {
  const wanted = comparable(readName(base));
  const given = comparable(name);
  return verdict(wanted.every((rdn, i) => rdn === given[i]));
}

type Subject = GeneralName & { name?: Name };

function matchOne(subject: Subject, base: GeneralName): Verdict {
  const [text, baseText] = [subject.bytes.toString('latin1'), base.bytes.toString('latin1')];
  switch (subject.kind) {
    case kinds.dns:
      return matchDns(text, baseText);
    case kinds.email:
      return matchEmail(text, baseText);
    case kinds.uri:
      return matchUri(text, baseText);
    case kinds.ip:
      return matchIp(subject.bytes, base.bytes);
    case kinds.directory:
      return matchDirectory(subject.name ?? readName(subject.bytes), base.bytes);
    default:
      return 'unclear';
  }
}

/** Like OpenSSL's nc_match: the name must be in a permitted subtree of its kind, if any, and in no excluded one. */
function isAllowed(subject: Subject, { permitted, excluded }: NameConstraints): boolean {
  const ofKind = (base: Subtree) =>
    base.kind === subject.kind && (base.kind !== kinds.otherName || base.otherNameType === subject.otherNameType);
  const verdictsOf = (side: readonly Subtree[]) =>
    side.filter(ofKind).map((base) => (base.hasDistance ? 'unclear' : matchOne(subject, base)));
  const inPermitted = verdictsOf(permitted);
  const inExcluded = verdictsOf(excluded);
  if ([...inPermitted, ...inExcluded].includes('unclear')) return false;
  return (inPermitted.length === 0 || inPermitted.includes('inside')) && !inExcluded.includes('inside');
}

/** A common name counts as a DNS name when it looks like one of several labels. */
function looksLikeDns(name: string): boolean {
  return (
    name.includes('.') &&
    name.split('.').every((label) => /^[a-z0-9_-]+$/i.test(label) && !label.startsWith('-') && !label.endsWith('-'))
  );
}

type Named = { subjectName: Name; subjectDer: Buffer; alternativeNames: readonly GeneralName[] };

/** Whether the names of a certificate satisfy the constraints. @param isLeaf its common name may be a DNS name. */
export function satisfiesConstraints(constraints: NameConstraints, cert: Named, isLeaf: boolean): boolean {
  const { subjectName, subjectDer, alternativeNames } = cert;
  const attributes = subjectName.flat();
  const emails = attributes.filter(({ oid }) => oid === emailAddressOid);
  if (emails.some(({ isIa5 }) => !isIa5)) return false;
  const hasDns = alternativeNames.some(({ kind }) => kind === kinds.dns);
  const commonNames = isLeaf && !hasDns ? attributes.filter(({ oid }) => oid === commonNameOid) : [];
  const dnsNames = commonNames.map(({ value = '' }) => value.replace(/(?<!\0)\0+$/, ''));
  if (dnsNames.some((name) => name.includes('\0'))) return false;
  const subjects: Subject[] = [
    ...(attributes.length > 0 ? [{ kind: kinds.directory, bytes: subjectDer, name: subjectName }] : []),
    ...emails.map(({ value = '' }) => ({ kind: kinds.email, bytes: Buffer.from(value, 'latin1') })),
    ...alternativeNames.map((name) =>
      name.otherNameType === smtpUtf8Mailbox ? { kind: kinds.email, bytes: mailboxOf(name.bytes) } : name,
    ),
    ...dnsNames.filter(looksLikeDns).map((name) => ({ kind: kinds.dns, bytes: Buffer.from(name, 'latin1') })),
  ];
  return subjects.every((subject) => isAllowed(subject, constraints));
}

function generalNameOf(der: Uint8Array, { tag, content, end }: Element): GeneralName {
  const kind = tag & 0x1f;
  const bytes = Buffer.from(der.subarray(content, end));
  if ((tag & 0xc0) !== 0x80 || kind > 8) throw new Error('no general name');
  if (kind !== kinds.otherName) return { kind, bytes };
  return { kind, bytes, otherNameType: oidOf(der, readElement(der, content, end)) };
}

/** RFC 9598: an internationalised e-mail address in an otherName. */
function mailboxOf(otherName: Buffer): Buffer {
  const [, wrapped] = readElements(otherName, 0, otherName.length);
  if (!wrapped) return Buffer.alloc(0);
  const value = readElement(otherName, wrapped.content, wrapped.end);
  return otherName.subarray(value.content, value.end);
}
