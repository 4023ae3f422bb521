import { z } from 'zod';
import { defineJob, defineLive, defineRpc } from './define.ts';
import { isText, routesOf, textRule } from './http.ts';
import { fileObject } from './media-objects.ts';
import { uploadOptions } from './media-uploads.ts';

const route = routesOf('media');
const url = z.string().min(1).max(2_048).refine(isText, textRule);

export const importRoutes = {
  importUrl: route('POST', '/api/files/import-url', 'user', {
    summary: 'Import a recording from an address: a media file, or a page of a media site',
    body: uploadOptions.extend({ url }),
    answer: fileObject,
    status: 202,
    errors: [
      'url_invalid',
      'url_refused',
      'too_many_imports',
      'language_unsupported',
      'translation_unsupported',
      'provider_unknown',
    ],
  }),
};

/** Downloads; media owns their state. The messages only name an import, whose URL is in the reply to the claim. */
export const downloadJobs = {
  download: defineJob('job.download.media.import', {
    input: z.object({ fileId: z.uuid() }),
    output: z.object({}),
    attempts: 20,
    fencedBy: 'handler',
  }),
};

const claimedImport = { fileId: z.uuid(), token: z.int() };
/** Kept by `import-progress`, which the worker sends at most this far apart; then the import is claimed again. */
export const importLease = { everyMs: 2_000, lifeMs: 30_000 } as const;

export const importRpc = {
  /** `none`: the import has ended, waits for its next attempt, or another worker has it. */
  claimImport: defineRpc('media', 'claim-import', {
    request: z.object({ fileId: z.uuid() }),
    reply: z.discriminatedUnion('outcome', [
      z.object({
        outcome: z.literal('claimed'),
        token: z.int(),
        url: z.string(),
        objectKey: z.string(),
        maxBytes: z.number().int(),
      }),
      z.object({ outcome: z.literal('none') }),
    ]),
  }),
  /** Renews the lease. `stop`: the import was cancelled or its file deleted, or another worker has it. */
  importProgress: defineRpc('media', 'import-progress', {
    request: z.object({
      ...claimedImport,
      receivedBytes: z.number().int().min(0),
      /** null: the server did not say. */
      totalBytes: z.number().int().min(0).nullable(),
    }),
    reply: z.object({ outcome: z.enum(['continue', 'stop']) }),
  }),
  /** The object is stored. `refused`: it is a duplicate or the import was stopped; media has deleted the object. */
  completeImport: defineRpc('media', 'complete-import', {
    request: z.object({
      ...claimedImport,
      filename: z.string().max(1_000),
      contentType: z.string().max(200),
      bytes: z.number().int().min(1),
      sha256: z.string().length(64),
    }),
    reply: z.object({ outcome: z.enum(['accepted', 'refused']) }),
    timeoutMs: 10_000,
  }),
  failImport: defineRpc('media', 'fail-import', {
    request: z.object({
      ...claimedImport,
      code: z.string().max(100),
      message: z.string().max(2_000),
      retryable: z.boolean(),
      /** The worker stops: the import continues elsewhere without counting an attempt. */
      released: z.boolean(),
    }),
    reply: z.object({ outcome: z.enum(['retry', 'failed', 'stale']) }),
  }),
};

export const importLive = {
  /** From media, per file, while a recording is downloaded. */
  progress: defineLive(
    'live.media.import-progress',
    z.object({
      fileId: z.uuid(),
      ownerId: z.uuid(),
      receivedBytes: z.number().int(),
      totalBytes: z.number().int().nullable(),
    }),
  ),
};
