import { describe, expect, it } from '@jest/globals';
import {
  answers,
  entry,
  message,
  pageControl,
  result,
  type Asked,
  type Line,
  type ScriptedLdap,
} from '@overtone/testkit/ldap';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import {
  baseDn,
  configFor,
  person,
  startScriptedDirectory,
  type ScriptedDirectory,
  type ScriptedEntry,
} from '../../test/scripted-directory.ts';
import { createDirectory, type DirectoryConfig, type Person } from '../index.ts';

function dn(cn: string): string {
  return `cn=${cn},ou=groups,${baseDn}`;
}

const aliceDn = `uid=alice,ou=people,${baseDn}`;

function group(cn: string, member: readonly string[], more = {}): ScriptedEntry {
  return {
    dn: dn(cn),
    attributes: { objectClass: 'groupOfNames', cn, member, ...more },
  };
}

async function lookUp(
  scripted: ScriptedDirectory,
  more: Partial<DirectoryConfig> = {},
): Promise<{ person: Person; server: ScriptedLdap }> {
  const server = await startScriptedDirectory(scripted);
  const directory = createDirectory(configFor(server, { recursiveGroups: true, ...more }));
  cleanUpAfterTest(server.stop);
  cleanUpAfterTest(directory.close);
  const answer = await directory.lookUp('alice');
  if (answer.outcome !== 'yes') throw new Error(answer.message);
  return { person: answer.value, server };
}

function namesOf({ groups }: Person): string[] | string {
  return groups.known ? groups.values.map((name) => /^cn=([^,]+)/i.exec(name)?.[1] ?? name).sort() : groups.reason;
}

function chain(length: number): ScriptedEntry[] {
  return Array.from({ length }, (_, i) => group(`g${i}`, [i === 0 ? aliceDn : dn(`g${i - 1}`)]));
}

describe('groups of a person', () => {
  it('are those the attribute names, in the spelling of the directory', async () => {
    const entries = [person('alice', { memberOf: ['CN=Staff,OU=Groups,DC=example,DC=org', dn('b')] })];
    const { person: found } = await lookUp({ entries }, { recursiveGroups: false });
    expect(found.groups).toEqual({ known: true, values: ['CN=Staff,OU=Groups,DC=example,DC=org', dn('b')] });
  });

  it('of a person with none are known to be none where others have some', async () => {
    const { person: found } = await lookUp(
      { entries: [person('alice'), person('bob', { memberOf: dn('x') })] },
      { recursiveGroups: false },
    );
    expect(found.groups).toEqual({ known: true, values: [] });
  });

  it('are searched by their members where the directory keeps no attribute', async () => {
    const posix = { dn: dn('posix'), attributes: { objectClass: 'posixGroup', memberUid: ['bob', 'alice'] } };
    const unique = { dn: dn('unique'), attributes: { objectClass: 'groupOfUniqueNames', uniqueMember: aliceDn } };
    const entries = [person('alice'), group('a', [aliceDn]), group('b', ['uid=bob,dc=x']), posix, unique];
    expect(namesOf((await lookUp({ entries }, { recursiveGroups: false })).person)).toEqual(['a', 'posix', 'unique']);
  });

  it('are read without the attribute where the server refuses to be asked for it', async () => {
    const on = (asked: Asked, line: Line): boolean => {
      if (asked.kind !== 'search' || !asked.attributes.includes('memberOf')) return false;
      line.send(message(asked.id, result(answers.done, 16)));
      return true;
    };
    expect(namesOf((await lookUp({ entries: [person('alice'), group('a', [aliceDn])], on })).person)).toEqual(['a']);
  });

  it('count in groups when that is set, and not when it is not', async () => {
    const entries = [person('alice', { memberOf: dn('g0') }), ...chain(3)];
    expect(namesOf((await lookUp({ entries })).person)).toEqual(['g0', 'g1', 'g2']);
    expect(namesOf((await lookUp({ entries }, { recursiveGroups: false })).person)).toEqual(['g0']);
  });

  it('end where they go in a circle', async () => {
    const entries = [
      person('alice', { memberOf: dn('a') }),
      group('a', [aliceDn, dn('c')]),
      group('b', [dn('a'), dn('b')]),
      group('c', [dn('b')]),
    ];
    expect(namesOf((await lookUp({ entries })).person)).toEqual(['a', 'b', 'c']);
  });

  it('are found to any depth, with a number of questions that does not grow with it', async () => {
    const entries = [person('alice', { memberOf: dn('g0') }), ...chain(300)];
    const { person: found, server } = await lookUp({ entries });
    expect(found.groups).toMatchObject({ known: true, values: { length: 300 } });
    expect(server.requests.length).toBeLessThan(20);
  });

  it('admit and make administrators whatever the spelling of their names', async () => {
    const entries = [person('alice', { memberOf: 'CN=R\\26D\\, Staff,OU=Groups,DC=Example,DC=org' })];
    const spelling = String.raw`cn="R&D, staff" , ou=groups , dc=example , dc=org`;
    const { person: found } = await lookUp(
      { entries },
      { recursiveGroups: false, userGroups: spelling, adminGroups: spelling },
    );
    expect(found).toMatchObject({ admitted: 'yes', adminSignal: 'yes' });
  });

  it('that are not all known still say yes, and never no', async () => {
    const on = (asked: Asked, line: Line): boolean => {
      if (asked.kind !== 'search' || asked.filter.kind !== 'or') return false;
      line.send(message(asked.id, result(answers.done, 52)));
      return true;
    };
    const entries = [person('alice', { memberOf: dn('g0') })];
    const { person: found } = await lookUp({ entries, on }, { userGroups: dn('g0'), adminGroups: dn('top') });
    expect(found).toMatchObject({ admitted: 'yes', adminSignal: 'unknown', groups: { known: false } });
  });

  it('make an administrator of a name that is listed, whatever its case', async () => {
    expect((await lookUp({}, { adminUsers: 'bob, ALICE' })).person.adminSignal).toBe('yes');
    expect((await lookUp({}, { adminUsers: 'bob' })).person.adminSignal).toBe('no');
  });
});

describe('pages', () => {
  const many = [
    person('alice', { memberOf: dn('g0') }),
    ...Array.from({ length: 1200 }, (_, i) => group(`p${i}`, [dn('g0')])),
  ];
  const paged = (asked: Asked): asked is Asked & { kind: 'search' } =>
    asked.kind === 'search' && asked.page !== undefined;

  it('are read to the last', async () => {
    expect((await lookUp({ entries: many })).person.groups).toMatchObject({ known: true, values: { length: 1201 } });
  });

  it('go on behind a page that is empty and has a cookie', async () => {
    // Two pages with a group each, and between them nothing but a cookie, as 389 Directory Server sends it.
    const on = (asked: Asked, line: Line): boolean => {
      if (!paged(asked) || !JSON.stringify(asked.filter).includes('"or"')) return false;
      const { id, page } = asked;
      const step = page!.cookie.toString();
      const finish = (cookie: string) => line.send(message(id, result(answers.done, 0), [pageControl(cookie)]));
      if (step === '') line.send(message(id, entry(dn('first'), {})));
      if (step === '2') line.send(message(id, entry(dn('last'), {})));
      finish(step === '' ? '1' : step === '1' ? '2' : '');
      return true;
    };
    expect(namesOf((await lookUp({ entries: [person('alice', { memberOf: dn('g0') })], on })).person)).toEqual([
      'first',
      'g0',
      'last',
    ]);
  });

  const faults: [string, (asked: Asked & { kind: 'search' }, line: Line) => void][] = [
    ['an error', ({ id }, line) => line.send(message(id, result(answers.done, 80)))],
    ['a limit', ({ id }, line) => line.send(message(id, result(answers.done, 4), [pageControl('')]))],
    ['a referral', ({ id }, line) => line.send(message(id, result(answers.done, 10), [pageControl('')]))],
    ['no page control', ({ id }, line) => line.send(message(id, result(answers.done, 0)))],
    [
      'a page control that cannot be read',
      ({ id }, line) => line.send(message(id, result(answers.done, 0), [brokenControl])),
    ],
    [
      'the same page again and again',
      ({ id }, line) =>
        line.send(message(id, entry(dn('g1'), {})), message(id, result(answers.done, 0), [pageControl('same')])),
    ],
    [
      'empty pages without an end',
      ({ id, page }, line) =>
        line.send(message(id, result(answers.done, 0), [pageControl(`${Number(page!.cookie.toString() || 0) + 1}`)])),
    ],
    ['the end of the connection', (_asked, line) => line.socket().destroy()],
  ];
  const brokenControl = Buffer.from('301c0418312e322e3834302e3131333535362e312e342e3331390400', 'hex');
  it.each(faults)('that close with %s leave the groups unknown', async (_name, fault) => {
    const on = (asked: Asked, line: Line): boolean => {
      if (!paged(asked)) return false;
      fault(asked, line);
      return true;
    };
    const { person: found } = await lookUp({ entries: many, on }, { userGroups: dn('p3') });
    expect(found).toMatchObject({ groups: { known: false }, admitted: 'unknown' });
  });
});

describe('Active Directory', () => {
  const root = { supportedCapabilities: '1.2.840.113556.1.4.800' };
  const sid = (rid: number): Buffer => {
    const bytes = Buffer.from('010500000000000515000000010000000200000003000000000000', 'hex');
    const whole = Buffer.concat([bytes.subarray(0, 24), Buffer.alloc(4)]);
    whole.writeUInt32LE(rid, 24);
    return whole;
  };
  const adGroup = (cn: string, rid: number, memberOf: readonly string[] = []): ScriptedEntry => ({
    dn: dn(cn),
    attributes: { objectClass: 'group', cn, objectSid: sid(rid), memberOf },
  });
  const account = (more: object): ScriptedEntry =>
    person('alice', { objectSid: sid(1100), primaryGroupID: '513', userAccountControl: '512', ...more });
  // Binary values are compared as bytes; the scripted directory compares text.
  const bySid =
    (entries: readonly ScriptedEntry[]) =>
    (asked: Asked, line: Line): boolean => {
      if (asked.kind !== 'search') return false;
      const wanted = sidsIn(asked.filter);
      if (wanted.length === 0) return false;
      const found = entries.filter(({ attributes }) =>
        wanted.some((one) => one.equals(attributes['objectSid'] as Buffer)),
      );
      line.send(
        ...found.map((member) => message(asked.id, entry(member.dn, member.attributes))),
        message(asked.id, result(answers.done, 0)),
      );
      return true;
    };

  it('adds the primary group, which stands in no list', async () => {
    const domainUsers = adGroup('Domain Users', 513);
    const entries = [account({ memberOf: dn('staff') }), domainUsers];
    const { person: found } = await lookUp({ entries, root, on: bySid([domainUsers]) }, { recursiveGroups: false });
    expect(namesOf(found)).toEqual(['Domain Users', 'staff']);
  });

  it('leaves the groups unknown when the primary group cannot be seen', async () => {
    const entries = [account({ memberOf: dn('staff') })];
    const { person: found } = await lookUp({ entries, root, on: bySid([]) }, { recursiveGroups: false });
    expect(found.groups.known).toBe(false);
  });

  it('counts groups in groups by its tokens, and distribution groups behind them too', async () => {
    const groups = [
      adGroup('Domain Users', 513),
      adGroup('staff', 2001, [dn('all'), dn('list')]),
      adGroup('all', 2002),
    ];
    const list = { dn: dn('list'), attributes: { objectClass: 'group', member: dn('staff') } };
    const above = { dn: dn('above'), attributes: { objectClass: 'group', member: dn('list') } };
    const alice = account({ memberOf: dn('staff'), tokenGroups: [sid(513), sid(2001), sid(2002)] });
    const { person: found } = await lookUp({ entries: [alice, ...groups, list, above], root, on: bySid(groups) });
    expect(namesOf(found)).toEqual(['Domain Users', 'above', 'all', 'list', 'staff']);
  });

  const slices =
    (last: string) =>
    (asked: Asked, line: Line): boolean => {
      if (asked.kind !== 'search' || asked.scope !== 0 || !asked.attributes[0]?.startsWith('memberOf;range='))
        return false;
      const from = Number(/range=(\d+)/.exec(asked.attributes[0])?.[1]);
      const values = Array.from({ length: 3 }, (_, i) => dn(`s${from + i}`));
      const name = from >= 6 ? `memberOf;range=${from}-${last}` : `memberOf;range=${from}-${from + 2}`;
      line.send(message(asked.id, entry(aliceDn, { [name]: values })), message(asked.id, result(answers.done, 0)));
      return true;
    };
  const first = person('alice', { 'memberOf;range=0-2': [dn('s0'), dn('s1'), dn('s2')] });

  it('gives long lists in slices, which are put together', async () => {
    const { person: found } = await lookUp({ entries: [first], on: slices('*') }, { recursiveGroups: false });
    expect(found.groups).toMatchObject({ known: true, values: { length: 9 } });
  });

  it('gives slices that do not fit: the groups are unknown, not fewer', async () => {
    const gap = person('alice', { 'memberOf;range=3-5': [dn('s3')] });
    expect((await lookUp({ entries: [gap], on: slices('*') }, { recursiveGroups: false })).person.groups.known).toBe(
      false,
    );
    const lost = await lookUp(
      {
        entries: [first],
        on: (asked, line) =>
          asked.kind === 'search' &&
          asked.scope === 0 &&
          asked.base !== '' &&
          (line.send(message(asked.id, result(answers.done, 0))), true),
      },
      { recursiveGroups: false },
    );
    expect(lost.person.groups.known).toBe(false);
  });
});

function sidsIn(filter: (Asked & { kind: 'search' })['filter']): Buffer[] {
  if (filter.kind === 'or') return filter.of.flatMap(sidsIn);
  return filter.kind === 'equal' && filter.attribute === 'objectSid' ? [filter.value] : [];
}
