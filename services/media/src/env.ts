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
  /** A resumable upload that nobody carries on is forgotten after this. */
  UPLOAD_EXPIRES_HOURS: z.coerce.number().min(0.01).max(720).default(24),
};
export type MediaEnv = z.infer<z.ZodObject<typeof mediaEnv>>;

export const env = (): MediaEnv => readEnv(mediaEnv);
