import type { gpuRpc, InputOf, profiledStages, RequestOf, workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/jobs';
import type { Gpu } from '../gpu/gpu.ts';

export type Profile = Omit<RequestOf<typeof gpuRpc.recordProfile>, 'worker'>;
/** The memory meter and the receiver of its results. */
export type Profiler = { meter: Gpu['meter']; report: (profile: Profile) => void };

type Input = InputOf<typeof workerJobs.transcribe>;

/** Measures GPU memory during a job and reports it when the job succeeds. Without a profiler it returns the job unchanged. */
export function profiled<T>(
  profiler: Profiler | undefined,
  stage: (typeof profiledStages)[number],
  modelOf: (output: T) => string,
  work: (input: Input, delivery: JobDelivery) => Promise<T>,
) {
  return async (input: Input, delivery: JobDelivery): Promise<T> => {
    const measuring = await profiler?.meter.start();
    try {
      const output = await work(input, delivery);
      const reading = measuring?.stop();
      const { taskId, token } = delivery;
      if (reading)
        profiler?.report({ stage, model: modelOf(output), taskId, token, audioSeconds: input.duration, ...reading });
      return output;
    } finally {
      measuring?.stop();
    }
  };
}
