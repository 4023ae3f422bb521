import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bytesPerSecond, wavHeader, wavSeconds } from '../src/audio/wav.ts';
import type { SpeechEngine } from '../src/engines/engines.ts';
import { record } from '@overtone/testkit/recordings';
import { meeting } from './utterances.ts';

/** Generous, because real engines share the machine with other tests. */
export const slow = 3_600_000;

/** The contract of every speech engine. */
export function engineContract(
  name: string,
  make: () => Promise<{ engine: SpeechEngine; stop?: () => Promise<void> }>,
): void {
  describe(`speech engine ${name}`, () => {
    let folder = '';
    let wavPath = '';
    let seconds = 0;
    let made: Awaited<ReturnType<typeof make>>;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'engine-'));
      wavPath = join(folder, 'speech.wav');
      await record(wavPath, meeting.slice(0, 3));
      seconds = await wavSeconds(wavPath);
      made = await make();
    });
    afterAll(async () => {
      made.engine.close();
      await made.stop?.();
      await rm(folder, { recursive: true, force: true });
    });

    it('is ready', async () => {
      expect(await made.engine.check()).toEqual({ ready: true });
    });

    it(
      'gives words in order, inside the recording, without fillers, and tells its progress',
      async () => {
        const seen: number[] = [];
        const onProgress = (share: number): void => void seen.push(share);
        const result = await made.engine.transcribe({ wavPath, seconds, language: null, onProgress });
        expect(result.words.length).toBeGreaterThan(10);
        expect(result.engine.provider).toBe(made.engine.info.provider);
        expect(result.engineSeconds).toBeGreaterThanOrEqual(0);
        let before = 0;
        for (const word of result.words) {
          expect(word.start).toBeGreaterThanOrEqual(before);
          expect(word.end).toBeGreaterThanOrEqual(word.start);
          expect(word.end).toBeLessThanOrEqual(seconds);
          expect(word.word).toMatch(/^[^\s<>[\]()]+$/);
          if (word.confidence !== null) expect(Math.abs(word.confidence - 0.5)).toBeLessThanOrEqual(0.5);
          before = word.start;
        }
        expect([...seen].sort((x, y) => x - y)).toEqual(seen);
        expect(seen.at(-1)).toBeGreaterThan(0.9);
        expect(seen.at(-1)).toBeLessThanOrEqual(1);
      },
      slow,
    );

    it('stops when it is cancelled', async () => {
      const stop = new AbortController();
      stop.abort(new Error('no longer wanted'));
      const going = made.engine.transcribe({ wavPath, seconds, language: null, signal: stop.signal });
      await expect(going).rejects.toThrow('no longer wanted');
    });

    it('finds no words, or almost none, in silence', async () => {
      const silence = join(folder, 'silence.wav');
      await writeFile(silence, Buffer.concat([wavHeader(bytesPerSecond / 10), Buffer.alloc(bytesPerSecond / 10)]));
      const { words } = await made.engine.transcribe({ wavPath: silence, seconds: 0.1, language: null });
      expect(words.length).toBeLessThanOrEqual(1);
    });
  });
}
