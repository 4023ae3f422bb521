import { describe, expect, it } from '@jest/globals';
import {
  diarize,
  diarizeInRoom,
  diarizeOverlap,
  expectOverlap,
  expectSpeakers,
  of,
} from '../../test/acoustic-conversations.ts';
import { slow } from '../../test/engine-contract.ts';
import { alternate, librivox, meeting } from '../../test/utterances.ts';

describe('acoustic diarization', () => {
  it.each([
    ['two synthetic voices', meeting, 2],
    ['a real and a synthetic voice', alternate(librivox, of('rms')), 2],
    ['one synthetic voice', of('slt'), 1],
  ])(
    'finds %s',
    async (_, utterances, speakers) => {
      expectSpeakers(await diarize(utterances), speakers);
    },
    slow,
  );

  it(
    'separates three voices in a telephone band with reverberation and noise',
    async () => {
      const found = await diarizeInRoom(3, 'band, room 0.5 s, white 15 dB');
      expect(found.speakers).toBe(3);
      expect(found.right).toBeGreaterThan(0.85);
    },
    slow,
  );

  it(
    'finds one voice in a telephone band with reverberation and noise',
    async () => {
      expect((await diarizeInRoom(1, 'band, room 0.7 s, white 10 dB')).speakers).toBe(1);
    },
    slow,
  );

  it(
    'keeps to the number of speakers of a noisy recording that its owner knows',
    async () => {
      const name = 'band, room 0.5 s, white 15 dB';
      expect((await diarizeInRoom(3, name, { maxSpeakers: 2 })).speakers).toBe(2);
      expect((await diarizeInRoom(1, name, { minSpeakers: 2 })).speakers).toBe(2);
    },
    slow,
  );

  it(
    'returns two turns where a real and a synthetic voice speak at once, and only there',
    async () => {
      expectOverlap(await diarizeOverlap(librivox, of('rms'), 2), 2);
    },
    slow,
  );

  it.each([
    ['two synthetic voices', of('slt'), of('rms')],
    ['a real and a synthetic voice', librivox, of('rms')],
  ])(
    'returns no overlapping turns when %s speak one after the other',
    async (_, one, other) => {
      expect((await diarizeOverlap(one, other, 0)).overlaps).toEqual([]);
    },
    slow,
  );
});
