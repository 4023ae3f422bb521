import { textOf, textsOf } from './attributes.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import type { Entry } from '../wire/entry.ts';
import type { AccountState } from '../model.ts';

type Reason = NonNullable<AccountState['reason']>;

/** One attribute by which a directory disables or locks an account. */
type Rule = {
  readonly attribute: string;
  /** Undefined when the attribute does not restrict the account. */
  readonly read: (value: string, context: { now: Date; entry: Entry }) => Reason | undefined;
};

const accountDisabled = 0x2;
const smartcardRequired = 0x4_0000;
const intruderReset = 'loginIntruderResetTime';
const computedLocked = 0x10;
const computedPasswordExpired = 0x80_0000;

// Also read by the sync run (`snapshot-people.ts`): there `disabled` and `expired` disable the account.
// The server does not maintain 0x10 and 0x800000 of userAccountControl: only the computed attribute shows a lock.
const rules: readonly Rule[] = [
  { attribute: 'userAccountControl', read: (value) => (has(value, accountDisabled) ? 'disabled' : undefined) },
  { attribute: 'nsAccountLock', read: (value) => (isTrue('nsAccountLock', value) ? 'disabled' : undefined) },
  { attribute: 'loginDisabled', read: (value) => (isTrue('loginDisabled', value) ? 'disabled' : undefined) },
  {
    attribute: 'ds-pwp-account-disabled',
    read: (value) => (isTrue('ds-pwp-account-disabled', value) ? 'disabled' : undefined),
  },
  { attribute: 'accountExpires', read: (value, { now }) => past(fileTime(value), now, 'expired') },
  { attribute: 'shadowExpire', read: (value, { now }) => past(daysSince1970(value), now, 'expired') },
  { attribute: 'krbPrincipalExpiration', read: (value, { now }) => past(generalizedTime(value), now, 'expired') },
  { attribute: 'loginExpirationTime', read: (value, { now }) => past(generalizedTime(value), now, 'expired') },
  { attribute: 'pwdEndTime', read: (value, { now }) => past(generalizedTime(value), now, 'expired') },
  {
    attribute: 'ds-pwp-account-expiration-time',
    read: (value, { now }) => past(generalizedTime(value), now, 'expired'),
  },
  {
    attribute: 'msDS-User-Account-Control-Computed',
    read: (value) =>
      has(value, computedLocked) ? 'locked' : has(value, computedPasswordExpired) ? 'password_expired' : undefined,
  },
  // Only the server knows the duration of a temporary lock, so the result of the bind decides.
  {
    attribute: 'pwdAccountLockedTime',
    read: (value) => (/^000001010000(?:00)?(?:\.0+)?Z$/.test(value) ? 'locked' : undefined),
  },
  {
    attribute: 'lockedByIntruder',
    read: (value, context) => (isTrue('lockedByIntruder', value) && !isReset(context) ? 'locked' : undefined),
  },
  {
    attribute: 'krbPasswordExpiration',
    read: (value, { now }) => past(generalizedTime(value), now, 'password_expired'),
  },
  {
    attribute: 'passwordExpirationTime',
    read: (value, { now }) => past(generalizedTime(value), now, 'password_expired'),
  },
  { attribute: 'pwdReset', read: (value) => (isTrue('pwdReset', value) ? 'must_change_password' : undefined) },
  {
    attribute: 'pwdLastSet',
    read: (value, { entry }) => (value === '0' && needsPassword(entry) ? 'must_change_password' : undefined),
  },
];

/** The attributes that are needed for an account's state. */
export const stateAttributes: readonly string[] = [...rules.map(({ attribute }) => attribute), intruderReset];

/** The most severe state is returned: a disabled account is reported as disabled even when it is also locked. */
const weight: readonly Reason[] = ['disabled', 'expired', 'locked', 'password_expired', 'must_change_password'];

/**
 * Whether an account may be used, and whether an administrator disabled it. A third party can cause a lock, and a
 * password expires with time: both prevent the sign-in and leave the account enabled.
 * @throws DirectoryFailure for a value that cannot be read
 */
export function accountState(entry: Entry, now: Date): AccountState {
  const found = rules.flatMap(({ attribute, read }) =>
    textsOf(entry, attribute).flatMap((value) => read(value.trim(), { now, entry }) ?? []),
  );
  const reason = weight.find((result) => found.includes(result)) ?? null;
  return {
    signIn: reason === null ? 'allowed' : 'refused',
    reason,
    disabled: reason === 'disabled' || reason === 'expired',
  };
}

// eDirectory clears the attribute only at the next successful sign-in after that time.
function isReset({ entry, now }: { entry: Entry; now: Date }): boolean {
  const reset = textOf(entry, intruderReset);
  return reset !== undefined && generalizedTime(reset) <= now.getTime();
}

function needsPassword(entry: Entry): boolean {
  return !has(textOf(entry, 'userAccountControl') ?? '0', smartcardRequired);
}

function has(value: string, bit: number): boolean {
  if (!/^-?\d{1,10}$/.test(value)) throw unreadable('a set of bits', value);
  return (Number(value) & bit) !== 0;
}

function isTrue(attribute: string, value: string): boolean {
  if (/^true$/i.test(value)) return true;
  if (/^false$/i.test(value)) return false;
  throw unreadable(attribute, value);
}

function past(time: number | undefined, now: Date, reason: Reason): Reason | undefined {
  return time !== undefined && time <= now.getTime() ? reason : undefined;
}

// Active Directory time: 100 ns units since 1601; 0 and the largest number mean never.
const fileTime1970 = 11_644_473_600_000n;
const never = 0x7fff_ffff_ffff_ffffn;

function fileTime(value: string): number | undefined {
  if (!/^-?\d{1,19}$/.test(value)) throw unreadable('a time', value);
  const ticks = BigInt(value);
  return ticks <= 0n || ticks >= never ? undefined : Number(ticks / 10_000n - fileTime1970);
}

// shadow(5): zero and negative values mean never; the account is expired on the day itself.
function daysSince1970(value: string): number | undefined {
  if (!/^-?\d{1,9}$/.test(value)) throw unreadable('a day', value);
  const days = Number(value);
  return days <= 0 ? undefined : days * 86_400_000;
}

const time = /^(\d{4})(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)?)?(?:[.,]\d+)?(Z|[+-]\d\d(?:\d\d)?)$/;

/** GeneralizedTime (RFC 4517, 3.3.13). */
export function generalizedTime(value: string): number {
  const [, year, month, day, hour, minute = '00', second = '00', zone = 'Z'] = time.exec(value) ?? [];
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3) || '00'}`;
  const parsed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}${offset}`);
  if (Number.isNaN(parsed)) throw unreadable('a time', value);
  return parsed;
}

function unreadable(what: string, value: string): DirectoryFailure {
  return new DirectoryFailure('protocol', `The account's state cannot be read: "${value.slice(0, 40)}" is not ${what}`);
}
