import { z } from 'zod';
import { defineEvent, defineJob, defineRpc } from './define.ts';

/**
 * Versions of the speaker index, oldest first; a new one is added at the end. Embeddings of two versions are never
 * compared. `confidence`: the similarity (cosine of the normalized embeddings) that is as likely one person as two, and how
 * fast that changes. `needs`: the speech model without which a worker cannot compute the version.
 */
export const voiceVersions = [
  { name: 'v3', model: 'acoustic-full', dimension: 512, confidence: { middle: 0.65, slope: 22 }, needs: null },
  { name: 'v4', model: 'acoustic-compact', dimension: 256, confidence: { middle: 0.68, slope: 22 }, needs: null },
  { name: 'v5', model: 'CAM++', dimension: 192, confidence: { middle: 0.6, slope: 25 }, needs: 'campplus-zh-en' },
] as const;
export type VoiceVersion = (typeof voiceVersions)[number]['name'];
export const voiceVersionName = z.enum(voiceVersions.map(({ name }) => name));

export const voiceLimits = {
  /** Speakers that one request compares. */
  speakers: 500,
  /** Profiles that one request compares them with. */
  profiles: 500,
  /** The newest voices of a profile, with which others are compared. */
  voicesPerProfile: 20,
  /** Passages of a speaker from which an embedding is computed. */
  spansPerVoice: 400,
  /** Their length in all. */
  secondsPerVoice: 180,
  /** Speakers whose embeddings one request reads. */
  exported: 50,
} as const;

/** Computes the embeddings of a file's speakers; search-indexer owns their state. */
export const voiceJobs = {
  embedVoices: defineJob('job.embedding.voices.embed', {
    input: z.object({ fileId: z.uuid() }),
    output: z.object({}),
    attempts: 5,
    fencedBy: 'handler',
  }),
};

const span = z.tuple([z.number(), z.number()]);
const spokenSpans = z.object({ speakerId: z.uuid(), spans: z.array(span).max(voiceLimits.spansPerVoice) });
export type SpokenSpans = z.infer<typeof spokenSpans>;
export const embeddedVoice = z.object({
  speakerId: z.uuid(),
  seconds: z.number(),
  /** By version; base64 of little-endian float32 of length 1. */
  vectors: z.partialRecord(voiceVersionName, z.string()),
});
export type EmbeddedVoice = z.infer<typeof embeddedVoice>;

const speakerIds = z.array(z.uuid()).max(voiceLimits.speakers);

/** Served by search-indexer. */
export const voiceRpc = {
  /** `none`: the embeddings exist, or are not wanted any more. */
  claimVoices: defineRpc('search-indexer', 'claim-voices', {
    request: z.object({
      fileId: z.uuid(),
      /** How often the job was delivered: a first delivery does not take over the claim of another worker. */
      attempt: z.int().min(1).optional(),
      /** The versions that the worker can compute now; workers of earlier releases do not name them. */
      computable: z.array(voiceVersionName).optional(),
    }),
    reply: z.discriminatedUnion('outcome', [
      z.object({
        outcome: z.literal('claimed'),
        token: z.int(),
        source: z.string(),
        versions: z.array(voiceVersionName),
        speakers: z.array(spokenSpans),
      }),
      z.object({ outcome: z.literal('none') }),
    ]),
    timeoutMs: 10_000,
  }),
  completeVoices: defineRpc('search-indexer', 'complete-voices', {
    request: z.object({
      fileId: z.uuid(),
      token: z.int(),
      voices: z.array(embeddedVoice),
      /** Those of the claim that were computed; absent: all. The others stay claimed. */
      versions: z.array(voiceVersionName).optional(),
    }),
    reply: z.object({ outcome: z.enum(['accepted', 'refused']) }),
    timeoutMs: 20_000,
  }),
  /** The recording is queued again after a pause, until its last attempt. */
  failVoices: defineRpc('search-indexer', 'fail-voices', {
    /** `permanent`: another attempt would fail, too. */
    request: z.object({
      fileId: z.uuid(),
      token: z.int(),
      message: z.string().max(2_000),
      permanent: z.boolean().optional(),
    }),
    reply: z.object({}),
  }),
  /**
   * How likely each speaker is the person of each profile, the likeliest three; all in one version. In the message a profile
   * is a group, because during an update both versions of the services exchange it.
   */
  compareVoices: defineRpc('search-indexer', 'compare-voices', {
    request: z.object({
      speakerIds,
      groups: z
        .array(z.object({ groupId: z.uuid(), speakerIds: z.array(z.uuid()).max(voiceLimits.voicesPerProfile) }))
        .max(voiceLimits.profiles),
      /** Profiles that a speaker is not compared with, because a person said that it is not their voice. */
      refused: z.array(z.object({ speakerId: z.uuid(), groupIds: z.array(z.uuid()) })).optional(),
    }),
    reply: z.object({
      matches: z.array(z.object({ speakerId: z.uuid(), groupId: z.uuid(), confidence: z.number() })),
    }),
    timeoutMs: 15_000,
  }),
  /** Pairs of the speakers that are likely one person, the likeliest first, and which of their files have no embeddings yet. */
  similarVoices: defineRpc('search-indexer', 'similar-voices', {
    request: z.object({ speakerIds, fileIds: z.array(z.uuid()).max(voiceLimits.speakers), minConfidence: z.number() }),
    reply: z.object({
      /** Those of the speakers that have an embedding. */
      speakerIds,
      waitingFileIds: z.array(z.uuid()),
      failedFileIds: z.array(z.uuid()),
      pairs: z.array(z.object({ first: z.uuid(), second: z.uuid(), confidence: z.number() })),
    }),
    timeoutMs: 15_000,
    longRunning: true,
  }),
  /** The stored embeddings of speakers in every version, for the export of a person's data. */
  readVoices: defineRpc('search-indexer', 'read-voices', {
    request: z.object({ speakerIds: speakerIds.max(voiceLimits.exported) }),
    reply: z.object({ voices: z.array(embeddedVoice) }),
    timeoutMs: 15_000,
    longRunning: true,
  }),
};

/** Served by media. */
export const mediaVoiceRpc = {
  /** Who speaks when in a file, for their embeddings; null: there are none to compute. */
  voiceSource: defineRpc('media', 'voice-source', {
    request: z.object({ fileId: z.uuid() }),
    reply: z.object({
      file: z
        .object({
          /** Key of the recording. */
          source: z.string(),
          /** Changes when other parts are spoken by a speaker. */
          fingerprint: z.string(),
          speakers: z.array(spokenSpans),
        })
        .nullable(),
    }),
  }),
  /** Files with a transcript and a recording after `after` in order of id; none while voices may not be stored. */
  listVoiceFiles: defineRpc('media', 'list-voice-files', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(500) }),
    reply: z.object({ enabled: z.boolean(), files: z.array(z.object({ fileId: z.uuid(), ownerId: z.uuid() })) }),
  }),
};

export const voiceEvents = {
  /** The embeddings of a file's speakers are in the version that is read. */
  indexed: defineEvent('evt.search.speakers.indexed.v1', z.object({ fileId: z.uuid(), ownerId: z.uuid() })),
  /** Another version is read from now on. */
  switched: defineEvent('evt.search.speakers.switched.v1', z.object({ version: voiceVersionName })),
};
export const mediaVoiceEvents = {
  /** Voices may be stored from now on, or must not be any more. */
  allowedChanged: defineEvent('evt.media.speakers.allowed-changed.v1', z.object({ allowed: z.boolean() })),
  /** The voices of a file have to be read again: speakers were excluded or included. */
  outdated: defineEvent('evt.media.speakers.outdated.v1', z.object({ fileId: z.uuid(), ownerId: z.uuid() })),
};
