import { describe, expect, it } from '@jest/globals';
import { alertsOf, setupSteps, type Facts } from './checks.ts';

const gib = 1024 ** 3;
const sync = { pass_uuid: 'run-1', status: 'held', dry_run: false, candidates: 3, approved_at: null };
const model = { name: 'whisper-small', kind: 'asr', fault: null };
const methods = { ldap_enabled: false, oidc_enabled: false, proxy_enabled: false };
const backup = { enabled: true, last_run: run('success'), destination_status: { ok: true } };

function run(status: string) {
  return { status, finished_at: '2026-11-28T03:00:00Z' };
}

function queue(change: object) {
  const queues = [{ queue: 'gpu', depth: 0, dead: 0, paused: null, ...change }];
  return { queues } as unknown as NonNullable<Facts['queues']>;
}

function models(installed: object[], state?: string) {
  return { installed, speech_setup: state ? { state } : null } as unknown as NonNullable<Facts['models']>;
}

describe('the steps of the first day', () => {
  const stepsOf = (facts: Facts) => setupSteps(facts).map(({ id, done }) => [id, done]);
  it('are open on a new installation, in their order', () =>
    expect(stepsOf({ models: models([]), backup: { ...backup, enabled: false }, methods, superAdmins: 1 })).toEqual([
      ['model', false],
      ['backup', false],
      ['directory', false],
      ['second-admin', false],
    ]));
  it('are done when each of them is set up', () =>
    expect(
      stepsOf({ models: models([model]), backup, methods: { ...methods, oidc_enabled: true }, superAdmins: 2 }),
    ).toEqual([
      ['model', true],
      ['backup', true],
      ['directory', true],
      ['second-admin', true],
    ]));
  it('do not count a model that is damaged, or one for another purpose', () =>
    expect(
      stepsOf({
        models: models([
          { ...model, fault: 'hash' },
          { ...model, kind: 'vad' },
        ]),
      }),
    ).toEqual([['model', false]]));
  it('say that the model is being fetched', () =>
    expect(setupSteps({ models: models([], 'running') })[0]?.text).toBe('It is being fetched.'));
  it('leave out what is not known', () => expect(setupSteps({})).toEqual([]));
});

describe('what needs attention', () => {
  const idsOf = (facts: Facts) => alertsOf(facts).map(({ id }) => id);
  it.each<[string, Facts, string[]]>([
    [
      'nothing on a sound installation',
      { backup, health: 'healthy', queues: queue({}), engines: [{ engine: {}, pulls: [] }] },
      [],
    ],
    ['a degraded platform', { health: 'degraded' }, ['health']],
    ['a full disk', { storage: { space: { free_bytes: gib, total_bytes: 100 * gib, reserve_bytes: gib } } }, ['disk']],
    [
      'a small disk that is nearly full',
      { storage: { space: { free_bytes: 4 * gib, total_bytes: 50 * gib, reserve_bytes: 0 } } },
      ['disk'],
    ],
    [
      'nothing of a disk with space',
      { storage: { space: { free_bytes: 30 * gib, total_bytes: 900 * gib, reserve_bytes: gib } } },
      [],
    ],
    ['nothing of a store that is no folder', { storage: { space: null } }, []],
    ['that no engine runs', { engines: [{ engine: null, pulls: ['gpu-transcription'] }] }, ['engine']],
    ['a held sync run', { sync }, ['sync']],
    ['nothing of an approved one', { sync: { ...sync, approved_at: '2026-11-28T03:00:00Z' } }, []],
    ['nothing of a dry run', { sync: { ...sync, dry_run: true } }, []],
    [
      'a failed backup, once',
      { backup: { ...backup, last_run: run('failed'), destination_status: { ok: false } } },
      ['backup'],
    ],
    ['a lost destination of backups', { backup: { ...backup, destination_status: { ok: false } } }, ['backup']],
    [
      'nothing of a destination that is not used',
      { backup: { ...backup, enabled: false, destination_status: { ok: false } } },
      [],
    ],
    ['a failed mirror', { mirror: { enabled: true, last_run: run('failed') } }, ['mirror']],
    ['approvals', { approvals: 2, heldRules: 1 }, ['approvals', 'retention']],
    ['paused queues and dead tasks', { queues: queue({ paused: { reason: 'x' }, dead: 2 }) }, ['paused', 'dead']],
  ])('names %s', (_, facts, ids) => expect(idsOf(facts)).toEqual(ids));
  it('leads to the held run', () => expect(alertsOf({ sync })[0]?.to).toBe('/admin/directory-sync/passes/run-1'));
});
