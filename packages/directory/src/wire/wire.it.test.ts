import { describe, expect, it } from '@jest/globals';
import {
  answers,
  ber,
  entry,
  message,
  number,
  pageControl,
  reference,
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
} from '../../test/scripted-directory.ts';
import { createDirectory, type Answer, type DirectoryConfig, type Person } from '../index.ts';

async function start(scripted: ScriptedDirectory): Promise<ScriptedLdap> {
  const server = await startScriptedDirectory(scripted);
  cleanUpAfterTest(server.stop);
  return server;
}

function directoryAt(server: { url: string }, more: Partial<DirectoryConfig> = {}) {
  const directory = createDirectory(configFor(server, more));
  cleanUpAfterTest(directory.close);
  return directory;
}

function isSearch(asked: Asked): boolean {
  return asked.kind === 'search' && asked.base !== '';
}

function isUserBind(asked: Asked): boolean {
  return asked.kind === 'bind' && asked.dn.startsWith('uid=');
}

/** Answers the searches for people in place of the directory. */
function onSearch(answer: (id: number, line: Line) => void): ScriptedDirectory {
  return {
    on: (asked, line) => {
      if (!isSearch(asked)) return false;
      answer(asked.id, line);
      return true;
    },
  };
}

function short(answer: Answer<Person>): string {
  return answer.outcome === 'yes' ? 'yes' : `${answer.outcome}: ${answer.reason}`;
}

async function signIn(scripted: ScriptedDirectory, more: Partial<DirectoryConfig> = {}): Promise<string> {
  return short(await directoryAt(await start(scripted), more).authenticate('alice', 'alice-secret'));
}

const alice = entry(`uid=alice,ou=people,${baseDn}`, person('alice').attributes);

function done(id: number, code: number, diagnostic = ''): Buffer {
  return message(id, result(answers.done, code, { diagnostic }));
}

describe('correct directory', () => {
  it('signs in a known person', async () => {
    expect(await signIn({})).toBe('yes');
  });

  it('needs two requests for a sign-in, on one connection of each kind', async () => {
    const server = await start({ entries: [person('alice', { memberOf: `cn=staff,${baseDn}` })] });
    const directory = directoryAt(server);
    for (let i = 0; i < 5; i += 1) expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(server.requests).toHaveLength(1 + 5 * 2);
    expect(server.connections()).toBe(2);
  });

  it('binds with the DN of the found entry, never with the typed login', async () => {
    const server = await start({});
    await directoryAt(server).authenticate('ALICE', 'alice-secret');
    const dns = server.requests.flatMap((asked) => (asked.kind === 'bind' ? [asked.dn] : []));
    expect(dns).toEqual([`cn=svc,${baseDn}`, `uid=alice,ou=people,${baseDn}`]);
  });

  it('finds a person by e-mail address with the conditions of the filter', async () => {
    const server = await start({});
    const directory = directoryAt(server, { userSearchFilter: '(&(objectClass=inetOrgPerson)(uid={username}))' });
    expect(short(await directory.authenticate('alice@example.org', 'alice-secret'))).toBe('yes');
    const other = directoryAt(server, { userSearchFilter: '(&(objectClass=device)(uid={username}))' });
    expect(short(await other.authenticate('alice@example.org', 'alice-secret'))).toBe('no: not_found');
  });

  it('rejects a login that is the username of one person and the address of another', async () => {
    const entries = [person('a@example.org', { mail: 'x@example.org' }), person('alice', { mail: 'a@example.org' })];
    const directory = directoryAt(await start({ entries }));
    expect(short(await directory.authenticate('a@example.org', 'alice-secret'))).toBe('no: ambiguous');
  });

  it('runs the dummy bind for an unknown person', async () => {
    const server = await start({});
    expect(short(await directoryAt(server).authenticate('unknown', 'x'))).toBe('no: not_found');
    expect(server.requests.filter((asked) => asked.kind === 'bind')).toHaveLength(2);
  });
});

describe('password that a server treats as empty', () => {
  it.each(['', ' ', '\0', '\0\0', ' \t\0 '])('is rejected before a request is sent: %j', async (password) => {
    const server = await start({});
    expect(short(await directoryAt(server).authenticate('alice', password))).toBe('no: wrong_password');
    expect(server.connections()).toBe(0);
  });

  it('causes no anonymous bind for an entry without a DN', async () => {
    const nameless = message(2, entry('', person('alice').attributes));
    const server = await start(onSearch((id, line) => line.send(Buffer.from(nameless), done(id, 0))));
    expect(short(await directoryAt(server).authenticate('alice', 'x'))).toMatch(/^unknown/);
    expect(
      server.requests.filter((asked) => asked.kind === 'bind').map((request) => request.kind === 'bind' && request.dn),
    ).toEqual([`cn=svc,${baseDn}`]);
  });
});

describe('an unusable login name', () => {
  it.each([
    ['nothing', ''],
    ['a space', ' '],
    ['a NUL', 'a\0b'],
    ['a line break', 'a\nb'],
    ['a control sequence', '\u001b[31m'],
    ['64 KiB', 'x'.repeat(65_536)],
    ['half a character', '\ud800'],
  ])('is refused without a question: %s', async (_name, login) => {
    const server = await start({});
    expect(short(await directoryAt(server).authenticate(login, 'x'))).toBe('no: not_found');
    expect(server.connections()).toBe(0);
  });
});

describe('directory error', () => {
  const codes: [number, string][] = [
    [1, 'refused'],
    [2, 'protocol'],
    [3, 'limit'],
    [4, 'limit'],
    [8, 'config'],
    [10, 'referral'],
    [11, 'limit'],
    [12, 'protocol'],
    [13, 'config'],
    [32, 'config'],
    [50, 'refused'],
    [51, 'busy'],
    [52, 'busy'],
    [53, 'refused'],
    [80, 'refused'],
    [123, 'refused'],
  ];

  it.each(codes)('makes a search with result %i unknown (%s)', async (code, reason) => {
    expect(await signIn(onSearch((id, line) => line.send(done(id, code))))).toBe(`unknown: ${reason}`);
  });

  it.each(codes)('makes a search unknown that returned an entry before result %i (%s)', async (code, reason) => {
    expect(await signIn(onSearch((id, line) => line.send(message(id, alice), done(id, code))))).toBe(
      `unknown: ${reason}`,
    );
  });

  it.each([1, 2, 3, 8, 10, 11, 13, 32, 34, 50, 51, 52, 53, 80])(
    'a bind that ends with result %i is unknown',
    async (code) => {
      const on = (asked: Asked, line: Line): boolean => {
        if (!isUserBind(asked)) return false;
        line.send(message(asked.id, result(answers.bind, code)));
        return true;
      };
      expect(await signIn({ on })).toMatch(/^unknown/);
    },
  );

  it('makes groups and admission unknown when the group search fails', async () => {
    const on = (asked: Asked, line: Line): boolean => {
      if (asked.kind !== 'search' || asked.filter.kind !== 'present') return false;
      line.send(done(asked.id, 51));
      return true;
    };
    const server = await start({ on });
    const looked = await directoryAt(server, { userGroups: `cn=staff,${baseDn}` }).lookUp('alice');
    expect(looked).toMatchObject({ outcome: 'yes', value: { admitted: 'unknown', groups: { known: false } } });
    expect(await signIn({ on }, { userGroups: `cn=staff,${baseDn}` })).toBe('unknown: groups_unreadable');
  });

  it('makes the result unknown, with the specified message, for a rejected service account', async () => {
    const server = await start({});
    const answer = await directoryAt(server, { bindPassword: 'wrong' }).authenticate('alice', 'alice-secret');
    expect(answer).toMatchObject({ outcome: 'unknown', reason: 'bind_failed' });
    expect(answer.outcome === 'unknown' && answer.message).toMatch(/^Failed to bind to LDAP server/);
  });

  it('tries the password of a rejected service account once, not with every sign-in', async () => {
    const server = await start({});
    const directory = directoryAt(server, { bindPassword: 'wrong' });
    for (let i = 0; i < 10; i += 1) await directory.authenticate('alice', 'alice-secret');
    expect(server.requests).toHaveLength(1);
  });
});

describe('faulty server', () => {
  const faults: [string, (id: number, line: Line) => void][] = [
    ['closes', (_id, line) => line.socket().end()],
    ['resets', (_id, line) => line.socket().destroy()],
    ['closes in the middle of a message', (id, line) => line.socket().end(done(id, 0).subarray(0, 5))],
    ['answers in another protocol', (_id, line) => line.send(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    ['answers another question', (id, line) => line.send(done(id + 1, 0))],
    ['answers with another kind of result', (id, line) => line.send(message(id, result(answers.bind, 0)))],
    [
      'says a message of two gigabytes comes',
      (_id, line) => line.send(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff])),
    ],
    ['uses an indefinite length', (_id, line) => line.send(Buffer.from([0x30, 0x80, 0, 0]))],
    ['uses a length of five bytes', (_id, line) => line.send(Buffer.from([0x30, 0x85, 0, 0, 0, 0, 1, 0]))],
    ['uses a tag of several bytes', (id, line) => line.send(message(id, ber(0x7f)))],
    [
      'lets an element end behind its parent',
      (id, line) => line.send(ber(0x30, ber(2, number(id)), Buffer.from([0x65, 0x7f, 0]))),
    ],
    ['leaves out the result code', (id, line) => line.send(message(id, ber(0x65)))],
    ['gives an empty result code', (id, line) => line.send(message(id, ber(0x65, ber(0x0a), ber(4), ber(4))))],
    ['gives a negative message number', (_id, line) => line.send(done(-5, 0))],
    [
      'gives an entry that is not whole',
      (id, line) => line.send(message(id, ber(0x64, ber(4, 'x'), Buffer.from([0x30, 9])))),
    ],
    [
      'gives attributes that are no set',
      (id, line) => line.send(message(id, ber(0x64, ber(4, 'x'), ber(0x30, ber(0x30, ber(4, 'uid'), ber(4)))))),
    ],
    [
      'gives controls that are none',
      (id, line) => line.send(message(id, result(answers.done, 0), [ber(0x30, ber(0x30, Buffer.from([0x84])))])),
    ],
    ['says farewell', (_id, line) => line.send(message(0, result(answers.extended, 52)))],
    ['speaks unasked', (_id, line) => line.send(done(0, 0))],
    [
      'gives a thousand entries where two were asked for',
      (id, line) => line.send(...Array.from({ length: 1000 }, () => message(id, alice)), done(id, 0)),
    ],
  ];

  it.each(faults)('makes the result unknown immediately: %s', async (_name, fault) => {
    expect(await signIn(onSearch(fault))).toMatch(/^unknown: (protocol|unreachable|limit|busy)$/);
  });

  it.each(faults)('makes the bind as a person unknown: %s', async (name, fault) => {
    const on = (asked: Asked, line: Line): boolean => {
      if (!isUserBind(asked)) return false;
      fault(asked.id, line);
      return true;
    };
    // The result of a bind is what was asked for here.
    const expected =
      name === 'answers with another kind of result' ? /^yes$/ : /^unknown: (protocol|unreachable|limit|busy)$/;
    expect(await signIn({ on })).toMatch(expected);
  });

  it.each([
    ['silence', () => {}],
    ['half an answer', (id: number, line: Line) => line.send(done(id, 0).subarray(0, 6))],
    ['entries without an end', (id: number, line: Line) => line.send(message(id, alice))],
  ] as [string, (id: number, line: Line) => void][])('%s ends with the time that is set', async (_name, fault) => {
    expect(await signIn(onSearch(fault), { timeoutSeconds: 0.3 })).toBe('unknown: timeout');
  });

  it('parses a response that arrives byte by byte', async () => {
    const drip = onSearch((id, line) => {
      const bytes = Buffer.concat([message(id, alice), done(id, 0)]);
      void (async () => {
        for (const byte of bytes) {
          line.socket().write(Buffer.from([byte]));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
    });
    expect(await signIn(drip)).toBe('yes');
  });

  it('reads a long list of values completely', async () => {
    const memberOf = Array.from({ length: 20_000 }, (_, i) => `cn=group-${i},${baseDn}`);
    const directory = directoryAt(await start({ entries: [person('alice', { memberOf })] }));
    const answer = await directory.lookUp('alice');
    expect(answer).toMatchObject({ value: { groups: { values: { length: 20_000 } } } });
  });

  it('repeats a request when an idle connection was closed', async () => {
    const server = await start({
      on: (asked, line) => {
        if (asked.kind === 'search' && line.number === 1 && server.requests.length > 4) {
          line.socket().destroy();
          return true;
        }
        return false;
      },
    });
    const directory = directoryAt(server, { groupAttr: 'cn' });
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(server.connections()).toBe(3);
  });
});

describe('references to other servers', () => {
  it('are counted and never followed', async () => {
    const trap = await start({});
    const scripted = onSearch((id, line) =>
      line.send(message(id, reference(`${trap.url}/${baseDn}`)), message(id, alice), done(id, 0)),
    );
    expect(await signIn(scripted, { groupAttr: 'cn' })).toBe('yes');
    expect(trap.connections()).toBe(0);
  });

  it('make the result unknown when the result is a referral', async () => {
    const trap = await start({});
    const referral = (id: number) =>
      message(id, result(answers.done, 10, { more: [ber(0xa3, ber(4, `${trap.url}/`))] }));
    expect(await signIn(onSearch((id, line) => line.send(referral(id))))).toBe('unknown: referral');
    expect(trap.connections()).toBe(0);
  });
});

describe('several servers', () => {
  it('are tried in order, and an unreachable one is remembered', async () => {
    const [down, up] = [await start({}), await start({})];
    await down.stop();
    const directory = directoryAt({ url: `${down.url} ${up.url}` });
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(up.connections()).toBe(2);
  });

  it('get a limited share of the time when they do not respond', async () => {
    const silent = await start({ on: () => true });
    const up = await start({});
    const directory = directoryAt({ url: `${silent.url} ${up.url}` }, { timeoutSeconds: 6 });
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
    expect(silent.connections()).toBe(1);
  });

  it.each([
    ['is busy', (id: number, line: Line) => line.send(done(id, 51))],
    ['is stopping', (id: number, line: Line) => line.send(done(id, 52))],
    ['closes', (_id: number, line: Line) => line.socket().destroy()],
  ] as [string, (id: number, line: Line) => void][])(
    'asks the next when one %s, and stays with it',
    async (_name, fault) => {
      const [bad, up] = [await start(onSearch(fault)), await start({})];
      const directory = directoryAt({ url: `${bad.url} ${up.url}` }, { groupAttr: 'cn' });
      for (let i = 0; i < 3; i += 1) expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('yes');
      expect(bad.requests.filter(isSearch)).toHaveLength(1);
    },
  );

  it('are not tried again for a bind as a person with an unknown result', async () => {
    const on = (asked: Asked, line: Line): boolean => isUserBind(asked) && line.socket().destroy() !== undefined;
    const [first, second] = [await start({ on }), await start({ on })];
    const directory = directoryAt({ url: `${first.url} ${second.url}` });
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('unknown: unreachable');
    expect([...first.requests, ...second.requests].filter(isUserBind)).toHaveLength(1);
  });

  it('are not tried with a rejected service account', async () => {
    const [first, second] = [await start({}), await start({})];
    const directory = directoryAt({ url: `${first.url} ${second.url}` }, { bindPassword: 'wrong' });
    expect(short(await directory.authenticate('alice', 'alice-secret'))).toBe('unknown: bind_failed');
    expect(second.connections()).toBe(0);
  });
});

describe('a locked account', () => {
  it('is not bound, so that its lock is not prolonged', async () => {
    const server = await start({ entries: [person('alice', { pwdAccountLockedTime: '000001010000Z' })] });
    expect(short(await directoryAt(server).authenticate('alice', 'alice-secret'))).toBe('no: account_locked');
    expect(server.requests.filter(isUserBind)).toHaveLength(0);
  });
});

describe('text from the directory', () => {
  it('is stripped of control characters in messages', async () => {
    const words = 'bad\u001b[31m\r\nInjected: <script>\u202E';
    const server = await start(onSearch((id, line) => line.send(done(id, 53, words))));
    const answer = await directoryAt(server).authenticate('alice', 'alice-secret');
    expect(answer.outcome === 'unknown' && answer.message).not.toMatch(/\p{C}/u);
  });

  it('never contains the password', async () => {
    const server = await start(onSearch((id, line) => line.send(done(id, 80))));
    const answer = await directoryAt(server).authenticate('alice', 'hunter2-secret');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(JSON.stringify(answer)).not.toContain('svc-secret');
  });

  it('may contain an unrequested page control', async () => {
    const scripted = onSearch((id, line) =>
      line.send(message(id, alice), message(id, result(answers.done, 0), [pageControl('x')])),
    );
    expect(await signIn(scripted, { groupAttr: 'cn' })).toBe('yes');
  });
});
