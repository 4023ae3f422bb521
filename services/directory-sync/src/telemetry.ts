import { syncRunStatuses, type SyncRunReport } from '@overtone/contracts';
import type { Metrics, Sample } from '@overtone/service-kit';
import { Counter } from 'prom-client';

const gauges: Record<string, string> = {
  enabled: '1 while the directory sync is enabled',
  last_good_timestamp_seconds: 'Unix time of the last successful sync run',
  age_seconds:
    'Time since the last successful sync run or since the directory sync was enabled, whichever is later; 0 while disabled',
  runs_missed: 'Scheduled runs since then without a successful sync run, at most 10',
  last_duration_seconds: 'Duration of the last sync run',
  last_seen: 'Directory entries read by the last sync run',
  last_candidates: 'Accounts that the last sync run found to have left the directory',
  last_disabled: 'Accounts disabled by the last sync run',
  last_ldap_requests: 'LDAP requests of the last sync run',
};

/** Metrics of the directory sync, in addition to those of every service. */
export function createTelemetry(metrics: Metrics, read: () => Promise<readonly Sample[]>) {
  const registers = [metrics.registry];
  const runs = new Counter({
    name: 'directory_sync_passes_total',
    help: 'Sync runs by outcome',
    labelNames: ['outcome', 'dry_run'] as const,
    registers,
  });
  for (const outcome of syncRunStatuses.filter((status) => status !== 'running'))
    for (const dryRun of ['true', 'false']) runs.inc({ outcome, dry_run: dryRun }, 0);
  const counter = (name: string, help: string) => new Counter({ name: `directory_sync_${name}`, help, registers });
  const disabled = counter('disabled_total', 'Accounts disabled by sync runs');
  const requests = counter('ldap_requests_total', 'LDAP requests sent by sync runs');
  metrics.watch(
    [
      ...Object.entries(gauges).map(([name, help]) => ({ name: `directory_sync_${name}`, help })),
      { name: 'directory_sync_last_outcome', help: '1 for the outcome of the last sync run', label: 'outcome' },
    ],
    read,
  );
  return {
    finished: (report: SyncRunReport): void => {
      runs.inc({ outcome: report.status, dry_run: String(report.dry_run) });
      disabled.inc(report.disabled);
      requests.inc(report.ldap_requests);
    },
  };
}

export type Telemetry = ReturnType<typeof createTelemetry>;
