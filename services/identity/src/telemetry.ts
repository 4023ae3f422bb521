import type { Metrics } from '@overtone/service-kit';
import { Counter } from 'prom-client';
import { signupMethods } from './provisioning/provisioning.ts';

/** Names are the specification's ("Health and metrics"), kept to the letter. */
export function createTelemetry({ registry }: Metrics) {
  const registers = [registry];
  const signups = new Counter({
    name: 'user_signups_total',
    help: 'Accounts made, by where they come from',
    labelNames: ['method'] as const,
    registers,
  });
  // Known from the start, so that the first one is an increase.
  for (const method of Object.values(signupMethods)) signups.inc({ method }, 0);
  const lockouts = new Counter({ name: 'account_lockouts_total', help: 'Accounts and names locked', registers });
  const listFetches = new Counter({
    name: 'pki_revocation_list_fetches_total',
    help: 'Downloads of the revocation list, by result',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['ok', 'failed']) listFetches.inc({ result }, 0);
  return { signups, lockouts, listFetches };
}

export type Telemetry = ReturnType<typeof createTelemetry>;
