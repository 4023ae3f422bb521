import { Histogram } from 'prom-client';
import type { Metrics } from '@overtone/service-kit';

/** Metric names of this service. */
export const createTelemetry = ({ registry }: Metrics) => ({
  stageSeconds: new Histogram({
    name: 'transcription_stage_duration_seconds',
    help: 'Wall time of a stage on this worker, by how it ended',
    labelNames: ['stage', 'outcome'] as const,
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400],
    registers: [registry],
  }),
});
export type Telemetry = ReturnType<typeof createTelemetry>;
