import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { engineContract } from '../../test/engine-contract.ts';
import { pullWhisper, startWhisper } from '../../test/real-whisper.ts';
import { wavSeconds } from '../audio/wav.ts';

// On a slow machine, loading a model or decoding a recording takes minutes.
jest.setTimeout(3_600_000);
const librivox = '/usr/share/pocketsphinx/test/data/librivox';
let root = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'overtone-models-'));
  await pullWhisper(root, 'faster-whisper-base');
});
afterAll(() => rm(root, { recursive: true, force: true }));

engineContract('faster-whisper with Whisper base', async () => ({ engine: startWhisper(root) }));

describe('Whisper base', () => {
  const engine = startEngineOnce();
  const transcribe = async (wavPath: string, language: string | null = null) =>
    (await engine()).transcribe({ wavPath, seconds: await wavSeconds(wavPath), language });
  afterAll(async () => (await engine()).close());

  it('transcribes a reader with capitals and punctuation, at most one word in ten wrong', async () => {
    const transcript = await readFile(join(librivox, 'transcription'), 'utf8');
    const expected = transcript.split('\n').find((line) => line.includes('0870'));
    const { words, language } = await transcribe(join(librivox, 'sense_and_sensibility_01_austen_64kb-0870.wav'));
    expect(language).toBe('en');
    const text = words.map(({ word }) => word).join(' ');
    expect(text).toMatch(/^And Mr\. John Dashwood had then leisure .*\.$/);
    const plain = (given: string) =>
      given
        .toLowerCase()
        .replaceAll(/[^a-z ]/g, '')
        .split(' ');
    const said = plain(expected?.replaceAll(/<\/?s>|\(.*\)/g, '').trim() ?? '');
    const missing = said.filter((word) => !plain(text.replace('Mr.', 'mister')).includes(word));
    expect(missing.length).toBeLessThanOrEqual(said.length / 10);
    expect(words[0]?.start).toBeGreaterThan(0.1);
    for (const { confidence } of words) expect(confidence).toBeGreaterThan(0);
  });
});

/** The engine of this file, checked once. */
function startEngineOnce() {
  let started: Promise<ReturnType<typeof startWhisper>> | undefined;
  return () =>
    (started ??= (async () => {
      const engine = startWhisper(root);
      expect(await engine.check()).toEqual({ ready: true });
      return engine;
    })());
}
