import { describe, expect, it } from '@jest/globals';
import { checkedFilename, parseOptions, runOptionsOf, titleOf } from './uploads.ts';

describe('a file name', () => {
  it.each([
    ['talk.wav', 'talk.wav'],
    [' talk.wav ', 'talk.wav'],
    ['folder/talk.wav', 'talk.wav'],
    ['C:\\fakepath\\talk.wav', 'talk.wav'],
    ['e\u0301te\u0301.wav', 'été.wav'],
    ['..talk..wav', '..talk..wav'],
    ['家族.m4a', '家族.m4a'],
    ['\u202A+49 30 5550123\u202C.wav', '+49 30 5550123.wav'],
    ['a\u202Egpj.wav', 'agpj.wav'],
    ['\uFEFFnotes\u200B.wav', 'notes.wav'],
    ['می\u200Cروم.wav', 'می\u200Cروم.wav'],
  ])('%j is shown as %j', (given, shown) => {
    expect(checkedFilename(given)).toBe(shown);
  });

  it.each([
    undefined,
    '',
    '   ',
    '.',
    'a/',
    '../x',
    'a/../b',
    '..\\x',
    '..',
    'a\nb',
    'a\0b',
    'a\u2028b',
    '\u202A\u202C',
    '\ud800',
    'x'.repeat(256),
  ])('%j is rejected', (given) => {
    expect(() => checkedFilename(given)).toThrow(
      expect.objectContaining({ kind: 'invalid', code: 'filename_invalid' }),
    );
  });
});

describe('an initial title', () => {
  it.each([
    ['talk.wav', 'talk'],
    ['v1.2 final.mp3', 'v1.2 final'],
    ['.wav', '.wav'],
    ['no extension', 'no extension'],
    ['Dr. Strange', 'Dr. Strange'],
  ])('of %s is %s', (filename, title) => {
    expect(titleOf(filename)).toBe(title);
  });
});

describe('options of an upload', () => {
  it('are ignored when they are empty or unknown', () => {
    expect(parseOptions({ title: '', language: null, min_speakers: '2', surprise: 'x' })).toEqual({ min_speakers: 2 });
  });
  it.each([
    { language: 'English' },
    { min_speakers: '0' },
    { max_speakers: '51' },
    { recorded_date: 'today' },
    { min_speakers: '3', max_speakers: '2' },
  ])('%j are rejected with the invalid field', (fields) => {
    expect(() => parseOptions(fields)).toThrow(
      expect.objectContaining({
        code: 'invalid_body',
        errors: [expect.objectContaining({ path: expect.stringMatching(/./) })],
      }),
    );
  });
  it('are null for a run when they are not given', () => {
    expect(runOptionsOf({})).toEqual({ language: null, minSpeakers: null, maxSpeakers: null, diarize: true });
  });
});
