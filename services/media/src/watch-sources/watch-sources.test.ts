import type { WatchDecisionKind, WatchSourceSettings } from '@overtone/contracts';
import { describe, expect, it } from '@jest/globals';
import { watchSourceOf } from '@overtone/testkit';
import {
  collectionOf,
  createFilter,
  decide,
  ownerFolderOf,
  pauseAfter,
  tagsOf,
  type Facts,
  type Remembered,
  isNotMounted,
} from './watch-sources.ts';

const now = Date.UTC(2026, 0, 10);
const second = 1_000;
const entry = {
  path: 'calls/talk.wav',
  bytes: 5_000,
  modifiedAt: new Date(now - 3_600 * second),
  version: 'v1',
  refusal: '',
};

function rulesOf(change: Partial<WatchSourceSettings> = {}) {
  const settings = watchSourceOf({ owner: 'ada@example.org', stable_seconds: 10, ...change });
  return { settings, sourceVersion: 3, maxBytes: 10_000, isIncluded: createFilter(settings) };
}

function factsOf(change: Partial<Facts> = {}): Facts {
  const sighting = { since: now - 60 * second };
  return { entry, remembered: undefined, sighting, owner: 'owner-1', now, ...change };
}

function rememberedAs(decision: WatchDecisionKind, change: Partial<Remembered> = {}): Remembered {
  return { version: 'v1', decision, sourceVersion: 3, nextAttemptAt: null, attempts: 0, afterState: null, ...change };
}

describe('the decision about a file of a watch source', () => {
  it('takes a file that is stable, allowed and owned, with its folders as tags', () => {
    expect(decide(factsOf(), rulesOf())).toEqual({
      kind: 'take',
      ownerId: 'owner-1',
      tags: ['calls'],
      collection: null,
    });
  });

  it('waits until the file was seen unchanged for the set time, however old its own times are', () => {
    const sighting = { since: now - 9 * second };
    expect(decide(factsOf({ sighting }), rulesOf())).toMatchObject({ kind: 'wait', until: now + second });
    expect(decide(factsOf({ sighting: { since: now - 10 * second } }), rulesOf())).toMatchObject({ kind: 'take' });
  });

  it('waits while the accounts cannot be looked up', () => {
    expect(decide(factsOf({ owner: undefined }), rulesOf())).toMatchObject({ kind: 'wait' });
  });

  type Case = [
    string,
    WatchDecisionKind,
    { file?: Partial<Facts['entry']>; settings?: Partial<WatchSourceSettings>; owner?: null },
  ];
  it.each<Case>([
    ['a link that leads out', 'link_refused', { file: { refusal: 'out' } }],
    ['a file that the patterns exclude', 'excluded', { settings: { exclude: ['*.wav'] } }],
    [
      'a file that is too old',
      'too_old',
      { settings: { max_age_days: 1 }, file: { modifiedAt: new Date(now - 2 * 86_400 * second) } },
    ],
    ['an empty file', 'too_small', { file: { bytes: 0 } }],
    ['a file below the smallest size', 'too_small', { settings: { min_bytes: 5_001 } }],
    ['a file above the largest size', 'too_large', { settings: { max_bytes: 4_999 } }],
    ['a file above the limit of uploads', 'too_large', { file: { bytes: 10_001 } }],
    ['a file without an owner', 'owner_unknown', { owner: null }],
  ])('rejects %s as %s with a reason', (_, decision, { file = {}, settings = {}, owner = 'owner-1' }) => {
    const decided = decide(factsOf({ owner, entry: { ...entry, ...file } }), rulesOf(settings));
    expect(decided).toMatchObject({ kind: 'reject', decision, reason: expect.stringMatching(/./) });
  });

  it('rejects what is excluded at once, and judges the size of a file only when it is stable', () => {
    const sighting = { since: now };
    expect(decide(factsOf({ sighting }), rulesOf({ exclude: ['*.wav'] }))).toMatchObject({ decision: 'excluded' });
    expect(decide(factsOf({ sighting }), rulesOf({ min_bytes: 6_000 }))).toMatchObject({ kind: 'wait' });
  });

  it('looks again for an account that is missing, after a minute or a change of the source', () => {
    const missing = decide(factsOf({ owner: null }), rulesOf());
    expect(missing).toMatchObject({ retryAt: now + 60 * second });
    const later = rememberedAs('owner_unknown', { nextAttemptAt: now + second });
    expect(decide(factsOf({ remembered: later }), rulesOf())).toEqual({ kind: 'unchanged' });
    expect(decide(factsOf({ remembered: { ...later, nextAttemptAt: now } }), rulesOf())).toMatchObject({
      kind: 'take',
    });
    expect(decide(factsOf({ remembered: { ...later, sourceVersion: 2 } }), rulesOf())).toMatchObject({ kind: 'take' });
  });

  it.each(['excluded', 'too_small', 'too_large', 'too_old', 'not_media', 'link_refused'] as const)(
    'keeps %s until the file or the source changes',
    (decision) => {
      expect(decide(factsOf({ remembered: rememberedAs(decision) }), rulesOf())).toEqual({ kind: 'unchanged' });
      const changedSource = rememberedAs(decision, { sourceVersion: 2 });
      expect(decide(factsOf({ remembered: changedSource }), rulesOf())).toMatchObject({ kind: 'take' });
      const changedFile = rememberedAs(decision, { version: 'v0' });
      expect(decide(factsOf({ remembered: changedFile }), rulesOf())).toMatchObject({ kind: 'take' });
    },
  );

  it.each(['imported', 'duplicate'] as const)('never takes an unchanged file that is %s again', (decision) => {
    const remembered = rememberedAs(decision, { sourceVersion: 1 });
    expect(decide(factsOf({ remembered }), rulesOf())).toEqual({ kind: 'unchanged' });
    expect(decide(factsOf({ remembered }), rulesOf({ after: 'delete' }))).toEqual({ kind: 'unchanged' });
  });

  it('moves or deletes an imported file as long as that has not happened, with pauses after failures', () => {
    const rules = rulesOf({ after: 'delete' });
    const pending = rememberedAs('imported', { afterState: 'pending' });
    expect(decide(factsOf({ remembered: pending }), rules)).toEqual({ kind: 'finish' });
    const failed = rememberedAs('imported', { afterState: 'failed', nextAttemptAt: now + second });
    expect(decide(factsOf({ remembered: failed }), rules)).toEqual({ kind: 'unchanged' });
    expect(decide(factsOf({ remembered: { ...failed, nextAttemptAt: now } }), rules)).toEqual({ kind: 'finish' });
    expect(decide(factsOf({ remembered: pending }), rulesOf({ after: 'keep' }))).toEqual({ kind: 'unchanged' });
  });

  it('attempts a failed file again after a pause that grows up to an hour', () => {
    const failed = rememberedAs('failed', { nextAttemptAt: now + second });
    expect(decide(factsOf({ remembered: failed }), rulesOf())).toEqual({ kind: 'unchanged' });
    expect(decide(factsOf({ remembered: { ...failed, nextAttemptAt: now } }), rulesOf())).toMatchObject({
      kind: 'take',
    });
    expect([1, 2, 3, 30].map(pauseAfter)).toEqual([10_000, 20_000, 40_000, 3_600_000]);
  });
});

describe('the path of a file', () => {
  it('names the owner by its first folder', () => {
    expect(ownerFolderOf('ada@example.org/calls/a.wav')).toBe('ada@example.org');
    expect(ownerFolderOf('a.wav')).toBeNull();
  });

  it('gives its other folders as tags: at most five, at most 50 characters, each once', () => {
    const fixed = { owner_rule: 'fixed', folders_as: 'tags' } as const;
    expect(tagsOf('a.wav', fixed)).toEqual([]);
    expect(tagsOf('ada/calls/a.wav', { ...fixed, owner_rule: 'first_folder' })).toEqual(['calls']);
    expect(tagsOf('x/x/y/-/a.wav', fixed)).toEqual(['x', 'y']);
    expect(tagsOf('1/2/3/4/5/6/a.wav', fixed)).toEqual(['1', '2', '3', '4', '5']);
    expect(tagsOf(`${'long'.repeat(20)}/a.wav`, fixed)).toEqual(['long'.repeat(20).slice(0, 50)]);
  });

  it.each([
    ['a.wav', 'fixed', null, []],
    ['calls/a.wav', 'fixed', 'calls', []],
    ['calls/2026/May/a.wav', 'fixed', 'calls', ['2026', 'May']],
    ['ada/a.wav', 'first_folder', null, []],
    ['ada/calls/2026/a.wav', 'first_folder', 'calls', ['2026']],
    ['---/2026/a.wav', 'fixed', null, ['2026']],
    [`${'long'.repeat(40)}/a.wav`, 'fixed', 'long'.repeat(30), []],
  ] as const)('names a collection where folders are collections: %s with owner rule %s', (path, rule, name, tags) => {
    const rules = { owner_rule: rule, folders_as: 'collection' } as const;
    expect([collectionOf(path, rules), tagsOf(path, rules)]).toEqual([name, tags]);
    expect(collectionOf(path, { ...rules, folders_as: 'tags' })).toBeNull();
  });

  it.each([
    ['a.wav', [], [], true],
    ['deep/a.WAV', ['*.wav'], [], true],
    ['deep/a.mp3', ['*.wav'], [], false],
    ['calls/2026/a.wav', ['calls/**'], [], true],
    ['other/a.wav', ['calls/**'], [], false],
    ['a.wav.part', [], ['*.part'], false],
    ['calls/a.wav', ['*.wav'], ['calls/**'], false],
    ['.hidden/a.wav', [], [], false],
    ['.a.wav', ['*.wav'], [], false],
  ])('%s with include %j and exclude %j is allowed: %s', (path, include, exclude, allowed) => {
    expect(createFilter({ include, exclude })(path)).toBe(allowed);
  });
});

describe('an empty folder', () => {
  const empty = { entries: [], identity: '1:7', isOnSystemDisk: true };
  it.each([
    ['the same folder', empty, { files: 3, rootIdentity: '1:7' }, false],
    ['another one, where files were', empty, { files: 3, rootIdentity: '1:8' }, true],
    ['another one on the same disk', empty, { files: 0, rootIdentity: '1:8' }, false],
    ['another one on the system disk', empty, { files: 0, rootIdentity: '2:8' }, true],
    ['the same one, whose disk got another number', empty, { files: 0, rootIdentity: '2:7' }, false],
    ['another one on another disk', { ...empty, isOnSystemDisk: false }, { files: 0, rootIdentity: '2:8' }, false],
    ['the first one that is seen', empty, { files: 0, rootIdentity: null }, false],
    ['a bucket', { ...empty, identity: null }, { files: 3, rootIdentity: null }, false],
  ])('that is %s: not mounted %#', (_case, listing, source, expected) => {
    expect(isNotMounted(listing, source)).toBe(expected);
  });
});
