import { describe, expect, it } from '@jest/globals';
import { collarSeconds, score } from './evaluate.ts';

const recordings = [
  {
    id: 'one',
    audio: 'one.wav',
    utterances: ["Well, DON'T stop now: the train leaves at nine.", 'We meet in Köln, at the old bridge.'],
    turns: [
      { start: 0, end: 10, speaker: 'Ann B' },
      { start: 10, end: 20, speaker: 'ben' },
    ],
  },
  {
    id: 'two',
    audio: 'two.wav',
    utterances: ['Nothing is left here.', 'The second part is missing in the recording.'],
    turns: [{ start: 1, end: 9, speaker: 'ann' }],
  },
];
/** With wrong, missing and added words, and speakers that are missed, added and confused. */
const recognitions = [
  {
    id: 'one',
    seconds: 20,
    engineSeconds: 1,
    processorSeconds: 1,
    text: "well don't stop the rain leaves at nine nine we met in köln at the old bridge",
    diarization: {
      method: 'test',
      turns: [
        { start: 0, end: 8, speaker: '0' },
        { start: 10, end: 15, speaker: '0' },
        { start: 15, end: 22, speaker: '1' },
      ],
    },
  },
  {
    id: 'two',
    seconds: 12,
    engineSeconds: 1,
    processorSeconds: 1,
    text: 'nothing was left here',
    diarization: { method: 'test', turns: [{ start: 0, end: 9, speaker: '7' }] },
  },
];

describe('the error rates of an evaluation', () => {
  it('are those of sclite and md-eval of the package sctk', async () => {
    const { words, wer, der, sctk } = await score({ set: 'made', recordings, recognitions, peakMemoryMib: null });
    // Wrong: train, meet, is; missing: now, and the eight words of the second part; added: nine.
    expect(words).toBe(29);
    expect(wer?.value).toBeCloseTo(13 / 29, 5);
    expect(sctk?.wer).toBeCloseTo(wer!.value, 5);
    expect(der?.collar_s).toBe(collarSeconds);
    expect(der?.value).toBeGreaterThan(0.3);
    // md-eval prints two decimals of a percentage.
    expect(sctk?.der).toBeCloseTo(der!.value, 3);
  });
});
