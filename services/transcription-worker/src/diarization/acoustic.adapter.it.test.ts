import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  diarize,
  diarizeOverlap,
  diarizer,
  expectOverlap,
  expectSpeakers,
  folder,
  of,
} from '../../test/acoustic-conversations.ts';
import { slow } from '../../test/engine-contract.ts';
import { alternate, cards, librivox, meeting } from '../../test/utterances.ts';
import { bytesPerSecond, wavHeader } from '../audio/wav.ts';

// The nightly tier has other voices and rooms.
describe('acoustic diarization', () => {
  it.each([
    ['two real people', alternate(librivox, cards), 2],
    ['three voices', alternate(librivox, of('rms'), of('slt')), 3],
    ['one real person', librivox, 1],
  ])(
    'finds %s',
    async (_, utterances, speakers) => {
      expectSpeakers(await diarize(utterances), speakers);
    },
    slow,
  );

  it(
    'keeps to the number of speakers that its owner knows',
    async () => {
      expect((await diarize(meeting, { maxSpeakers: 1 })).speakers).toBe(1);
      expect((await diarize(of('rms'), { minSpeakers: 2 })).speakers).toBe(2);
    },
    slow,
  );

  it.each([['two synthetic voices', of('slt'), of('rms'), 3]])(
    'returns two turns where %s speak at once, and only there',
    async (_, one, other, early) => {
      expectOverlap(await diarizeOverlap(one, other, early), early);
    },
    slow,
  );

  it.each([['two real people', librivox, cards]])(
    'returns no overlapping turns when %s speak one after the other',
    async (_, one, other) => {
      expect((await diarizeOverlap(one, other, 0)).overlaps).toEqual([]);
    },
    slow,
  );

  it(
    'says that there was no speech to tell speakers by',
    async () => {
      const wavPath = join(folder, 'silence.wav');
      await writeFile(wavPath, Buffer.concat([wavHeader(2 * bytesPerSecond), Buffer.alloc(2 * bytesPerSecond)]));
      const done = await diarizer.diarize({ wavPath, seconds: 2, minSpeakers: null, maxSpeakers: null });
      expect(done).toMatchObject({ turns: [], degraded: expect.stringContaining('No speech') });
    },
    slow,
  );

  it('fails with a reason without ending the worker', async () => {
    const broken = diarizer.diarize({
      wavPath: join(folder, 'gone.wav'),
      seconds: 2,
      minSpeakers: null,
      maxSpeakers: null,
    });
    await expect(broken).rejects.toMatchObject({ code: 'diarization_failed', permanent: false });
  });
});
