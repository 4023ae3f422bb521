import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import type { z } from 'zod';

export const directorySyncEnv = { ...serviceEnv, ...busEnv, ...databaseEnv, ...assertionEnv };
export type DirectorySyncEnv = z.infer<z.ZodObject<typeof directorySyncEnv>>;

export function env(): DirectorySyncEnv {
  return readEnv(directorySyncEnv);
}
