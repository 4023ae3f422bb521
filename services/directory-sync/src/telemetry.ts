import { passStatuses, type PassReport } from '@overtone/contracts';
import type { Metrics, Sample } from '@overtone/service-kit';
import { Counter } from 'prom-client';

const gauges: Record<string, string> = {
  enabled: '1 while the sweep is switched on',
  last_good_timestamp_seconds: 'When a pass last ended well',
  age_seconds: 'How long the last good pass is ago, or the switch where that was set later; 0 while it is off',
  runs_missed: 'Times of the schedule that have come since then, at most 10',
  last_duration_seconds: 'How long the last pass took',
  last_seen: 'Entries the directory answered with in the last pass',
  last_candidates: 'Accounts the last pass found to have left',
  last_disabled: 'Accounts the last pass disabled',
  last_ldap_requests: 'LDAP requests of the last pass',
};

/** What an operator watches of the sweep, beside the metrics every service has. */
export const createTelemetry = (metrics: Metrics, read: () => Promise<readonly Sample[]>) => {
  const registers = [metrics.registry];
  const passes = new Counter({
    name: 'directory_sync_passes_total',
    help: 'Passes by how they ended',
    labelNames: ['outcome', 'dry_run'] as const,
    registers,
  });
  for (const outcome of passStatuses.filter((s) => s !== 'running'))
    for (const dryRun of ['true', 'false']) passes.inc({ outcome, dry_run: dryRun }, 0);
  const counter = (name: string, help: string) => new Counter({ name: `directory_sync_${name}`, help, registers });
  const disabled = counter('disabled_total', 'Accounts disabled by passes');
  const requests = counter('ldap_requests_total', 'LDAP requests of passes');
  metrics.watch(
    [
      ...Object.entries(gauges).map(([name, help]) => ({ name: `directory_sync_${name}`, help })),
      { name: 'directory_sync_last_outcome', help: '1 for how the last pass ended', label: 'outcome' },
    ],
    read,
  );
  return {
    finished: (report: PassReport): void => {
      passes.inc({ outcome: report.status, dry_run: String(report.dry_run) });
      disabled.inc(report.disabled);
      requests.inc(report.ldap_requests);
    },
  };
};
export type Telemetry = ReturnType<typeof createTelemetry>;
