import { describe, expect, it } from '@jest/globals';
import { splitSentences, type Segment, type Sentence } from './sentences.ts';
import { vocabularyOf } from './words.ts';

describe('splitSentences', () => {
  it('joins a sentence that continues in the next segment of the same speaker', () => {
    const sentences = sentencesOf([
      segmentOf('one', 'We will move the', 0),
      segmentOf('two', 'database. That is all.', 5),
    ]);
    expect(sentences.map(({ text, segmentUuids }) => [text, segmentUuids])).toEqual([
      ['We will move the database.', ['one', 'two']],
      ['That is all.', ['two']],
    ]);
    expect(sentences[0]).toMatchObject({ start: 0, end: 9 });
  });

  it('does not join sentences of two speakers, and not over a long pause', () => {
    const other = { ...segmentOf('two', 'the database', 5), speakerUuid: 'other' };
    expect(sentencesOf([segmentOf('one', 'We move', 0), other])).toHaveLength(2);
    expect(sentencesOf([segmentOf('one', 'We move', 0), segmentOf('two', 'the database', 60)])).toHaveLength(2);
  });

  it('ends no sentence after an abbreviation, or after an ordinal number in German', () => {
    expect(sentencesOf([segmentOf('one', 'Mr. Patterson and Dr. Lee agree.', 0)])).toHaveLength(1);
    expect(sentencesOf([segmentOf('one', 'Wir treffen uns am 3. März in Bonn.', 0)], 'de')).toHaveLength(1);
  });

  it('splits a text without punctuation at its segments, and has every segment in a sentence', () => {
    const segments = Array.from({ length: 20 }, (_, i) =>
      segmentOf(`s${i}`, 'and then we went on with this work', i * 5),
    );
    const sentences = sentencesOf(segments);
    expect(sentences.length).toBeGreaterThan(1);
    expect(new Set(sentences.flatMap(({ segmentUuids }) => segmentUuids)).size).toBe(20);
  });

  it('has no sentence above 400 characters, and loses no word of a long one', () => {
    const text = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(' ');
    const sentences = sentencesOf([segmentOf('one', text, 0)]);
    for (const sentence of sentences) expect(sentence.text.length).toBeLessThanOrEqual(400);
    expect(sentences.map((sentence) => sentence.text).join(' ')).toBe(text);
    const unspaced = sentencesOf([segmentOf('one', '😀'.repeat(1_000), 0)]);
    expect(unspaced.map((sentence) => sentence.text).join('')).toBe('😀'.repeat(1_000));
    for (const sentence of unspaced) expect(sentence.text.isWellFormed()).toBe(true);
  });

  it('keeps the words of a script without spaces', () => {
    const [sentence] = sentencesOf([segmentOf('one', '今日は会議で予算を決定しました。', 0)], 'ja');
    expect(sentence?.terms.length).toBeGreaterThan(3);
  });
});

function sentencesOf(segments: readonly Segment[], language = 'en'): Sentence[] {
  return splitSentences(segments, vocabularyOf(language));
}

function segmentOf(uuid: string, text: string, start: number): Segment {
  return { uuid, start, end: start + 4, text, speakerUuid: 'one', speakerName: null };
}
