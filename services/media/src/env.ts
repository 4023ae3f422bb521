import { isAbsolute } from 'node:path';
import { redactionJobs } from '@overtone/contracts';
import { databaseEnv } from '@overtone/database';
import { concurrencyEnv } from '@overtone/jobs';
import { objectStoreEnv } from '@overtone/object-store';
import { outboundEnv } from '@overtone/service-kit/outbound';
import {
  assertionEnv,
  busEnv,
  defineEnv,
  keyRingEnv,
  readEnv,
  readKeyRing,
  serviceEnv,
  type KeyRing,
} from '@overtone/service-kit';
import { z } from 'zod';

const gib = 1024 ** 3;

const mediaEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  ...objectStoreEnv,
  ...outboundEnv,
  /** Size limit of a recording; the edge enforces the same limit. */
  MAX_UPLOAD_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(16 * gib),
  /** Limits per user: number of unfinished resumable uploads, and bytes reserved for them. */
  UPLOAD_MAX_OPEN: z.coerce.number().int().min(1).default(50),
  UPLOAD_MAX_RESERVED_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * gib),
  /** An unfinished resumable upload is deleted after this time. */
  UPLOAD_EXPIRES_HOURS: z.coerce.number().min(0.01).max(720).default(24),
  /** Recordings that a user may import from addresses per hour. */
  IMPORTS_PER_HOUR: z.coerce.number().int().min(1).max(10_000).default(30),
  /** An interrupted recording is finished with what arrived after this time without a sign of its sender. */
  RECORDING_IDLE_MINUTES: z.coerce.number().min(0.01).max(1440).default(30),
  /** Whether recordings that browsers cannot play get a copy that they play. */
  OT_PLAYBACK_COPIES: z.stringbool().default(true),
  /** Days that a deleted file can be restored; 0: files are deleted permanently. */
  OT_BIN_DAYS: z.coerce.number().min(0).max(3650).default(30),
  /** Folders below these may be watched, separated by colons; none: only buckets. */
  WATCH_ROOTS: z
    .string()
    .refine((list) => list.split(':').every((root) => root === '' || isAbsolute(root)))
    .describe('full paths of folders, separated by colons')
    .default('')
    .transform((list) => list.split(':').filter((root) => root !== '')),
};
export type MediaEnv = z.infer<z.ZodObject<typeof mediaEnv>> & {
  /** Keys that seal stored secrets. Read again at every call: a mounted key file may be replaced while the service runs. */
  keyRing: () => KeyRing;
};

/** @throws Error naming every variable that is missing or malformed. */
export const env = defineEnv({ ...mediaEnv, ...keyRingEnv, ...concurrencyEnv(redactionJobs) }, (source): MediaEnv => {
  const parsed = readEnv(mediaEnv, source);
  const keyRing = () => readKeyRing(source);
  keyRing();
  return Object.freeze({ ...parsed, keyRing });
});
