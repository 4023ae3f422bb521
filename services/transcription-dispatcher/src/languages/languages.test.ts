import { describe, expect, it } from '@jest/globals';
import type { WorkerState } from '../leases/leases.ts';
import { languagesOf } from './languages.ts';

function worker(languages: string[] | null, engine = true): WorkerState {
  return {
    service: 'transcription-worker',
    pulls: [],
    engine: engine ? { provider: 'scripted', model: 'test', timing: 'engine' } : null,
    engineNote: null,
    languages,
    expiresAt: 0,
  };
}

describe('the languages that can be chosen', () => {
  it.each([
    ['unknown while the fleet is', null, null],
    ['unknown without a worker', [], null],
    ['unknown without an engine', [worker(['en'], false)], null],
    ['those of one engine', [worker(['en'])], ['en']],
    ['those of all engines together', [worker(['en']), worker(['de', 'en'])], ['de', 'en']],
    ['any, when one engine knows any', [worker(['en']), worker([])], null],
    ['any, when an older worker reports none', [worker(['en']), worker(null)], null],
  ])('are %s', (_, workers, languages) => {
    expect(languagesOf(workers)).toEqual(languages);
  });
});
