import type { PassReport } from '@overtone/contracts';
import type { Metrics } from '@overtone/service-kit';
import { Counter, Gauge } from 'prom-client';

/** What an operator watches of the sweep, beside the metrics every service has. */
export const createTelemetry = ({ registry }: Metrics) => {
  const registers = [registry];
  const passes = new Counter({
    name: 'directory_sync_passes_total',
    help: 'Passes by how they ended',
    labelNames: ['outcome', 'dry_run'] as const,
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name: `directory_sync_${name}`, help, registers });
  const lastGood = gauge('last_good_timestamp_seconds', 'When a pass last ended well');
  const duration = gauge('last_duration_seconds', 'How long the last pass took');
  const seen = gauge('last_seen', 'Entries the directory answered with in the last pass');
  const candidates = gauge('last_candidates', 'Accounts the last pass found to have left');
  const requests = gauge('last_ldap_requests', 'LDAP requests of the last pass');
  const disabled = new Counter({
    name: 'directory_sync_disabled_total',
    help: 'Accounts disabled by passes',
    registers,
  });
  return {
    /** What is known from before this process: a restart is no reason for an alarm. */
    remember: (lastGoodAt: Date): void => lastGood.set(lastGoodAt.getTime() / 1000),
    finished: (report: PassReport): void => {
      passes.inc({ outcome: report.status, dry_run: String(report.dry_run) });
      duration.set(report.duration_s ?? 0);
      seen.set(report.seen);
      candidates.set(report.candidates);
      requests.set(report.ldap_requests);
      disabled.inc(report.disabled);
      if (report.status === 'ok') lastGood.set(Date.parse(report.finished_at ?? '') / 1000);
    },
  };
};
export type Telemetry = ReturnType<typeof createTelemetry>;
