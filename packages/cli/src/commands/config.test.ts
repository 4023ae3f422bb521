import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dataFolder } from '../paths.ts';
import { identify } from '../supervisor/identity.ts';
import { writeRuntime } from '../supervisor/runtime.ts';
import { runningEnvironment, secretSources, settingsOf } from './config.command.ts';

describe('runningEnvironment', () => {
  it('reads the variables of the running instance, not those of the caller, and none without an instance', async () => {
    const root = mkdtempSync(join(tmpdir(), 'overtone-config-'));
    const folder = dataFolder(root);
    mkdirSync(dirname(folder.runtime), { recursive: true });
    expect(runningEnvironment(folder)).toBeUndefined();
    const child = spawn('/bin/sleep', ['60'], { env: { LDAP_SERVER: 'ldap.example.org' } });
    try {
      await once(child, 'spawn');
      const supervisor = identify(child.pid!);
      writeRuntime(folder, {
        phase: 'ready',
        version: '1',
        mark: '',
        supervisor: supervisor!,
        processes: [],
        exits: {},
      });
      expect(runningEnvironment(folder)).toEqual({ LDAP_SERVER: 'ldap.example.org' });
    } finally {
      child.kill('SIGKILL');
      rmSync(root, { recursive: true });
    }
  });
});

describe('secretSources', () => {
  it('names the place that each secret is taken from', () => {
    const placeOf = (environment: Record<string, string>) => new Map(secretSources(environment));
    expect(placeOf({}).get('secret JWT_SECRET_KEY')).toMatch(/^secrets\/jwt_secret_key of the data folder/);
    for (const variable of ['JWT_SECRET_KEY', 'JWT_SECRET_KEY_FILE'])
      expect(placeOf({ [variable]: 'x' }).get('secret JWT_SECRET_KEY')).toMatch(/^environment/);
    expect(placeOf({ ENCRYPTION_KEY: 'x' }).get('secret ENCRYPTION_KEY')).toMatch(/^secrets\/encryption_key .*refused/);
  });
});

describe('settingsOf', () => {
  it('masks secrets and shows their files', () => {
    const shown = settingsOf({
      JWT_SECRET_KEY: 'abc',
      JWT_SECRET_KEY_FILE: '/run/key',
      LDAP_SERVER: 'ldap.example.org',
    });
    expect(shown).toEqual([
      ['JWT_SECRET_KEY', '(set)'],
      ['JWT_SECRET_KEY_FILE', '/run/key'],
      ['LDAP_SERVER', 'ldap.example.org'],
    ]);
  });

  it('omits variables that no service reads', () => {
    expect(settingsOf({ HOME: '/root', PATH: '/bin' })).toEqual([]);
  });
});
