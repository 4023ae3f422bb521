import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, defineEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import type { z } from 'zod';

export const directorySyncEnv = { ...serviceEnv, ...busEnv, ...databaseEnv, ...assertionEnv };
export type DirectorySyncEnv = z.infer<z.ZodObject<typeof directorySyncEnv>>;

export const env = defineEnv(directorySyncEnv, (source) => readEnv(directorySyncEnv, source));
