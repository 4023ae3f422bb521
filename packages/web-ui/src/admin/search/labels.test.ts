import { describe, expect, it } from '@jest/globals';
import { comparisonLines, differenceCount, modelText, paceText, startText, statusText } from './labels.ts';
import type { ReindexStatus } from './reindex-queries.ts';

const idle: ReindexStatus = {
  in_progress: false,
  stop_requested: false,
  scope: null,
  outcome: null,
  total_files: 0,
  indexed_files: 0,
  failed_files: 0,
  pending_files: 0,
  files_per_minute: null,
  seconds_left: null,
  started_at: null,
  finished_at: null,
  model: null,
  last_completed_at: null,
};
const none = { count: 0, files: [] };

describe('the status of a reindex', () => {
  it('says what is in progress, how fast, and how long it takes', () => {
    const running = { ...idle, in_progress: true, scope: 'user' as const, total_files: 8, indexed_files: 2 };
    expect(statusText(running)).toBe('Indexing again: 2 of 8 recordings');
    expect(paceText({ ...running, files_per_minute: 30, seconds_left: 12 })).toBe(
      '30 recordings per minute, about 20 seconds left',
    );
    expect(paceText(running)).toBe('calculating time left');
    expect(statusText({ ...running, scope: 'all', failed_files: 1 })).toBe(
      'Building a new index: 2 of 8 recordings, 1 failed',
    );
    expect(statusText({ ...running, stop_requested: true })).toBe('Stopping: 2 of 8 recordings');
  });

  it('says how the last one ended', () => {
    const ended = { ...idle, scope: 'all' as const, finished_at: new Date().toISOString(), total_files: 1 };
    expect(statusText(idle)).toBe('No reindex has run yet.');
    expect(statusText({ ...ended, outcome: 'stopped' })).toBe('Last reindex stopped just now: 0 of 1 recording.');
    expect(statusText({ ...ended, outcome: 'completed', indexed_files: 1 })).toBe(
      'Last reindex completed just now: 1 of 1 recording.',
    );
  });
});

describe('the model of the index', () => {
  it('is not known until the first recording is indexed, of the library or of a reindex', () => {
    expect(modelText(idle)).toBe('Search by meaning: available after the first recording');
    expect(modelText({ ...idle, in_progress: true })).toBe(
      'Search by meaning, after the reindex: known when its first recording is indexed',
    );
  });
});

describe('the start of a reindex', () => {
  it('is reported in full sentences', () =>
    expect((['started', 'running', 'nothing'] as const).map(startText)).toEqual([
      'The reindex has started.',
      'A reindex is already in progress.',
      'There is no recording to index.',
    ]));
});

describe('a comparison of database and index', () => {
  it('names only what occurs', () => {
    const comparison = {
      total_files: 4,
      missing: { count: 1, files: [] },
      stale: { count: 2, files: [] },
      extra: none,
      waiting_files: 0,
      unchanged_files: 1,
    };
    expect(comparisonLines(comparison)).toEqual([
      '1 recording is missing',
      '2 recordings are outdated',
      '1 recording is up to date',
    ]);
    expect(differenceCount(comparison)).toBe(3);
  });
});
