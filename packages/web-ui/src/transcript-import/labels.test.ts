import { describe, expect, it } from '@jest/globals';
import { isTranscriptFile, noteText } from './labels.ts';

describe('a chosen file', () => {
  it.each([
    ['talk.SRT', '', true],
    ['talk.vtt', 'text/vtt', true],
    ['talk.ass', '', true],
    ['talk.docx', '', true],
    ['talk.json', 'application/json', true],
    ['talk.wav', 'audio/wav', false],
    ['talk.txt', 'audio/x-strange', false],
    ['srt', '', false],
  ])('%s of type "%s" is a transcript: %s', (name, type, expected) => {
    expect(isTranscriptFile({ name, type })).toBe(expected);
  });
});

describe('the note about a correction', () => {
  it('counts the cues', () => {
    expect(noteText({ note: 'sorted', count: 1 })).toBe('1 cue was out of order and was sorted.');
    expect(noteText({ note: 'no_length', count: 3 })).toBe('3 cues had no length and got one.');
  });
});
