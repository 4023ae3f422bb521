import { describe, expect, it } from '@jest/globals';
import { timestamp, toCues, toSrt, toTxt, toVtt, wrapped, type Spoken } from './exports.ts';

const speaker = (name: string | null) => ({
  uuid: '00000000-0000-4000-8000-000000000000',
  name: 'SPEAKER_01',
  display_name: name,
});
const segment = (
  start: number,
  end: number,
  text: string,
  by: Spoken['speaker'] = null,
  words: Spoken['words'] = [],
) => ({
  start_time: start,
  end_time: end,
  text,
  speaker: by,
  words,
});
const timed = (text: string, start: number, step = 0.5) =>
  text.split(' ').map((word, i) => ({ word, start: start + i * step, end: start + (i + 1) * step, confidence: null }));

describe('a time in subtitles', () => {
  it.each([
    [0, '00:00:00,000'],
    [59.9996, '00:01:00,000'],
    [3661.5, '01:01:01,500'],
    [360_000, '100:00:00,000'],
    [-1, '00:00:00,000'],
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(timestamp(seconds, ',')).toBe(text);
  });
});

describe('cues', () => {
  it('hold no more than two lines and seven seconds, at the words own times', () => {
    const text = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const cues = toCues([segment(10, 40, text, null, timed(text, 10))]);
    expect(cues.length).toBeGreaterThan(3);
    expect(cues.map((c) => c.text).join(' ')).toBe(text);
    for (const cue of cues) {
      expect(cue.text.length).toBeLessThanOrEqual(84);
      expect(cue.end - cue.start).toBeLessThanOrEqual(7);
      for (const line of wrapped(cue.text).split('\n')) expect(line.length).toBeLessThanOrEqual(50);
    }
    expect([cues[0]?.start, cues.at(-1)?.end]).toEqual([10, 40]);
  });

  it('keep a segment whole when its words are not its text', () => {
    const cues = toCues([segment(1, 2, 'the edited text', null, timed('other words', 1))]);
    expect(cues).toEqual([{ start: 1, end: 2, speaker: null, text: 'the edited text' }]);
  });

  it('leave out what is empty and never end where they begin', () => {
    expect(toCues([segment(1, 2, '  \n '), segment(3, 3, 'x')])).toEqual([
      { start: 3, end: 3.1, speaker: null, text: 'x' },
    ]);
  });
});

describe('SRT', () => {
  it('numbers its cues and names the speaker', () => {
    const srt = toSrt([segment(0, 1.5, 'hello', speaker('Ada')), segment(2, 3, 'yes', speaker(null))], true);
    expect(srt).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nAda: hello\n\n2\n00:00:02,000 --> 00:00:03,000\nSpeaker 1: yes\n',
    );
  });
  it('cannot be broken out of by text', () => {
    const srt = toSrt([segment(0, 1, 'a\n\n2\n00:00:00,000 --> 00:00:09,000\nfake')], true);
    expect(srt.split('-->')).toHaveLength(2);
    expect(srt.trimEnd().split('\n\n')).toHaveLength(1);
  });
});

describe('WebVTT', () => {
  it('begins with its signature and speaks in voices', () => {
    expect(toVtt([segment(0, 1, 'hello', speaker('Ada'))], true)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Ada>hello\n',
    );
    expect(toVtt([segment(0, 1, 'hello', speaker('Ada'))], false)).not.toContain('<v');
  });
  it('escapes what would be markup, in text and in names', () => {
    const vtt = toVtt([segment(0, 1, '<script> & -->', speaker('A>B<c'))], true);
    expect(vtt).toContain('<v A&gt;B&lt;c>&lt;script&gt; &amp; --&gt;');
  });
});

describe('plain text', () => {
  it('joins what one speaker says in one go and begins anew after a pause', () => {
    const ada = speaker('Ada');
    const text = toTxt(
      [segment(0, 1, 'one', ada), segment(1.5, 2, 'two', ada), segment(9, 10, 'three', ada), segment(10, 11, 'four')],
      true,
    );
    expect(text).toBe('Ada [00:00:00]\none two\n\nAda [00:00:09]\nthree\n\n[00:00:10]\nfour\n');
  });
});
