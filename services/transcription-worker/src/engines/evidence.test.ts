import { describe, expect, it } from '@jest/globals';
import type { Word } from '@overtone/contracts';
import { spokenWords, type RecognisedSegment } from './evidence.ts';

function wordsAt(start: number, text: string, { each = 0.3, confidence = 0.9 } = {}): Word[] {
  return text.split(' ').map((word, i) => ({ word, start: start + i * each, end: start + (i + 1) * each, confidence }));
}
function segment(words: Word[], more: Partial<RecognisedSegment> = {}): RecognisedSegment {
  return { words, no_speech: 0.01, log_probability: -0.2, ...more };
}
function textOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(' ');
}

describe('spoken words', () => {
  it('leave out a segment that the model takes for silence and is not certain of', () => {
    const invented = segment(wordsAt(3, 'Thank you.'), { no_speech: 0.8, log_probability: -0.9 });
    expect(textOf(spokenWords([segment(wordsAt(0, 'Good morning.')), invented]))).toBe('Good morning.');
  });

  it('keep a segment with a high probability of silence when the model is certain of its words', () => {
    expect(spokenWords([segment(wordsAt(0, 'Yes.'), { no_speech: 0.8, log_probability: -0.3 })])).toHaveLength(1);
  });

  it('leave out a segment whose tokens are guesses, whatever it says of silence', () => {
    expect(spokenWords([segment(wordsAt(0, 'Bzz bzz.'), { no_speech: 0.1, log_probability: -1.8 })])).toEqual([]);
  });

  it('keep segments of engines that report no probabilities', () => {
    const words = wordsAt(0, 'Good morning.');
    expect(spokenWords([{ words, no_speech: null, log_probability: null }])).toEqual(words);
  });

  it('leave out an uncertain word where no speech was detected, and keep a certain one', () => {
    const speech = [{ start: 0, end: 1 }];
    const uncertain = wordsAt(4, 'you', { confidence: 0.3 });
    const certain = wordsAt(6, 'quietly', { confidence: 0.8 });
    expect(textOf(spokenWords([segment([...wordsAt(0, 'Good'), ...uncertain, ...certain])], speech))).toBe(
      'Good quietly',
    );
  });

  it('leave out every uncertain word when no speech was detected at all', () => {
    expect(spokenWords([segment(wordsAt(0, 'you', { confidence: 0.4 }))], [])).toEqual([]);
  });

  it('begin with the speech, not in the pause before it', () => {
    const [first] = spokenWords(
      [segment([{ word: 'Good', start: 0, end: 2.4, confidence: 0.9 }])],
      [{ start: 2, end: 3 }],
    );
    expect(first).toMatchObject({ start: 1.85, end: 2.4 });
  });

  it('hold the first phrase of a loop only', () => {
    const loop = wordsAt(1, Array(4).fill('I see it.').join(' '));
    expect(textOf(spokenWords([segment([...wordsAt(0, 'So'), ...loop, ...wordsAt(9, 'Good.')])]))).toBe(
      'So I see it. Good.',
    );
  });

  it('hold a loop over several segments once', () => {
    const segments = [0, 1, 2, 3, 4, 5].map((at) => segment(wordsAt(at * 2, 'Thank you.')));
    expect(textOf(spokenWords(segments))).toBe('Thank you.');
  });

  it('hold what a person repeats', () => {
    const text = 'No, no, no, no. I know, I know. It is very very good';
    expect(textOf(spokenWords([segment(wordsAt(0, text))]))).toBe(text);
  });

  it('leave out a repetition that is faster than speech', () => {
    const repeated = wordsAt(0.9, 'see you soon', { each: 0.01 });
    expect(textOf(spokenWords([segment([...wordsAt(0, 'see you soon'), ...repeated])]))).toBe('see you soon');
  });

  it('are found in ten hours in one pass', () => {
    const numbers = Array.from({ length: 90_000 }, (_, i) => `w${i % 977}`).join(' ');
    expect(spokenWords([segment(wordsAt(0, numbers))], [{ start: 0, end: 36_000 }])).toHaveLength(90_000);
  });
});
