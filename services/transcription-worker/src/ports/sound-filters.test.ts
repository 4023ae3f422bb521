import { describe, expect, it } from '@jest/globals';
import { channelsOf, mixFilter, trackGroups } from './sound-filters.ts';
import type { SoundTrack, SoundWish } from './transcoder.ts';

const automatic: SoundWish = { tracks: null, language: null, separate: false };
function tracks(...over: Partial<SoundTrack>[]): SoundTrack[] {
  return over.map((more, i) => ({
    stream: i,
    codec: 'aac',
    channels: 2,
    layout: 'stereo',
    language: null,
    title: null,
    isDefault: i === 0,
    isCommentary: false,
    seconds: undefined,
    ...more,
  }));
}

describe('sound tracks', () => {
  it.each<[string, Partial<SoundTrack>[], Partial<SoundWish>, number[][]]>([
    ['all of them', [{}, {}], {}, [[0, 1]]],
    ['the chosen ones only', [{}, {}, {}], { tracks: [2] }, [[2]]],
    ['no commentary, unless the others are silent', [{}, { isCommentary: true }], {}, [[0], [1]]],
    ['of two languages that of the default track', [{ language: 'ger' }, { language: 'eng' }], {}, [[0], [1]]],
    ['of two languages the spoken one', [{ language: 'ger' }, { language: 'eng' }], { language: 'en-GB' }, [[1], [0]]],
    [
      'all languages where each track is a speaker',
      [{ language: 'ger' }, { language: 'eng' }],
      { separate: true },
      [[0, 1]],
    ],
    ['two spellings of one language', [{ language: 'ger' }, { language: 'deu' }], {}, [[0, 1]]],
    ['a commentary when there is nothing else', [{ isCommentary: true }], {}, [[0]]],
  ])('are used: %s', (_, given, wish, expected) => {
    expect(trackGroups(tracks(...given), { ...automatic, ...wish })).toEqual(expected);
  });

  it('have a centre in the layouts of films only', () => {
    const of = (layout: string | null) => channelsOf(tracks({ channels: 6, layout })).findIndex((one) => one.isCentre);
    expect([of('5.1'), of('7.1(wide)'), of('3.0'), of('3.0(back)'), of('6 channels'), of(null)]).toEqual([
      2, 2, 2, -1, -1, -1,
    ]);
  });

  it('are limited to the number of channels that the filters can handle', () => {
    expect(channelsOf(tracks({ channels: 60 }, { channels: 60 }))).toHaveLength(64);
  });

  it('become one graph with an output per mix', () => {
    const mixes = [[{ track: 0, channel: 1, gain: -0.5 }], [{ track: 2, channel: 0, gain: 1 }]];
    expect(mixFilter(mixes)).toBe(
      '[0:a:0]aformat=sample_fmts=fltp,aresample=16000:async=1:first_pts=0,pan=2C|c0=-0.5*c1[a0];' +
        '[0:a:2]aformat=sample_fmts=fltp,aresample=16000:async=1:first_pts=0,pan=2C|c1=1*c0[a2];' +
        '[a0][a2]amix=inputs=2:normalize=0:duration=longest[out]',
    );
  });
});
