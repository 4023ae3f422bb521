import { describe, expect, it } from '@jest/globals';
import type { Answer, Explained, Person } from '@overtone/directory';
import { judge, wordsFor, type Kept } from './explanation.ts';

const person: Person = {
  dn: 'uid=una,dc=example,dc=org',
  login: 'una',
  email: 'una@example.org',
  name: 'Una',
  immutableId: 'entryUUID:1',
  groups: { known: true, values: [] },
  admitted: 'yes',
  adminSignal: 'no',
  state: { signIn: 'allowed', reason: null, disabled: false },
};
const account: Kept = {
  authType: 'ldap',
  role: 'user',
  isActive: true,
  approvalStatus: 'approved',
  disabledBy: null,
  accountExpiresAt: null,
};
const found = (more: Partial<Person> = {}): Answer<Explained> => ({
  outcome: 'yes',
  value: { person: { ...person, ...more }, attributes: {}, paths: [] },
});
const gone: Answer<Explained> = { outcome: 'no', reason: 'not_found', message: 'User not found in LDAP' };
const now = new Date('2026-11-21T12:00:00Z');
const judged = (facts: Partial<Parameters<typeof judge>[0]>) =>
  judge({ account, answer: found(), conflict: null, role: 'user', newcomersWait: false, now, ...facts });

describe('how a sign-in would end', () => {
  it.each([
    ['admits whom the directory admits', {}, 'admitted', /admits them/],
    ['says who becomes an administrator', { role: 'admin' }, 'admin', /admits them/],
    ['admits a newcomer and says so', { account: null }, 'admitted', /makes an account/],
    ['makes a newcomer wait where approval is required', { account: null, newcomersWait: true }, 'refused', /approval/],
    ['refuses a login that the directory does not have', { answer: gone }, 'refused', /nobody of this login/],
    [
      'refuses who is in none of the required groups',
      { answer: found({ admitted: 'no' }) },
      'refused',
      /required groups/,
    ],
    ['refuses an entry without an address', { answer: found({ email: null }) }, 'refused', /e-mail/],
    [
      'refuses who is locked there',
      { answer: found({ state: { signIn: 'refused', reason: 'locked', disabled: false } }) },
      'refused',
      /locked in the directory/,
    ],
    ['refuses another person under an old name', { conflict: 'Another entry.' }, 'refused', /Another entry/],
    ['knows nothing while groups cannot be read', { answer: found({ admitted: 'unknown' }) }, 'unknown', /groups/],
    [
      'knows nothing while the directory is away',
      { answer: { outcome: 'unknown', reason: 'unreachable', message: 'No route' } },
      'unknown',
      /No route/,
    ],
    ['without the directory, refuses its accounts', { answer: null }, 'refused', /switched off/],
    [
      'lets accounts of another kind in by their own way',
      { account: { ...account, authType: 'local', role: 'admin' }, answer: gone },
      'admin',
      /signs in by: local/,
    ],
    [
      'a disabled account stays so whatever the directory says',
      { account: { ...account, isActive: false, disabledBy: 'directory' } },
      'disabled',
      /sweep/,
    ],
    [
      'tells an administrator from the sweep',
      { account: { ...account, isActive: false, disabledBy: 'administrator' } },
      'disabled',
      /administrator/,
    ],
    [
      'refuses an account that waits for approval',
      { account: { ...account, approvalStatus: 'pending' } },
      'refused',
      /waits for approval/,
    ],
    ['refuses who was rejected', { account: { ...account, approvalStatus: 'rejected' } }, 'refused', /rejected/],
    ['refuses after the end date', { account: { ...account, accountExpiresAt: now } }, 'refused', /end date/],
  ] as const)('%s', (_rule, facts, verdict, reason) => {
    const said = judged(facts);
    expect(said.verdict).toBe(verdict);
    expect(said.reason).toMatch(reason);
  });

  it('has words for the code of every record, of another release, too', () => {
    expect(wordsFor('NOT_ADMITTED')).toBe('The directory does not admit them.');
    expect(wordsFor('SOME_NEW_CODE')).toBe('some new code');
  });
});
