import { describe, expect, it } from '@jest/globals';
import { toCues, wrapLines } from './cues.ts';
import { timestamp, toJson, toSrt, toTxt, toVtt, type Spoken } from './exports.ts';

function speaker(name: string | null) {
  return {
    uuid: '00000000-0000-4000-8000-000000000000',
    name: 'SPEAKER_01',
    display_name: name,
  };
}

function segment(start: number, end: number, text: string, by: Spoken['speaker'] = null, words: Spoken['words'] = []) {
  return {
    start_time: start,
    end_time: end,
    text,
    speaker: by,
    words,
    confidence: null,
    edited: false,
  };
}

function timed(text: string, start: number, step = 0.5) {
  return text
    .split(' ')
    .map((word, i) => ({ word, start: start + i * step, end: start + (i + 1) * step, confidence: null }));
}

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
  it('have at most two lines and seven seconds, at the times of their words', () => {
    const text = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const cues = toCues([segment(10, 40, text, null, timed(text, 10))]);
    expect(cues.length).toBeGreaterThan(3);
    expect(cues.map((cue) => cue.text).join(' ')).toBe(text);
    for (const cue of cues) {
      expect(cue.text.length).toBeLessThanOrEqual(84);
      expect(cue.end - cue.start).toBeLessThanOrEqual(7);
      for (const line of wrapLines(cue.text)) expect(line.length).toBeLessThanOrEqual(42);
    }
    expect([cues[0]?.start, cues.at(-1)?.end]).toEqual([10, 40]);
  });

  it("use the segment's time when its words do not match its text", () => {
    const cues = toCues([segment(1, 2, 'the edited text', null, timed('other words', 1))]);
    expect(cues).toEqual([{ start: 1, end: 2, speaker: null, text: 'the edited text' }]);
  });

  it('skip empty segments and never have a duration of zero', () => {
    expect(toCues([segment(1, 2, '  \n '), segment(3, 3, 'x')])).toEqual([
      { start: 3, end: 3.833, speaker: null, text: 'x' },
    ]);
  });
});

describe('SRT', () => {
  it('numbers its cues and names the speakers', () => {
    const srt = toSrt([segment(0, 1.5, 'hello', speaker('Ada')), segment(2, 3, 'yes', speaker(null))], true);
    expect(srt).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nAda: hello\n\n2\n00:00:02,000 --> 00:00:03,000\nSpeaker 1: yes\n',
    );
  });
  it('escapes text that would end its cue', () => {
    const srt = toSrt([segment(0, 1, 'a\n\n2\n00:00:00,000 --> 00:00:09,000\nfake')], true);
    expect(srt.split('-->')).toHaveLength(2);
    expect(srt.trimEnd().split('\n\n')).toHaveLength(1);
  });
});

describe('WebVTT', () => {
  it('starts with its signature and marks speakers as voice spans', () => {
    expect(toVtt([segment(0, 1, 'hello', speaker('Ada'))], true)).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Ada>hello\n',
    );
    expect(toVtt([segment(0, 1, 'hello', speaker('Ada'))], false)).not.toContain('<v');
  });
  it('escapes markup in text and names', () => {
    const vtt = toVtt([segment(0, 1, '<script> & -->', speaker('A>B<c'))], true);
    expect(vtt).toContain('<v A&gt;B&lt;c>&lt;script&gt; &amp; --&gt;');
  });
});

describe('plain text', () => {
  it('joins consecutive segments of one speaker and starts a new paragraph after a pause', () => {
    const ada = speaker('Ada');
    const text = toTxt(
      [segment(0, 1, 'one', ada), segment(1.5, 2, 'two', ada), segment(9, 10, 'three', ada), segment(10, 11, 'four')],
      true,
    );
    expect(text).toBe('Ada [00:00:00]\none two\n\nAda [00:00:09]\nthree\n\n[00:00:10]\nfour\n');
  });
});

describe('subtitle rules', () => {
  const words = (texts: string[], start: number, step: number) => timed(texts.join(' '), start, step);
  const spoken = (texts: string[], start: number, step: number, by: Spoken['speaker'] = null) =>
    segment(start, start + texts.length * step, texts.join(' '), by, words(texts, start, step));
  const ada = speaker('Ada Lovelace of London');
  const many = (count: number, text: string) => Array.from({ length: count }, () => text);
  const texts: Record<string, Spoken[]> = {
    'single words one after the other': many(20, 'yes').map((text, i) => spoken([text], i * 0.5, 0.4)),
    'single words of two speakers in turn': many(20, 'no').map((text, i) =>
      spoken([text], i * 0.5, 0.4, i % 2 ? ada : speaker('B')),
    ),
    'a last word alone': [spoken([...many(16, 'words'), 'end.'], 0, 0.3)],
    'speakers at the same time': [spoken(many(12, 'left'), 0, 0.3), spoken(many(12, 'right'), 0.5, 0.3, ada)],
    'a word longer than a line': [spoken(['x'.repeat(130), 'y'], 0, 3)],
    'text without spaces': [spoken(['這是一段沒有空格的很長的文字'.repeat(20)], 0, 40)],
    'hardly any time': [spoken(many(40, 'quick'), 0, 0.01)],
    'text that is not made of its words': [segment(0, 30, many(60, 'edited').join(' '), ada, timed('other', 0))],
    'characters of several code points': [spoken(many(30, '👩‍👩‍👧‍👦👩‍👩‍👧‍👦'), 0, 0.5)],
  };
  const prefixOf = (name: string | null): string => (name ? `${name}: ` : '');
  const lengthOf = (text: string): number => [...new Intl.Segmenter().segment(text)].length;

  it.each(Object.entries(texts))('hold for %s', (_, segments) => {
    const cues = toCues(segments, { prefixOf });
    const compact = (text: string): string => text.replaceAll(/\s/g, '');
    const ordered = segments.toSorted((left, right) => left.start_time - right.start_time).map(({ text }) => text);
    expect(compact(cues.map(({ text }) => text).join(''))).toBe(compact(ordered.join('')));
    cues.forEach((cue, i) => {
      const next = cues[i + 1];
      expect(cue.end).toBeGreaterThan(cue.start);
      expect(cue.end - cue.start).toBeLessThanOrEqual(7.001);
      if (next) expect(next.start).toBeGreaterThanOrEqual(cue.end);
      // A cue may be too short only if the next one leaves no room.
      if (cue.end - cue.start < 0.83) expect((next?.start ?? Infinity) - cue.end).toBeLessThan(0.001);
      const lines = wrapLines(prefixOf(cue.speaker) + cue.text);
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(lengthOf(line)).toBeLessThanOrEqual(42);
    });
  });

  it('join a cue of one short word with a neighbouring cue', () => {
    const cues = toCues(texts['single words one after the other'] ?? []);
    expect(cues.length).toBeLessThanOrEqual(3);
    expect(toCues(texts['a last word alone'] ?? []).every(({ text }) => text.includes(' '))).toBe(true);
  });
});

describe('JSON', () => {
  it('contains no identifier of this installation', () => {
    const about = {
      title: 'A talk',
      filename: 'talk.wav',
      language: 'en',
      duration: 2,
      recorded_date: null,
      upload_time: '2026-01-01T00:00:00.000Z',
      engine: null,
      speakers: [{ uuid: speaker(null).uuid, name: 'SPEAKER_01', display_name: 'Ada', talk_time: 2 }],
      user_id: speaker(null).uuid,
      file_hash: 'abc',
    };
    const text = toJson(about, [segment(0, 1, 'hello', speaker('Ada'), timed('hello', 0))], true);
    expect(text).not.toMatch(/uuid|_id"|[0-9a-f]{8}-[0-9a-f]{4}-|file_hash/);
    expect(JSON.parse(text)).toMatchObject({
      title: 'A talk',
      speakers: [{ label: 'SPEAKER_01', name: 'Ada', talk_time: 2 }],
      segments: [{ start_time: 0, end_time: 1, speaker: 'SPEAKER_01', text: 'hello', words: [{ word: 'hello' }] }],
    });
    expect(toJson(about, [segment(0, 1, 'hello', speaker('Ada'))], false)).not.toContain('Ada');
  });
});
