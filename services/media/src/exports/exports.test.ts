import { describe, expect, it } from '@jest/globals';
import { passage, speaker, timed, written } from '../../test/exports.ts';
import { lengthOf, timestamp } from './spoken.ts';
import { isRightToLeft } from './xml.ts';

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

describe('the length of a recording', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [1_200, '20 min'],
    [3_600, '1 h'],
    [4_829, '1 h 20 min'],
    [36_000, '10 h'],
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(lengthOf(seconds)).toBe(text);
  });
});

describe('SRT', () => {
  it('numbers its cues and names a speaker when it changes', async () => {
    const [ada, other] = [speaker('Ada'), speaker(null, 'SPEAKER_02')];
    const passages = [
      passage(0, 1.5, 'hello everybody out there', ada),
      passage(3.5, 5, 'and welcome to the meeting', ada),
      passage(6, 7, 'yes', other),
    ];
    expect(await written('srt', passages)).toBe(
      [
        '1\n00:00:00,000 --> 00:00:01,500\nAda: hello everybody out there\n',
        '2\n00:00:03,500 --> 00:00:05,000\nand welcome to the meeting\n',
        '3\n00:00:06,000 --> 00:00:07,000\nSpeaker 2: yes\n',
      ].join('\n'),
    );
    expect(await written('srt', passages, { options: { names: 'each' } })).toContain('\nAda: and welcome to');
    expect(await written('srt', passages, { options: { names: 'none' } })).not.toContain('Ada');
  });

  it('escapes text that would end its cue', async () => {
    const srt = await written('srt', [passage(0, 1, 'a\n\n2\n00:00:00,000 --> 00:00:09,000\nfake')]);
    expect(srt.match(/\d\d --> /g)).toHaveLength(srt.match(/^\d+$/gm)?.length ?? 0);
    expect(srt).toContain('→');
    const arrows = await written('srt', [passage(0, 1, 'a --> b --> c')]);
    expect(arrows).toContain('a → b → c');
  });

  it('has one cue for each passage at its own times if that is chosen', async () => {
    const passages = [passage(0, 0.2, 'short'), passage(0.2, 0.4, 'too')];
    const srt = await written('srt', passages, { options: { cues: 'passages' } });
    expect(srt).toBe('1\n00:00:00,000 --> 00:00:00,200\nshort\n\n2\n00:00:00,200 --> 00:00:00,400\ntoo\n');
  });
});

describe('WebVTT', () => {
  it('starts with its signature and marks speakers as voice spans', async () => {
    const passages = [passage(0, 1, 'hello', speaker('Ada'))];
    expect(await written('webvtt', passages)).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Ada>hello\n');
    expect(await written('webvtt', passages, { options: { names: 'none' } })).not.toContain('<v');
  });

  it('escapes markup in text and names', async () => {
    const vtt = await written('webvtt', [passage(0, 1, '<script> & -->', speaker('A>B<c'))]);
    expect(vtt).toContain('<v A&gt;B&lt;c>&lt;script&gt; &amp; --&gt;');
  });
});

describe('HTML', () => {
  it('gives a paragraph the direction of its text, whatever the script of the name of its speaker', async () => {
    const html = await written('html', [passage(0, 1, 'هذا نص عربي', speaker('Anna'))]);
    const paragraph = /<p class="passage" dir="auto">(.*?)<\/p>/s.exec(html)?.[1] ?? '';
    // What `dir="auto"` reads: isolated elements do not count.
    expect(isRightToLeft(paragraph.replaceAll(/<bdi.*?<\/bdi>|<[^>]*>/g, ''))).toBe(true);
  });
});

describe('plain text', () => {
  it('joins consecutive passages of one speaker and starts a new paragraph after a pause', async () => {
    const ada = speaker('Ada');
    const passages = [
      passage(0, 1, 'one', ada),
      passage(1.5, 2, 'two', ada),
      passage(9, 10, 'three', ada),
      passage(10, 11, 'four'),
    ];
    expect(await written('txt', passages, { options: { names: 'each' } })).toBe(
      'Ada [00:00:00]\none two\n\nAda [00:00:09]\nthree\n\n[00:00:10]\nfour\n',
    );
    const options = { times: 'end', paragraphs: 'passages' } as const;
    expect(await written('txt', passages.slice(0, 2), { options })).toBe('Ada\none [00:00:01]\n\ntwo [00:00:02]\n');
    const sparse = { times: 'minute', names: 'initials' } as const;
    expect(await written('txt', passages, { options: sparse, about: { speakers: [{ ...ada, talk_time: 3 }] } })).toBe(
      'A [00:00:00]\none two\n\nthree\n\nfour\n',
    );
  });

  it('shows masked parts as chosen', async () => {
    const redactions = [{ uuid: '00000000-0000-4000-8000-000000000000', kind: 'phone' as const, start: 5, end: 12 }];
    const masked = { ...passage(0, 1, 'call [phone] now'), redactions };
    const shown = (choice: 'kind' | 'bar' | 'ellipsis') =>
      written('txt', [masked], { options: { masked: choice, times: 'none' } });
    expect(await shown('kind')).toBe('call [phone] now\n');
    expect(await shown('bar')).toBe('call █████ now\n');
    expect(await shown('ellipsis')).toBe('call […] now\n');
  });

  it('marks words that the engine was not sure of, and none of a corrected passage', async () => {
    const words = timed('a tale of two', 0).map((word, i) => ({ ...word, confidence: i === 1 ? 0.2 : 0.9 }));
    const options = { uncertain: true, times: 'none' } as const;
    const said = passage(0, 2, 'a tale of two', null, words);
    expect(await written('txt', [said], { options })).toBe('a [tale?] of two\n');
    expect(await written('txt', [{ ...said, edited: true }], { options })).toBe('a tale of two\n');
  });
});

describe('JSON', () => {
  it('contains no identifier of this installation', async () => {
    const about = { speakers: [{ ...speaker('Ada'), talk_time: 2 }], user_id: speaker(null).uuid, file_hash: 'abc' };
    const passages = [passage(0, 1, 'hello', speaker('Ada'), timed('hello', 0)), passage(1, 2, 'yes')];
    const text = await written('json', passages, { about });
    expect(text).not.toMatch(/uuid|_id"|[0-9a-f]{8}-[0-9a-f]{4}-|file_hash/);
    expect(JSON.parse(text)).toMatchObject({
      title: 'A talk',
      speakers: [{ label: 'SPEAKER_01', name: 'Ada', talk_time: 2 }],
      segments: [
        { start_time: 0, end_time: 1, speaker: 'SPEAKER_01', text: 'hello', words: [{ word: 'hello' }] },
        { text: 'yes', speaker: null },
      ],
    });
    expect(await written('json', passages, { about, options: { names: 'none' } })).not.toContain('Ada');
    expect(JSON.parse(await written('json', []))).toMatchObject({ segments: [] });
  });
});
