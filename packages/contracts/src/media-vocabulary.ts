import { z } from 'zod';
import { defineRpc } from './define.ts';
import { line, routesOf, time } from './http.ts';

const route = routesOf('media');

export const maxVocabularyTerms = 500;
export const maxTermLength = 80;

const vocabularyTerm = z.object({ uuid: z.uuid(), term: z.string(), created_at: time });

/** The vocabulary of a person: names and terms that speech engines expect in the recordings of this person. */
export const vocabularyRoutes = {
  listVocabulary: route('GET', '/api/vocabulary', 'user', {
    summary: "The caller's vocabulary, the newest first",
    answer: z.object({ items: z.array(vocabularyTerm) }),
  }),
  addVocabulary: route('POST', '/api/vocabulary', 'user', {
    summary: 'Keep a name or a term; one that differs only in case is replaced',
    body: z.object({ term: line(maxTermLength).min(1) }),
    answer: vocabularyTerm,
    errors: ['vocabulary_full'],
  }),
  removeVocabulary: route('DELETE', '/api/vocabulary/{uuid}', 'user', {
    summary: 'Remove a term from the vocabulary',
    answer: z.object({ uuid: z.uuid() }),
  }),
  suggestVocabulary: route('GET', '/api/files/{uuid}/vocabulary-suggestions', 'user', {
    summary: 'Spellings that the caller has corrected at least twice in a file, and does not keep yet',
    answer: z.object({ terms: z.array(z.string()) }),
  }),
};

export const vocabularyRpc = {
  /** The vocabulary of a person for the engines, the newest first. */
  readVocabulary: defineRpc('media', 'vocabulary', {
    request: z.object({ userId: z.uuid() }),
    reply: z.object({ terms: z.array(z.string()) }),
    timeoutMs: 5_000,
  }),
};
