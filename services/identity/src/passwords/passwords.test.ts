import { describe, expect, it } from '@jest/globals';
import { createArgon2 } from '@overtone/service-kit/argon2';
import { passwordFaults } from './passwords.ts';

const policy = {
  password_policy_enabled: true,
  password_min_length: 12,
  password_require_uppercase: true,
  password_require_lowercase: true,
  password_require_digit: true,
  password_require_special: true,
};
const owner = { email: 'maria@example.org', fullName: 'Maria de la Cruz' };

describe('a new password', () => {
  it.each(['Correct-Horse-9', 'Ünïcödé Sätze 1', `Aa1!${'x'.repeat(124)}`])('%s is good', (password) => {
    expect(passwordFaults(password, owner, policy)).toEqual([]);
  });

  it.each([
    ['Short-1a', 'at least 12'],
    [`Aa1!${'x'.repeat(125)}`, 'at most 128'],
    ['correct-horse-9', 'upper case'],
    ['CORRECT-HORSE-9', 'lower case'],
    ['Correct-Horse-x', 'digit'],
    ['CorrectHorse99', 'special'],
    ['My-Maria-2026!', 'name or e-mail'],
    ['Santa-CRUZ-2026', 'name or e-mail'],
  ])('%s is refused: %s', (password, reason) => {
    expect(passwordFaults(password, owner, policy).join()).toContain(reason);
  });

  it('may contain short parts of a name, which are in every word', () => {
    expect(passwordFaults('Delay-Lamp-2026', owner, policy)).toEqual([]);
  });
});

describe('argon2id', () => {
  const hasher = createArgon2();

  it('hashes with a random salt and verifies', async () => {
    const [first, second] = await Promise.all([hasher.hash('x'), hasher.hash('x')]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect(await hasher.verify(first, 'x')).toBe(true);
    expect(await hasher.verify(first, 'y')).toBe(false);
    expect(await hasher.verify('not a hash', 'x')).toBe(false);
  });

  it('does not block the event loop during many hashes', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await Promise.all(Array.from({ length: 12 }, () => hasher.pretend('x')));
    clearInterval(timer);
    // Hashing on the event loop would delay the timer until the last hash.
    expect(turns).toBeGreaterThan(12);
  });

  it('limits the queue, and rejects further requests as retryable', async () => {
    const all = await Promise.allSettled(Array.from({ length: 260 }, () => hasher.pretend('x')));
    const refused = all.filter((record) => record.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable', retryAfterSeconds: 5 } });
  });
});
