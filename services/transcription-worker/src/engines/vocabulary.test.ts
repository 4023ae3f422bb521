import { describe, expect, it } from '@jest/globals';
import { mergeVocabulary } from './vocabulary.ts';

describe('the vocabulary of an engine', () => {
  it('has the terms of the person and of the provider in turn, each once', () => {
    expect(mergeVocabulary(['Kubernetes', 'Ada'], ['NATS', 'kubernetes', 'Overtone'])).toEqual([
      'Kubernetes',
      'NATS',
      'Ada',
      'Overtone',
    ]);
    expect(mergeVocabulary([], ['NATS'])).toEqual(['NATS']);
    expect(mergeVocabulary([], [])).toEqual([]);
  });

  it('has a limit', () => {
    const terms = (prefix: string): string[] => Array.from({ length: 500 }, (_, i) => `${prefix}${i}`);
    expect(mergeVocabulary(terms('own'), terms('shared'))).toHaveLength(200);
  });
});
