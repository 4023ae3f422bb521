import type { Metrics } from '@overtone/service-kit';
import { Counter } from 'prom-client';

/** Names are the specification's ("Health and metrics"), kept to the letter. */
export const createTelemetry = ({ registry }: Metrics) => ({
  signups: new Counter({
    name: 'user_signups_total',
    help: 'Accounts made, by where they come from',
    labelNames: ['method'] as const,
    registers: [registry],
  }),
});
export type Telemetry = ReturnType<typeof createTelemetry>;
