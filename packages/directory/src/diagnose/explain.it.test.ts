import { describe, expect, it } from '@jest/globals';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import {
  baseDn,
  configFor,
  person,
  startScriptedDirectory,
  type ScriptedEntry,
} from '../../test/scripted-directory.ts';
import { explain, type DirectoryConfig } from '../index.ts';

function dn(cn: string): string {
  return `cn=${cn},ou=groups,${baseDn}`;
}

const aliceDn = `uid=alice,ou=people,${baseDn}`;

function group(cn: string, member: readonly string[]): ScriptedEntry {
  return {
    dn: dn(cn),
    attributes: { objectClass: 'groupOfNames', cn, member },
  };
}

async function asked(
  entries: readonly ScriptedEntry[],
  { login = 'alice', mapped = [], ...more }: Partial<DirectoryConfig> & { login?: string; mapped?: string[] } = {},
) {
  const server = await startScriptedDirectory({ entries });
  cleanUpAfterTest(server.stop);
  return { answer: await explain(configFor(server, more), login, mapped), server };
}

describe('explanation of a directory decision', () => {
  it('lists the deciding attributes with their stored values', async () => {
    const { answer } = await asked([person('alice', { shadowExpire: '1' })]);
    expect(answer).toMatchObject({
      outcome: 'yes',
      value: {
        person: { login: 'alice', state: { reason: 'expired' } },
        attributes: { uid: 'alice', mail: 'alice@example.org', shadowExpire: '1' },
        paths: [],
      },
    });
  });

  it('gives the shortest path through nested groups', async () => {
    const entries = [
      person('alice'),
      group('team', [aliceDn]),
      group('other', [aliceDn]),
      group('unit', [dn('team')]),
      group('staff', [dn('unit'), dn('other')]),
      group('heads', [dn('unit')]),
    ];
    const { answer } = await asked(entries, {
      recursiveGroups: true,
      userGroups: dn('staff'),
      adminGroups: dn('empty'),
      mapped: [dn('heads')],
    });
    expect(answer).toMatchObject({
      value: {
        person: { admitted: 'yes', adminSignal: 'no' },
        paths: [
          [dn('other'), dn('staff')],
          [dn('team'), dn('unit'), dn('heads')],
        ],
      },
    });
  });

  it('ends where groups go round in circles', async () => {
    const entries = [person('alice'), group('a', [aliceDn, dn('b')]), group('b', [dn('a')])];
    const { answer } = await asked(entries, { recursiveGroups: true, userGroups: dn('b') });
    expect(answer).toMatchObject({ value: { paths: [[dn('a'), dn('b')]] } });
  });

  it('names direct groups alone where groups inside groups do not count', async () => {
    const entries = [person('alice'), group('team', [aliceDn]), group('staff', [dn('team')])];
    const { answer } = await asked(entries, { userGroups: `${dn('staff')};${dn('team')}` });
    expect(answer).toMatchObject({ value: { paths: [[dn('team')]] } });
  });

  it('reports that no user or several users have this login', async () => {
    expect((await asked([person('alice')], { login: 'bob' })).answer).toMatchObject({ reason: 'not_found' });
    const twins = [person('alice'), { ...person('alice'), dn: `uid=alice,ou=more,${baseDn}` }];
    expect((await asked(twins)).answer).toMatchObject({ reason: 'ambiguous' });
  });

  it('is unknown where the directory cannot be asked, and no connection stays', async () => {
    const server = await startScriptedDirectory();
    await server.stop();
    expect(await explain(configFor(server), 'alice', [])).toMatchObject({ outcome: 'unknown', reason: 'unreachable' });
  });
});
