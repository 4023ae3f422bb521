import { z } from 'zod';
import { defineRpc, roles } from './define.ts';
import { legStatus, searchQuery } from './search.ts';

/** The person on whose behalf the index is read: only files that they may find are used. */
const reader = z.object({ userId: z.uuid(), role: z.enum(roles) });
/** The files to search; null: every file that the reader may find. */
const fileIds = z.array(z.uuid()).max(1_000).nullable();

/**
 * What the passages say about the question: `answer`: they contain its rare words; `general`: it has no rare words, so
 * that no passage can decide it; `none`: its rare words do not occur in them, the library does not say.
 */
export const evidence = z.enum(['answer', 'general', 'none']);
export type Evidence = z.infer<typeof evidence>;

export const retrievedPassage = z.object({
  /** Seconds. */
  start: z.number(),
  end: z.number(),
  text: z.string(),
  speaker: z.string().nullable(),
  /** Between 0 and 1, comparable within one reply. */
  score: z.number(),
});

/** Of one reply, which must fit into a message of the broker. */
const maxPassages = 400;

export const retrievalRpc = {
  /**
   * The files that answer a question, best first, and the best passages of each.
   * @throws AppError unavailable `search_unavailable` when no leg could run.
   */
  retrieve: defineRpc('search-indexer', 'retrieve', {
    request: z
      .object({
        question: z.string().max(2_000),
        reader,
        fileIds,
        maxFiles: z.int().min(1).max(50),
        passagesPerFile: z.int().min(1).max(20),
      })
      .refine(({ maxFiles, passagesPerFile }) => maxFiles * passagesPerFile <= maxPassages),
    reply: z.object({
      legs: z.object({ keyword: legStatus, semantic: legStatus }),
      evidence,
      files: z.array(
        z.object({
          fileId: z.uuid(),
          title: z.string(),
          /** Between 0 and 1, comparable within one reply. */
          score: z.number(),
          /** Best first. */
          passages: z.array(retrievedPassage),
        }),
      ),
    }),
    timeoutMs: 10_000,
    longRunning: true,
  }),
  /**
   * How often a phrase occurs, in every file that the reader may find. Inflected forms of its words count.
   * @throws AppError unavailable `search_unavailable`.
   */
  countMentions: defineRpc('search-indexer', 'count-mentions', {
    request: z.object({ phrase: z.string().min(1).max(200), reader, fileIds }),
    reply: z.object({
      /** The files with most mentions first, at most 200. `start`: seconds to the first one; 0 from a release that does not reply it. */
      files: z.array(z.object({ fileId: z.uuid(), title: z.string(), count: z.int(), start: z.number().default(0) })),
      totalFiles: z.int(),
    }),
    timeoutMs: 30_000,
    longRunning: true,
  }),
};

export const foundRpc = {
  /**
   * The recordings that a search finds, in its order; `more`: there are others, because a search ends at some hundred.
   * @throws AppError unavailable `search_unavailable`; not_found for an unknown collection.
   */
  foundFiles: defineRpc('search-indexer', 'found-files', {
    request: z.object({ search: z.object({ ...searchQuery, exact: z.boolean() }), reader }),
    reply: z.object({ fileIds: z.array(z.uuid()), more: z.boolean() }),
    timeoutMs: 30_000,
    longRunning: true,
  }),
};
