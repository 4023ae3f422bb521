import { describe, expect, it } from '@jest/globals';
import type { Answer, Explained, Person } from '@overtone/directory';
import { decideVerdict, refusalTextOf, type AccountFacts } from './explanation.ts';

const person: Person = {
  dn: 'uid=una,dc=example,dc=org',
  login: 'una',
  email: 'una@example.org',
  emails: ['una@example.org'],
  name: 'Una',
  immutableId: 'entryUUID:1',
  groups: { known: true, values: [] },
  admitted: 'yes',
  adminSignal: 'no',
  state: { signIn: 'allowed', reason: null, disabled: false },
};
const account: AccountFacts = {
  authType: 'ldap',
  role: 'user',
  isActive: true,
  approvalStatus: 'approved',
  disabledBy: null,
  accountExpiresAt: null,
};

function found(more: Partial<Person> = {}): Answer<Explained> {
  return {
    outcome: 'yes',
    value: { person: { ...person, ...more }, attributes: {}, paths: [] },
  };
}

const gone: Answer<Explained> = { outcome: 'no', reason: 'not_found', message: 'User not found in LDAP' };
const now = new Date('2026-11-21T12:00:00Z');

function judged(facts: Partial<Parameters<typeof decideVerdict>[0]>) {
  return decideVerdict({
    account,
    answer: found(),
    conflict: null,
    role: 'user',
    requiresApproval: false,
    now,
    ...facts,
  });
}

describe('the verdict about a sign-in', () => {
  it.each([
    ['is admitted when the directory admits the person', {}, 'admitted', /admits them/],
    ['is admin for an administrator', { role: 'admin' }, 'admin', /admits them/],
    ['is admitted without an account, which the sign-in creates', { account: null }, 'admitted', /creates an account/],
    [
      'is refused without an account where approval is required',
      { account: null, requiresApproval: true },
      'refused',
      /approval/,
    ],
    ['is refused for a login without directory entry', { answer: gone }, 'refused', /no entry for this login/],
    [
      'is refused for a person in none of the required groups',
      { answer: found({ admitted: 'no' }) },
      'refused',
      /required groups/,
    ],
    ['is refused for an entry without an address', { answer: found({ email: null }) }, 'refused', /e-mail/],
    [
      'is refused for an account that is locked in the directory',
      { answer: found({ state: { signIn: 'refused', reason: 'locked', disabled: false } }) },
      'refused',
      /locked in the directory/,
    ],
    ['is refused for another person with a known name', { conflict: 'Another entry.' }, 'refused', /Another entry/],
    ['is unknown while groups cannot be read', { answer: found({ admitted: 'unknown' }) }, 'unknown', /groups/],
    [
      'is unknown while the directory is unreachable',
      { answer: { outcome: 'unknown', reason: 'unreachable', message: 'No route' } },
      'unknown',
      /No route/,
    ],
    ['is refused for directory accounts without the directory', { answer: null }, 'refused', /switched off/],
    [
      'is admitted for accounts of other sources',
      { account: { ...account, authType: 'local', role: 'admin' }, answer: gone },
      'admin',
      /signs in by: local/,
    ],
    [
      'is disabled for a disabled account, also when the directory admits the person',
      { account: { ...account, isActive: false, disabledBy: 'directory' } },
      'disabled',
      /sync/,
    ],
    [
      'distinguishes an administrator from the directory sync',
      { account: { ...account, isActive: false, disabledBy: 'administrator' } },
      'disabled',
      /administrator/,
    ],
    [
      'is refused for an account that waits for approval',
      { account: { ...account, approvalStatus: 'pending' } },
      'refused',
      /waits for approval/,
    ],
    [
      'is refused for a rejected account',
      { account: { ...account, approvalStatus: 'rejected' } },
      'refused',
      /rejected/,
    ],
    ['is refused after the end date', { account: { ...account, accountExpiresAt: now } }, 'refused', /end date/],
  ] as const)('%s', (_rule, facts, verdict, reason) => {
    const said = judged(facts);
    expect(said.verdict).toBe(verdict);
    expect(said.reason).toMatch(reason);
  });

  it('has a text for the code of every record, also of another release', () => {
    expect(refusalTextOf('NOT_ADMITTED')).toBe('The directory does not admit them.');
    expect(refusalTextOf('SOME_NEW_CODE')).toBe('some new code');
  });
});
