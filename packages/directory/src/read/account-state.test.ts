import { describe, expect, it } from '@jest/globals';
import { accountState } from './account-state.ts';
import type { AccountState } from '../model.ts';

const now = new Date('2026-06-15T12:00:00Z');

function fileTime(iso: string): string {
  return String((BigInt(Date.parse(iso)) + 11_644_473_600_000n) * 10_000n);
}

function days(iso: string): string {
  return String(Date.parse(iso) / 86_400_000);
}

function state(attributes: Record<string, string>): AccountState {
  return accountState(
    {
      dn: 'cn=x',
      attributes: new Map(
        Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), [Buffer.from(value)]]),
      ),
    },
    now,
  );
}

type Row = readonly [Record<string, string>, AccountState['reason']];
const rows: readonly Row[] = [
  [{}, null],
  // Active Directory: bits
  [{ userAccountControl: '512' }, null],
  [{ userAccountControl: '514' }, 'disabled'],
  [{ userAccountControl: '66048' }, null],
  [{ userAccountControl: '66050' }, 'disabled'],
  [{ userAccountControl: '546' }, 'disabled'],
  [{ userAccountControl: '544' }, null],
  [{ userAccountControl: '528' }, null], // its own lock bit is not kept up
  [{ userAccountControl: '8389120' }, null], // nor is its expired bit
  [{ userAccountControl: '262656' }, null],
  [{ userAccountControl: '-2147483136' }, null],
  [{ userAccountControl: '-2147483134' }, 'disabled'],
  // Active Directory: computed
  [{ userAccountControl: '512', 'msDS-User-Account-Control-Computed': '0' }, null],
  [{ userAccountControl: '512', 'msDS-User-Account-Control-Computed': '16' }, 'locked'],
  [{ userAccountControl: '512', 'msDS-User-Account-Control-Computed': '8388608' }, 'password_expired'],
  [{ userAccountControl: '512', 'msDS-User-Account-Control-Computed': '8388624' }, 'locked'],
  [{ userAccountControl: '514', 'msDS-User-Account-Control-Computed': '8388624' }, 'disabled'],
  // Active Directory: times
  [{ accountExpires: '0' }, null],
  [{ accountExpires: '9223372036854775807' }, null],
  [{ accountExpires: '-1' }, null],
  [{ accountExpires: fileTime('2026-06-15T11:59:59Z') }, 'expired'],
  [{ accountExpires: fileTime('2026-06-15T12:00:00Z') }, 'expired'],
  [{ accountExpires: fileTime('2026-06-15T12:00:01Z') }, null],
  [{ accountExpires: '1' }, 'expired'],
  [{ userAccountControl: '512', pwdLastSet: '0' }, 'must_change_password'],
  [{ userAccountControl: '512', pwdLastSet: '133000000000000000' }, null],
  [{ userAccountControl: '262656', pwdLastSet: '0' }, null], // smart card
  [{ userAccountControl: '514', pwdLastSet: '0' }, 'disabled'],
  [{ userAccountControl: '512', lockoutTime: '133000000000000000' }, null], // not a lock without the other attributes
  // 389 Directory Server, FreeIPA
  [{ nsAccountLock: 'TRUE' }, 'disabled'],
  [{ nsAccountLock: 'true' }, 'disabled'],
  [{ nsAccountLock: 'FALSE' }, null],
  [{ nsAccountLock: 'false' }, null],
  [{ krbPrincipalExpiration: '20260615115959Z' }, 'expired'],
  [{ krbPrincipalExpiration: '20260615120001Z' }, null],
  [{ krbPasswordExpiration: '20260615115959Z' }, 'password_expired'],
  [{ krbPasswordExpiration: '20260615120001Z' }, null],
  [{ nsAccountLock: 'TRUE', krbPasswordExpiration: '20200101000000Z' }, 'disabled'],
  [{ passwordExpirationTime: '19700101000000Z' }, 'password_expired'],
  [{ passwordExpirationTime: '20380119031407Z' }, null],
  // OpenLDAP
  [{ pwdAccountLockedTime: '000001010000Z' }, 'locked'],
  [{ pwdAccountLockedTime: '00000101000000Z' }, 'locked'],
  [{ pwdAccountLockedTime: '20260615115500Z' }, null], // temporary: the bind tells
  [{ pwdReset: 'TRUE' }, 'must_change_password'],
  [{ pwdReset: 'FALSE' }, null],
  [{ pwdEndTime: '20260615115959Z' }, 'expired'],
  [{ pwdEndTime: '20270101000000Z' }, null],
  [{ shadowExpire: '-1' }, null],
  [{ shadowExpire: '0' }, null],
  [{ shadowExpire: days('2026-06-15T00:00:00Z') }, 'expired'],
  [{ shadowExpire: days('2026-06-16T00:00:00Z') }, null],
  [{ shadowExpire: '1' }, 'expired'],
  // eDirectory
  [{ loginDisabled: 'TRUE' }, 'disabled'],
  [{ loginDisabled: 'FALSE' }, null],
  [{ loginExpirationTime: '20260101000000Z' }, 'expired'],
  [{ loginExpirationTime: '20270101000000Z' }, null],
  [{ lockedByIntruder: 'TRUE' }, 'locked'],
  [{ lockedByIntruder: 'TRUE', loginIntruderResetTime: '20260615115000Z' }, null],
  [{ lockedByIntruder: 'TRUE', loginIntruderResetTime: '20260615121000Z' }, 'locked'],
  [{ lockedByIntruder: 'FALSE' }, null],
  // PingDirectory and its kin
  [{ 'ds-pwp-account-disabled': 'true' }, 'disabled'],
  [{ 'ds-pwp-account-disabled': 'false' }, null],
  [{ 'ds-pwp-account-expiration-time': '20260101000000Z' }, 'expired'],
  // Times in every form
  [{ krbPrincipalExpiration: '2026061511Z' }, 'expired'],
  [{ krbPrincipalExpiration: '202606151159Z' }, 'expired'],
  [{ krbPrincipalExpiration: '20260615115959.123Z' }, 'expired'],
  [{ krbPrincipalExpiration: '20260615135959+0200' }, 'expired'],
  [{ krbPrincipalExpiration: '20260615140001+02' }, null],
  // Several at once: what weighs most
  [{ pwdAccountLockedTime: '000001010000Z', shadowExpire: '1' }, 'expired'],
  [{ pwdAccountLockedTime: '000001010000Z', pwdReset: 'TRUE' }, 'locked'],
];

describe('the state of an account', () => {
  it.each(rows)('%j: %s', (attributes, reason) => {
    expect(state(attributes)).toEqual({
      signIn: reason === null ? 'allowed' : 'refused',
      reason,
      // A lock, which a stranger can cause, and an old password never deactivate.
      disabled: reason === 'disabled' || reason === 'expired',
    });
  });

  it.each([
    { userAccountControl: 'x' },
    { userAccountControl: '' },
    { accountExpires: 'never' },
    { accountExpires: '99999999999999999999' },
    { nsAccountLock: 'maybe' },
    { shadowExpire: 'soon' },
    { krbPrincipalExpiration: 'tomorrow' },
    { krbPrincipalExpiration: '20261315000000Z' },
    { pwdReset: '1' },
  ])('%j cannot be read, which is neither yes nor no', (attributes) => {
    expect(() => state(attributes)).toThrow(/cannot be read/);
  });
});
