import { databaseEnv } from '@overtone/database';
import { objectStoreEnv } from '@overtone/object-store';
import { assertionEnv, busEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';

const gib = 1024 ** 3;

export const mediaEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  ...objectStoreEnv,
  /** The largest recording taken; the edge enforces the same number. */
  MAX_UPLOAD_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(16 * gib),
  /** Resumable uploads that one user may have unfinished at once, and the bytes reserved for them. */
  UPLOAD_MAX_OPEN: z.coerce.number().int().min(1).default(50),
  UPLOAD_MAX_RESERVED_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * gib),
  /** A resumable upload that nobody carries on is forgotten after this. */
  UPLOAD_EXPIRES_HOURS: z.coerce.number().min(0.01).max(720).default(24),
  /** Days that a deleted file can be restored; 0: it is deleted permanently at once. */
  OT_BIN_DAYS: z.coerce.number().min(0).max(3650).default(30),
};
export type MediaEnv = z.infer<z.ZodObject<typeof mediaEnv>>;

export const env = (): MediaEnv => readEnv(mediaEnv);
