import { databaseEnv } from '@overtone/database';
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
import { z } from 'zod';

const dispatcherEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  ...outboundEnv,
  /** A task that lost its worker more often than this fails: it probably crashes workers. */
  TRANSCRIPTION_MAX_INFRA_REQUEUES: z.coerce.number().int().min(1).default(10),
  /** Recordings up to this many seconds may use the express slots of a worker. */
  TRANSCRIPTION_EXPRESS_MAX_SECONDS: z.coerce.number().min(1).default(300),
  /** Time limit of a task, longer for long recordings; counted from its claim. */
  TASK_MAX_DURATION_TRANSCRIPTION_SECONDS: z.coerce.number().int().min(1).default(7_200),
  /** A file counts in `transcription_files_infra_requeued` once it has lost this many workers. */
  TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD: z.coerce.number().int().min(1).default(3),
  /** Records and shows the GPU memory that tasks need; the workers use a setting of the same name. */
  ENABLE_VRAM_PROFILING: z.stringbool().default(false),
};
export type DispatcherEnv = z.infer<z.ZodObject<typeof dispatcherEnv>> & {
  /** Keys that seal stored secrets. Read again at every call: a mounted key file may be replaced while the service runs. */
  keyRing: () => KeyRing;
};

/** @throws Error naming every variable that is missing or malformed. */
export const env = defineEnv({ ...dispatcherEnv, ...keyRingEnv }, (source): DispatcherEnv => {
  const parsed = readEnv(dispatcherEnv, source);
  const keyRing = () => readKeyRing(source);
  keyRing();
  return Object.freeze({ ...parsed, keyRing });
});
