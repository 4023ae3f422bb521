import { databaseEnv } from '@overtone/database';
import { assertionEnv, busEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';

const dispatcherEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  /** A task that lost its worker this often fails: something in it kills workers. */
  TRANSCRIPTION_MAX_INFRA_REQUEUES: z.coerce.number().int().min(1).default(10),
  /** Recordings up to this many seconds may use the place of a worker that long ones are kept from. */
  TRANSCRIPTION_EXPRESS_MAX_SECONDS: z.coerce.number().min(1).default(300),
  /** A task may be worked on for this long, longer for long recordings; counted from its start on a worker. */
  TASK_MAX_DURATION_TRANSCRIPTION_SECONDS: z.coerce.number().int().min(1).default(7_200),
  /** From this many lost workers on a file counts in `transcription_files_infra_requeued`. */
  TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD: z.coerce.number().int().min(1).default(3),
  /** Record and show what tasks need of GPU memory; the workers measure it under the same name. */
  ENABLE_VRAM_PROFILING: z.stringbool().default(false),
};
export type DispatcherEnv = z.infer<z.ZodObject<typeof dispatcherEnv>>;

export const env = (): DispatcherEnv => readEnv(dispatcherEnv);
