import type { DirectoryConfig } from '../model.ts';
import { mapComparisons, present, type Filter } from './filter.ts';

/** A value of a template: text with placeholders for the login. */
type Slots = readonly (string | typeof loginPlaceholder)[];
const loginPlaceholder = Symbol('the login');

/** A parsed template. */
export type FilterTemplate = {
  /** The filter for a login. */
  readonly forLogin: (login: string) => Filter;
  /** The filter for an e-mail address: the same conditions with the address instead of the login. */
  readonly forEmail: (email: string) => Filter;
  /** The filter for a user principal name of Active Directory, whose suffix may differ from the address. */
  readonly forPrincipalName: (name: string) => Filter;
  /** The filter for all users: the same conditions, with a presence test of the login attribute. */
  readonly forAllUsers: () => Filter;
};

/** A text that is no filter template. */
export class NoFilter extends Error {
  override readonly name = 'NoFilter';
}

const maxLength = 4096;
const maxDepth = 32;

/**
 * Parses a user search filter. `{username_attr}` is replaced by an attribute, `{username}` by the login, which must be a
 * whole value: with a wildcard next to it a login would match other persons.
 * @throws NoFilter
 */
export function parseTemplate(template: string, attributes: { username: string; email: string }): FilterTemplate {
  const tree = parseFilter(template.trim().replaceAll('{username_attr}', attributes.username));
  let places = 0;
  mapComparisons(tree, (comparison) => {
    if (comparison.value.includes(loginPlaceholder)) places += 1;
    return comparison;
  });
  if (places === 0) throw new NoFilter('The filter must compare something with {username}.');
  const fill = (value: Slots, login: string) =>
    value.map((part) => (part === loginPlaceholder ? login : part)).join('');
  const withAttribute = (attribute: string, text: string): Filter =>
    mapComparisons(tree, (comparison) =>
      comparison.value.includes(loginPlaceholder)
        ? { ...comparison, attribute, value: text }
        : { ...comparison, value: fill(comparison.value, text) },
    );
  return {
    forLogin: (login) =>
      mapComparisons(tree, (comparison) => ({ ...comparison, value: fill(comparison.value, login) })),
    forEmail: (email) => withAttribute(attributes.email, email),
    forPrincipalName: (name) => withAttribute('userPrincipalName', name),
    forAllUsers: () =>
      mapComparisons(tree, (comparison) =>
        comparison.value.includes(loginPlaceholder)
          ? present(comparison.attribute)
          : { ...comparison, value: comparison.value.join('') },
      ),
  };
}

/** The parsed user search filter of the settings. */
export function userFilterOf(
  config: Pick<DirectoryConfig, 'userSearchFilter' | 'usernameAttr' | 'emailAttr'>,
): FilterTemplate {
  return parseTemplate(config.userSearchFilter, { username: config.usernameAttr, email: config.emailAttr });
}

type Cursor = {
  readonly text: string;
  at: number;
};

function parseFilter(text: string): Filter<Slots> {
  if (text.length > maxLength) throw new NoFilter(`The filter is longer than ${maxLength} characters.`);
  const cursor = { text: text.startsWith('(') ? text : `(${text})`, at: 0 };
  const filter = readFilter(cursor, 0);
  if (cursor.at < cursor.text.length) throw new NoFilter(`Unexpected text at character ${cursor.at + 1}.`);
  return filter;
}

function readFilter(cursor: Cursor, depth: number): Filter<Slots> {
  if (depth > maxDepth) throw new NoFilter('The filter is nested too deeply.');
  expect(cursor, '(');
  const filter = readInside(cursor, depth);
  expect(cursor, ')');
  return filter;
}

function readInside(cursor: Cursor, depth: number): Filter<Slots> {
  const character = cursor.text[cursor.at];
  if (character !== '&' && character !== '|' && character !== '!') return readItem(cursor);
  cursor.at += 1;
  if (character === '!') return { kind: 'not', of: readFilter(cursor, depth + 1) };
  const of: Filter<Slots>[] = [];
  for (skipSpace(cursor); cursor.text[cursor.at] === '('; skipSpace(cursor)) of.push(readFilter(cursor, depth + 1));
  if (of.length === 0) throw new NoFilter(`"${character}" combines nothing at character ${cursor.at + 1}.`);
  return { kind: character === '&' ? 'and' : 'or', of };
}

const item = /([^()=~<>:*\\]*)(:dn)?(?::([A-Za-z0-9.-]+))?(:=|~=|>=|<=|=)([^()]*)/y;
const comparisons = { '~=': 'approx', '>=': 'atLeast', '<=': 'atMost' } as const;

function readItem(cursor: Cursor): Filter<Slots> {
  item.lastIndex = cursor.at;
  const match = item.exec(cursor.text);
  if (match === null) throw new NoFilter(`No comparison at character ${cursor.at + 1}.`);
  const [, attribute = '', dn, rule, operator, value = ''] = match;
  const where = cursor.at + 1;
  cursor.at = item.lastIndex;
  if (operator === ':=') return extensible({ attribute, rule, dnAttributes: dn !== undefined, value, where });
  if (dn !== undefined || rule !== undefined || !isAttributeDescription(attribute)) {
    throw new NoFilter(`"${attribute}" is no attribute name, at character ${where}.`);
  }
  if (operator === '=') return equality(attribute, value);
  return { kind: comparisons[operator as keyof typeof comparisons], attribute, value: slots(value) };
}

function extensible(parts: {
  attribute: string;
  rule: string | undefined;
  dnAttributes: boolean;
  value: string;
  where: number;
}): Filter<Slots> {
  const { attribute, rule = '', dnAttributes, where } = parts;
  const named = attribute === '' ? rule !== '' : isAttributeDescription(attribute);
  if (!named) throw new NoFilter(`A comparison of nothing at character ${where}.`);
  return { kind: 'extensible', attribute, rule, dnAttributes, value: slots(parts.value) };
}

function equality(attribute: string, value: string): Filter<Slots> {
  if (value === '*') return { kind: 'present', attribute };
  if (!value.includes('*')) return { kind: 'equal', attribute, value: slots(value) };
  const [initial = '', ...rest] = value.split('*').map(literal);
  const final = rest.pop() ?? '';
  if (rest.includes('')) throw new NoFilter('Two wildcards stand side by side.');
  return { kind: 'substrings', attribute, initial, any: rest, final };
}

function literal(text: string): string {
  const parts = slots(text);
  if (parts.includes(loginPlaceholder)) throw new NoFilter('{username} must not stand beside a wildcard.');
  return parts.join('');
}

function slots(text: string): Slots {
  const parts: (string | typeof loginPlaceholder)[] = [];
  for (const [index, piece] of text.split('{username}').entries()) {
    if (index > 0) parts.push(loginPlaceholder);
    if (piece !== '') parts.push(unescaped(piece));
  }
  return parts;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function unescaped(text: string): string {
  if (/\\(?![0-9a-f]{2})|\*|\0/i.test(text)) throw new NoFilter(`"${text}" holds a character that must be escaped.`);
  const bytes = text
    .split(/(\\[0-9a-f]{2})/i)
    .map((part) => (part.startsWith('\\') ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part)));
  try {
    return utf8.decode(Buffer.concat(bytes));
  } catch {
    throw new NoFilter(`"${text}" is not UTF-8.`);
  }
}

// Insignificant whitespace between filters.
function skipSpace(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
}

function expect(cursor: Cursor, character: '(' | ')'): void {
  if (cursor.text[cursor.at] !== character)
    throw new NoFilter(`"${character}" is missing at character ${cursor.at + 1}.`);
  cursor.at += 1;
}

/** An attribute description: a name or an OID, with options. */
export function isAttributeDescription(text: string): boolean {
  return /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)(?:;[a-z0-9-]+)*$/i.test(text);
}
