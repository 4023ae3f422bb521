import {
  answers,
  entry,
  matchesFilter,
  message,
  pageControl,
  result,
  startScriptedLdap,
  type Asked,
  type Attributes,
  type Line,
  type Script,
  type ScriptedLdap,
} from '@overtone/testkit/ldap';
import type { DirectoryConfig } from '../src/index.ts';

/** An entry of the scripted directory. */
export type ScriptedEntry = {
  readonly dn: string;
  readonly attributes: Attributes;
  readonly password?: string;
};

/** A correct directory, except for the requests that `on` handles. */
export type ScriptedDirectory = {
  readonly entries?: readonly ScriptedEntry[];
  readonly root?: Attributes;
  /** @returns true when it has handled the request. */
  readonly on?: (asked: Asked, line: Line) => boolean;
} & Omit<Script, 'request'>;

export const baseDn = 'dc=example,dc=org';
const service = `cn=svc,${baseDn}`;

/** A directory entry of a user. */
export function person(uid: string, attributes: Attributes = {}): ScriptedEntry {
  return {
    dn: `uid=${uid},ou=people,${baseDn}`,
    password: `${uid}-secret`,
    attributes: {
      objectClass: 'inetOrgPerson',
      uid,
      cn: `Person ${uid}`,
      mail: `${uid}@example.org`,
      entryUUID: `id-${uid}`,
      ...attributes,
    },
  };
}

/** The settings for a scripted directory. */
export function configFor({ url }: { url: string }, more: Partial<DirectoryConfig> = {}): DirectoryConfig {
  return {
    server: url,
    port: 389,
    useSsl: false,
    useTls: false,
    bindDn: service,
    bindPassword: 'svc-secret',
    searchBase: baseDn,
    usernameAttr: 'uid',
    emailAttr: 'mail',
    nameAttr: 'cn',
    groupAttr: 'memberOf',
    userSearchFilter: '({username_attr}={username})',
    timeoutSeconds: 30,
    recursiveGroups: false,
    userGroups: '',
    adminGroups: '',
    adminUsers: '',
    caPem: null,
    ...more,
  };
}

/** Starts it. */
export async function startScriptedDirectory(scripted: ScriptedDirectory = {}): Promise<ScriptedLdap> {
  const { entries = [person('alice')], on = () => false, root, ...script } = scripted;
  const all = [
    { dn: service, password: 'svc-secret', attributes: {} },
    { dn: baseDn, attributes: { objectClass: 'domain' } },
    ...entries,
  ];
  return await startScriptedLdap({
    ...script,
    request: (asked, line) => {
      if (!on(asked, line)) answer(all, asked, { line, root });
    },
  });
}

const defaultRoot: Attributes = {
  objectClass: 'top',
  namingContexts: baseDn,
  supportedLDAPVersion: '3',
  supportedControl: '1.2.840.113556.1.4.319',
};

function answer(
  entries: readonly ScriptedEntry[],
  asked: Asked,
  { line, root = {} }: { line: Line; root: Attributes | undefined },
): void {
  const { id } = asked;
  if (asked.kind === 'bind') {
    const known = entries.some(({ dn, password }) => dn === asked.dn && password === asked.password);
    line.send(message(id, result(answers.bind, known ? 0 : 49)));
  } else if (asked.kind === 'extended') {
    line.send(message(id, result(answers.extended, 2)));
  } else if (asked.kind === 'search' && asked.base === '') {
    line.send(message(id, entry('', { ...defaultRoot, ...root })), message(id, result(answers.done, 0)));
  } else if (asked.kind === 'search') search(entries, asked, line);
}

function search(entries: readonly ScriptedEntry[], asked: Asked & { kind: 'search' }, line: Line): void {
  const { id, base, scope, page, sizeLimit } = asked;
  const found = entries.filter(
    ({ dn, attributes }) =>
      (scope === 0 ? same(dn, base) : isBelow(dn, base)) && matchesFilter(asked.filter, attributes),
  );
  if (scope === 0 && found.length === 0) {
    line.send(message(id, result(answers.done, 32)));
    return;
  }
  const from = page === undefined ? 0 : Number(page.cookie.toString() || '0');
  const most = page?.size ?? (sizeLimit || Number.POSITIVE_INFINITY);
  const shown = found.slice(from, from + most);
  const more = from + shown.length < found.length;
  line.send(...shown.map(({ dn, attributes }) => message(id, entry(dn, attributes))));
  const control = page === undefined ? [] : [pageControl(more ? String(from + shown.length) : '')];
  line.send(message(id, result(answers.done, more && page === undefined ? 4 : 0), control));
}

function same(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function isBelow(dn: string, base: string): boolean {
  return dn.toLowerCase().endsWith(base.toLowerCase());
}
