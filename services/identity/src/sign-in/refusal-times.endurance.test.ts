import { expect, it } from '@jest/globals';
import { addUser, setUpIdentity } from '../../test/running-identity.ts';

const { backends, identity: paced } = await setUpIdentity({ SIGN_IN_REFUSAL_MS: '150' });

it('a sign-in takes as long for an unknown name, a locked account and a pending one as for a wrong password', async () => {
  const [locked, pending] = [
    await addUser(backends.sql, { locked_until: '2999-01-01' }),
    // Not locked by the wrong passwords of this test.
    await addUser(backends.sql, { approval_status: 'pending', failed_logins: -1_000 }),
  ];
  const samples = 40;
  const users = await Promise.all(Array.from({ length: samples }, () => addUser(backends.sql)));
  const times = { wrong: [] as number[], unknown: [] as number[], locked: [] as number[], pending: [] as number[] };
  const time = async (kind: keyof typeof times, username: string, password: string) => {
    const started = performance.now();
    await paced.signIn(username, password);
    times[kind].push(performance.now() - started);
  };
  // Interleaved, so that other load on the machine affects all of them equally.
  for (const user of users)
    await Promise.all([
      time('wrong', user.email, 'wrong'),
      time('unknown', 'unknown@example.org', 'wrong'),
      time('locked', locked.email, locked.password),
      time('pending', pending.email, 'wrong'),
    ]);
  /** The probability that a value of `a` is larger than one of `b`; 0.5 for equal distributions. */
  const longer = (left: number[], right: number[]) =>
    left.flatMap((x) => right.map((y) => Number(x > y))).reduce((sum, item) => sum + item, 0) /
    (left.length * right.length);
  for (const kind of ['unknown', 'locked', 'pending'] as const) {
    // Without a common duration it would be 0 or 1. The benchmark measures 2,000 samples of each.
    expect(longer(times[kind], times.wrong)).toBeGreaterThan(0.1);
    expect(longer(times[kind], times.wrong)).toBeLessThan(0.9);
  }
});
