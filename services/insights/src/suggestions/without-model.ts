import { tagSimilarity, sameTagFrom } from '../extractive/fuzzy.ts';
import { keyphrasesIn, type WordFrequencies } from '../extractive/keyphrases.ts';
import { splitSentences, type Sentence } from '../extractive/sentences.ts';
import { findSpeakerNames } from '../extractive/speaker-names.ts';
import { vocabularyOf } from '../extractive/words.ts';
import type { Transcript } from '../ports/media.adapter.ts';
import { shortened, type Candidate, type Collection } from './suggestions.ts';

/** The sentences of a transcript, with the stems of their words. */
export function sentencesOf({ segments, file }: Transcript): Sentence[] {
  return splitSentences(segments, vocabularyOf(file.language));
}

/** Keyphrases as tags, and the collections that are named like one. */
export function findLabelsWithoutModel(
  sentences: readonly Sentence[],
  {
    language,
    frequencies,
    collections,
  }: { language: string | null; frequencies: WordFrequencies; collections: readonly Collection[] },
): Candidate[] {
  const phrases = keyphrasesIn(sentences, frequencies, vocabularyOf(language));
  return phrases.flatMap(({ phrase, confidence, rationale }) => {
    const found = {
      speakerUuid: null,
      confidence,
      rationale: shortened(rationale.text),
      segmentUuid: rationale.segmentUuids[0] ?? null,
      start: rationale.start,
    };
    const named = collections.filter(({ name }) => tagSimilarity(name, phrase, language) >= sameTagFrom);
    return [
      { ...found, kind: 'tag' as const, name: phrase },
      ...named.map(({ name }) => ({ ...found, kind: 'collection' as const, name })),
    ];
  });
}

/** Names from introductions and address. */
export function findSpeakersWithoutModel({ segments, file }: Transcript, knownNames: readonly string[]): Candidate[] {
  return findSpeakerNames({ segments, language: file.language, knownNames }).map((found) => ({
    kind: 'speaker' as const,
    name: found.name,
    speakerUuid: found.speakerUuid,
    confidence: found.confidence,
    rationale: shortened(found.text),
    segmentUuid: found.segmentUuids[0] ?? null,
    start: found.start,
  }));
}
