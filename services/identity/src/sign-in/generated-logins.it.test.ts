import { describe, expect, it } from '@jest/globals';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { startDirectoryWorld } from '../../test/directory-world.ts';
import { admin } from '../../test/running-identity.ts';

/** `SIGN_IN_FUZZ=1000000` tests a million. */
const size = Number(process.env['SIGN_IN_FUZZ'] ?? 500);

const world = await startDirectoryWorld({ SIGN_IN_REFUSAL_MS: '0', ACCOUNT_LOCKOUT_ENABLED: 'false' });
const victim = await world.person();
await world.identity.signIn(victim.uid, victim.password);

const random = randomFrom(testSeed);
function anyOf<T>(items: readonly T[]): T {
  return items[random(items.length)] as T;
}
const special = [
  '*',
  '(',
  ')',
  '\\',
  '|',
  '&',
  '!',
  '=',
  '<',
  '>',
  '~',
  ',',
  ';',
  '+',
  '"',
  '#',
  '/',
  '@',
  '%',
  "'",
  ' ',
];
function anyText(): string {
  return anyOf([
    () => String.fromCodePoint(...Array.from({ length: 1 + random(19) }, () => 1 + random(0xd7ff))),
    () => Array.from({ length: 1 + random(11) }, () => anyOf(special)).join(''),
    () => String.fromCodePoint(...Array.from({ length: 1 + random(59) }, () => 1 + random(255))),
    () => 'x'.repeat(1 + random(319)),
    () => `\\${random(256).toString(16).padStart(2, '0')}`,
  ])();
}
/** Names that an unescaped filter, distinguished name or query would match with the victim or any account. */
function around(uid: string): string {
  return anyOf([
    `${uid}*`,
    `*`,
    `${uid})(uid=*`,
    `*)(|(uid=${uid}`,
    `${uid})(&)`,
    `\\2a`,
    `${uid}\\00`,
    `uid=${uid},${world.slapd.people}`,
    `${uid},${world.slapd.people}`,
    `${uid}' or '1'='1`,
    `%${uid}%`,
    `_${uid.slice(1)}`,
    `${uid}\u200b`,
    `${uid}\u0307`,
    `${uid}@example.org@example.org`,
    admin.email,
    `cn=svc,${world.slapd.base}`,
    'admin',
  ]);
}
function anyPassword(): string {
  return anyOf([() => anyText(), () => '', () => '*', () => `${victim.password}x`, () => victim.uid, () => '\u00a0'])();
}

describe('generated logins', () => {
  it(`open no session and cause no error 500, for ${size} of them`, async () => {
    const statuses = new Map<number, number>();
    const odd: unknown[] = [];
    let left = size;
    const client = async () => {
      while (left-- > 0) {
        const byName = random(2) === 0;
        const name = byName ? around(victim.uid) : `${anyText()}${random(3) ? '' : anyOf(special)}`;
        // With the right password, only the wrong name prevents the sign-in.
        const password = byName && random(3) === 0 ? victim.password : anyPassword();
        const { status, cookies } = await world.identity.signIn(name.slice(0, 320), password.slice(0, 1024));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 401 || cookies.length > 0) odd.push({ name, password, status });
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    expect(odd.slice(0, 5)).toEqual([]);
    expect([...statuses.keys()]).toEqual([401]);
    const { rows } = await world.backends.sql.query<{ n: number }>('select count(*)::int as n from "user"');
    expect(rows[0]?.n).toBe(2);
  }, 86_400_000);

  it('do not affect a valid sign-in', async () => {
    expect((await world.identity.signIn(victim.uid, victim.password)).status).toBe(200);
  });
});
