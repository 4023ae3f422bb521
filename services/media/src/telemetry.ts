import type { Metrics } from '@overtone/service-kit';
import { Counter } from 'prom-client';

/** Names are the specification's ("Health and metrics"), kept to the letter. */
export const createTelemetry = ({ registry }: Metrics) => ({
  filesUploaded: new Counter({
    name: 'files_uploaded_total',
    help: 'Files taken in, by how they came',
    labelNames: ['source'] as const,
    registers: [registry],
  }),
});
export type Telemetry = ReturnType<typeof createTelemetry>;
