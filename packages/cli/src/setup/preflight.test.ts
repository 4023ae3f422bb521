import { describe, expect, it } from '@jest/globals';
import { dataFolder } from '../paths.ts';
import { checkDisk, checkSecrets, isNewer } from './preflight.ts';

describe('isNewer', () => {
  it.each([
    ['0.6.0', '0.5.0'],
    ['0.10.0', '0.9.9'],
    ['1.0.0', '0.99.99'],
    ['0.5.1', '0.5.0'],
    ['0.5.0', '0.5.0-rc1'],
  ])('%s is newer than %s, not the other way round', (newer, older) => {
    expect([isNewer(newer, older), isNewer(older, newer)]).toEqual([true, false]);
  });

  it('a version is not newer than itself', () => {
    expect(isNewer('0.5.0', '0.5.0')).toBe(false);
  });
});

describe('checkDisk', () => {
  it('refuses a disk that is about to be full, in one sentence with both figures', () => {
    expect(() => checkDisk(dataFolder('/somewhere'), 12 * 1024 * 1024)).toThrow(
      'Only 12 MiB are free on the disk of /somewhere; at least 500 MiB are needed.',
    );
  });
});

describe('checkSecrets', () => {
  const stored = (name: string) => (name === 'encryption_key' ? 'stored\n' : undefined);

  it.each([
    [{ ENCRYPTION_KEY: 'another' }],
    [{ ENCRYPTION_KEY_FILE: '/nowhere/key' }],
    [{ ASSERTION_PRIVATE_KEY: 'a key' }],
  ])('refuses %j, which would be ignored', (environment) => {
    expect(() => checkSecrets(environment, stored)).toThrow(
      'is set in the environment, but ./overtone up uses secrets/',
    );
  });

  it('accepts a secret of the environment that is the stored one, an empty one, and the signing secret', () => {
    for (const environment of [{ ENCRYPTION_KEY: 'stored' }, { ENCRYPTION_KEY: '' }, { JWT_SECRET_KEY: 'any' }, {}])
      expect(() => checkSecrets(environment, stored)).not.toThrow();
  });
});
