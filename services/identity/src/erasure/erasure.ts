import { erasureServices, type ErasureObject, type ErasureService } from '@overtone/contracts';
import type { Erasure, ErasureReport } from '../generated/client.ts';

export type Counts = Record<string, number>;
export type Report = Pick<ErasureReport, 'round' | 'service' | 'held' | 'complete' | 'reportedAt'> & {
  counts: unknown;
};
type ServiceState = ErasureObject['services'][number];

/** A name is compared like an address of e-mail: without regard to case. */
export function normalizedAddress(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}

export function sumCounts(reports: readonly Pick<Report, 'counts'>[]): Counts {
  const sum: Counts = {};
  for (const { counts } of reports)
    for (const [kind, count] of Object.entries(counts as Counts)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

/**
 * The state of one service in a round. It is done with a complete answer that no legal hold limits. The mirror follows
 * the answers of media in any order, so it is done when it has followed as many files as media has erased.
 */
export function stateOfService(service: ErasureService, round: number, reports: readonly Report[]): ServiceState {
  const ofRound = reports.filter((report) => report.round === round);
  const own = ofRound.filter((report) => report.service === service);
  const counts = sumCounts(own);
  const last = own
    .filter(({ complete }) => complete)
    .toSorted((x, y) => x.reportedAt.getTime() - y.reportedAt.getTime())
    .at(-1);
  const erased = sumCounts(ofRound.filter((report) => report.service === 'media'))['files'] ?? 0;
  const behind = service === 'operations' && (counts['mirrored_files'] ?? 0) < erased;
  return {
    service,
    status: !last || behind ? 'pending' : last.held > 0 ? 'held' : 'done',
    counts,
    held: last?.held ?? 0,
    reported_at: last?.reportedAt.toISOString() ?? null,
  };
}

/** The state of an erasure as its answers say: never done while a service has not answered or a hold keeps files. */
export function statusOf(round: number, reports: readonly Report[]): Erasure['status'] {
  const states = erasureServices.map((service) => stateOfService(service, round, reports).status);
  if (states.includes('pending')) return 'running';
  return states.includes('held') ? 'held' : 'done';
}

type ErasureWithReports = Erasure & { reports: (Report & { objectHashes: string[] })[] };

export function toErasureObject(row: ErasureWithReports): ErasureObject {
  const roundNumbers = Array.from({ length: row.round }, (_, i) => i + 1);
  return {
    uuid: row.id,
    status: row.status as ErasureObject['status'],
    round: row.round,
    ordered_at: row.orderedAt.toISOString(),
    ordered_by: row.orderedBy,
    sent_at: row.sentAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    subject_hash: row.subjectHash,
    address_hash: row.addressHash,
    key_id: row.keyId,
    services: erasureServices.map((service) => stateOfService(service, row.round, row.reports)),
    rounds: roundNumbers.map((round) => {
      const reports = row.reports.filter((report) => report.round === round);
      const times = reports.map(({ reportedAt }) => reportedAt.getTime());
      const isFinished = statusOf(round, reports) === 'done';
      return {
        round,
        counts: sumCounts(reports),
        finished_at: isFinished ? new Date(Math.max(...times)).toISOString() : null,
      };
    }),
    object_hashes: row.reports.reduce((sum, { objectHashes }) => sum + objectHashes.length, 0),
  };
}
