import { workerJobs } from '@overtone/contracts';
import type { Metrics } from '@overtone/service-kit';
import { Histogram } from 'prom-client';

/** Metric names of this service. */
export function createTelemetry({ registry }: Metrics) {
  const stageSeconds = new Histogram({
    name: 'transcription_stage_duration_seconds',
    help: 'Wall time of a stage on this worker, by how it ended',
    labelNames: ['stage', 'outcome'] as const,
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400],
    registers: [registry],
  });
  for (const stage of Object.keys(workerJobs))
    for (const outcome of ['done', 'failed']) stageSeconds.zero({ stage, outcome });
  return { stageSeconds };
}

export type Telemetry = ReturnType<typeof createTelemetry>;
