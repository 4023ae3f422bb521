import { describe, expect, it } from '@jest/globals';
import { keyphrasesIn, type WordFrequencies } from './keyphrases.ts';
import { splitSentences } from './sentences.ts';
import { vocabularyOf } from './words.ts';

const english = vocabularyOf('en');
describe('keyphrasesIn', () => {
  it('finds the phrase that a recording repeats, with the sentence that shows it', () => {
    const [best] = phrasesOf([
      ...repeat('The solar panels need a new inverter.', 6),
      ...repeat('We went home then.', 6),
    ]);
    expect(best).toMatchObject({ phrase: 'solar panels', occurrences: 6 });
    expect(best?.rationale.text).toBe('The solar panels need a new inverter.');
    expect(best?.rationale.segmentUuids).toHaveLength(1);
  });

  it('is less certain of a word that most documents of the library have', () => {
    const texts = [...repeat('The invoice for the turbine is here.', 8), ...repeat('That was it.', 8)];
    const library = libraryOf({ invoic: 95, turbin: 1 });
    const confidence = new Map(phrasesOf(texts, library).map((phrase) => [phrase.phrase, phrase.confidence]));
    expect(confidence.get('turbine')).toBeGreaterThan(confidence.get('invoice') ?? 1);
    expect(confidence.get('invoice')).toBeLessThan(0.75);
  });

  it('does not suggest a single common word with certainty when nothing is known about the library', () => {
    const found = phrasesOf([...repeat('The price of the house is high.', 5), ...repeat('That was it.', 20)], null);
    expect(found.length).toBeGreaterThan(0);
    for (const { confidence } of found) expect(confidence).toBeLessThan(0.75);
  });

  it('suggests neither hesitations nor first names of people', () => {
    const phrases = phrasesOf(repeat('Mm-hmm, Jessica showed the wind turbine to Jessica, mm-hmm.', 8));
    const texts = phrases.map(({ phrase }) => phrase.toLowerCase());
    expect(texts).toContain('wind turbine');
    expect(texts.some((text) => text.includes('hmm') || text.includes('jessica'))).toBe(false);
  });

  it('has no part of a phrase beside the phrase', () => {
    const texts = phrasesOf(repeat('We discussed voice recognition in the lab.', 6)).map(({ phrase }) => phrase);
    expect(texts).toContain('voice recognition');
    expect(texts).not.toContain('recognition');
  });

  it('takes only nouns in German, and keeps their capital letter', () => {
    const german = vocabularyOf('de');
    const segments = repeat('Wir diskutieren die neue Wärmepumpe im Keller ausführlich.', 6).map(segmentOf);
    const [best, ...others] = keyphrasesIn(splitSentences(segments, german), null, german);
    expect(best?.phrase).toBe('Wärmepumpe');
    for (const { phrase, confidence } of others) expect(/^\p{Lu}/u.test(phrase) || confidence < 0.5).toBe(true);
  });

  it('finds nothing in a transcript that repeats nothing', () => {
    expect(phrasesOf(['The cat sat there.', 'A dog ran away.'])).toEqual([]);
  });
});

function repeat(text: string, times: number): string[] {
  return Array.from({ length: times }, () => text);
}

function phrasesOf(
  texts: readonly string[],
  frequencies: WordFrequencies | null = null,
): ReturnType<typeof keyphrasesIn> {
  return keyphrasesIn(splitSentences(texts.map(segmentOf), english), frequencies, english);
}

function segmentOf(text: string, i: number): Parameters<typeof splitSentences>[0][number] {
  const speaker = `speaker-${i % 2}`;
  return { uuid: `segment-${i}`, start: i * 10, end: i * 10 + 5, text, speakerUuid: speaker, speakerName: null };
}

function libraryOf(counts: Record<string, number>): WordFrequencies {
  return { documents: 100, documentsWith: (term) => counts[term] ?? 0 };
}
