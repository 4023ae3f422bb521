import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, defineEnv, keyRingEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import type { z } from 'zod';

export const directorySyncEnv = { ...serviceEnv, ...busEnv, ...databaseEnv, ...assertionEnv };
export type DirectorySyncEnv = z.infer<z.ZodObject<typeof directorySyncEnv>>;

export const env = defineEnv({ ...directorySyncEnv, ...keyRingEnv }, (source) => readEnv(directorySyncEnv, source));
