import { z } from 'zod';
import { defineRpc, roles } from './define.ts';
import { time } from './http.ts';
import { sharePermissions } from './media-objects.ts';
import { fileMasks } from './media-redaction.ts';

/** A passage as every reader of the file may see it. */
export const insightSegment = z.object({
  uuid: z.uuid(),
  /** Seconds. */
  start: z.number(),
  end: z.number(),
  text: z.string(),
  speakerUuid: z.uuid().nullable(),
  /** `SPEAKER_01`; never changes. */
  speakerLabel: z.string().nullable(),
  /** The given name, or `Speaker 1`. */
  speakerName: z.string().nullable(),
  /** A person gave the speaker a name. */
  named: z.boolean(),
});
export type InsightSegment = z.infer<typeof insightSegment>;

export const insightFile = z.object({
  fileId: z.uuid(),
  ownerId: z.uuid(),
  title: z.string(),
  contentType: z.string(),
  language: z.string().nullable(),
  duration: z.number().nullable(),
  uploadTime: time,
  transcriptVersion: z.int(),
  tags: z.array(z.string()),
  /** Of the passages in the same reply. */
  masks: fileMasks,
});
export type InsightFile = z.infer<typeof insightFile>;

const readableFile = z.object({
  fileId: z.uuid(),
  ownerId: z.uuid(),
  title: z.string(),
  permission: z.enum(['owner', ...sharePermissions]),
  masks: fileMasks,
});
export type ReadableFile = z.infer<typeof readableFile>;
const reader = z.object({ userId: z.uuid(), role: z.enum(roles) });

/** What insights requests from media. */
export const mediaInsightsRpc = {
  /**
   * A file and a page of its transcript; null when the file does not exist or is in the bin. What at least one reader does not see
   * is masked. `withheld`: nothing may be sent before it was scanned; there are no passages then. A page is shorter than requested
   * when it would not fit into a message.
   */
  transcript: defineRpc('media', 'insight-transcript', {
    request: z.object({ fileId: z.uuid(), offset: z.int().min(0), limit: z.int().min(1).max(1_000) }),
    reply: z.object({
      file: insightFile.nullable(),
      segments: z.array(insightSegment),
      total: z.int(),
      withheld: z.boolean(),
    }),
  }),
  /** The files that the reader may see, with the permission; unknown and unreadable ones are left out. */
  access: defineRpc('media', 'insight-access', {
    request: z.object({ fileIds: z.array(z.uuid()).max(500), reader }),
    reply: z.object({
      files: z.array(readableFile),
    }),
    timeoutMs: 3_000,
  }),
};
