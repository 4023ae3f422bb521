import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { engineContract, slow } from '../../test/engine-contract.ts';
import { recordLong, record } from '@overtone/testkit/recordings';
import { meeting, wordErrorRate } from '../../test/utterances.ts';
import { wavSeconds } from '../audio/wav.ts';
import { childEnvironment } from '../env.ts';
import { createPocketSphinx } from './pocketsphinx.adapter.ts';

function create(parallel: number): ReturnType<typeof createPocketSphinx> {
  return createPocketSphinx({ env: childEnvironment(), parallel: () => parallel });
}
engineContract('pocketsphinx', () => Promise.resolve({ engine: create(2) }));

describe('PocketSphinx transcription', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sphinx-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(
    'contains nearly all words of a clear conversation at their times',
    async () => {
      const wavPath = join(folder, 'meeting.wav');
      const { turns } = await record(wavPath, meeting);
      const { words } = await create(1).transcribe({ wavPath, seconds: await wavSeconds(wavPath), language: 'en' });
      expect(
        wordErrorRate(turns.map((turn) => turn.text).join(' '), words.map((word) => word.word).join(' ')),
      ).toBeLessThan(0.1);
      const deadline = words.find((word) => word.word === 'deadline');
      const turn = turns.find((candidate) => candidate.text.includes('deadline'));
      expect(deadline?.start).toBeGreaterThan(turn?.start ?? Infinity);
      expect(deadline?.end).toBeLessThan(turn?.end ?? 0);
      expect(words.some((word) => word.word === 'I')).toBe(true);
    },
    slow,
  );

  it(
    'is the same when several decoders share a longer recording',
    async () => {
      const wavPath = join(folder, 'long.wav');
      const { turns } = await record(wavPath, [...meeting, ...meeting]);
      const { words } = await create(2).transcribe({ wavPath, seconds: await wavSeconds(wavPath), language: 'en' });
      expect(
        wordErrorRate(turns.map((turn) => turn.text).join(' '), words.map((word) => word.word).join(' ')),
      ).toBeLessThan(0.1);
    },
    slow,
  );
});

it(
  'is stopped in the middle, and its program with it',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sphinx-stop-'));
    const wavPath = join(folder, 'long.wav');
    await recordLong(wavPath, meeting, 60);
    const stop = new AbortController();
    const onProgress = (): void => stop.abort(new Error('enough'));
    const seconds = await wavSeconds(wavPath);
    const going = create(1).transcribe({ wavPath, seconds, language: 'en', onProgress, signal: stop.signal });
    await expect(going).rejects.toThrow('enough');
    await rm(folder, { recursive: true });
  },
  slow,
);

it('reports that it is not installed', async () => {
  const engine = createPocketSphinx({ env: { PATH: '/nonexistent' }, parallel: () => 1 });
  expect(await engine.check()).toMatchObject({ ready: false, why: expect.stringContaining('PocketSphinx') });
});
