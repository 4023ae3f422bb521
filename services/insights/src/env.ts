import { insightsJobs } from '@overtone/contracts';
import { databaseEnv } from '@overtone/database';
import { concurrencyEnv } from '@overtone/jobs';
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
import { outboundEnv } from '@overtone/service-kit/outbound';
import type { z } from 'zod';

const insightsEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  ...outboundEnv,
};
export type InsightsEnv = z.infer<z.ZodObject<typeof insightsEnv>> & {
  /** Keys that seal stored secrets. Read again at every call: a mounted key file may be replaced while the service runs. */
  keyRing: () => KeyRing;
};

/** @throws Error naming every variable that is missing or malformed. */
export const env = defineEnv(
  { ...insightsEnv, ...keyRingEnv, ...concurrencyEnv(insightsJobs) },
  (source): InsightsEnv => {
    const parsed = readEnv(insightsEnv, source);
    const keyRing = () => readKeyRing(source);
    keyRing();
    return Object.freeze({ ...parsed, keyRing });
  },
);
