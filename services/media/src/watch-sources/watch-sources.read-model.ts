import { watchSourceSettings, type AnswerOf, type mediaRoutes, type QueryOf } from '@overtone/contracts';
import type { SettingsStore } from '@overtone/database';
import { notFound, unavailable } from '@overtone/service-kit';
import { escapeLike, type Db, type Tx } from '../database.ts';
import type { Prisma, WatchDecision, WatchSource } from '../generated/client.ts';
import type { SourceState } from '../telemetry.ts';
import { readKey } from './watch-sources.store.ts';

type Routes = typeof mediaRoutes;
export type SourceAnswer = AnswerOf<Routes['createWatchSource']>;
type DecisionPage = AnswerOf<Routes['watchDecisions']>;
type DecisionItem = DecisionPage['items'][number];

/** No process scans a source whose lease has ended this long ago. */
const unheldMs = 60_000;

/** What the page Watch sources shows, and the metrics of the sources. */
export function createWatchViews({ db, keys, roots }: { db: Db; keys: SettingsStore; roots: readonly string[] }) {
  return {
    list: async () => {
      const rows = await db.watchSource.findMany({ orderBy: [{ name: 'asc' }, { id: 'asc' }] });
      const items = await Promise.all(
        rows.map(async (row) => toAnswer(db, row, (await readKey(db, keys, row.id)) !== null)),
      );
      return { items, roots: [...roots] };
    },

    decisions: async (sourceId: string, query: QueryOf<Routes['watchDecisions']>): Promise<DecisionPage> => {
      const { page, page_size: size, decision, search } = query;
      if (!(await db.watchSource.findUnique({ where: { id: sourceId }, select: { id: true } })))
        throw notFound('There is no such watch source.');
      const where: Prisma.WatchDecisionWhereInput = {
        sourceId,
        ...(decision ? { decision } : {}),
        ...(search ? { path: { contains: escapeLike(search), mode: 'insensitive' } } : {}),
      };
      const [total, rows] = await Promise.all([
        db.watchDecision.count({ where }),
        db.watchDecision.findMany({
          where,
          orderBy: [{ decidedAt: 'desc' }, { id: 'desc' }],
          skip: (page - 1) * size,
          take: size,
        }),
      ]);
      return { items: rows.map(toDecision), total, page, page_size: size };
    },

    /** A readiness check. @throws AppError that names a source that cannot be read. */
    requireAvailable: async (): Promise<void> => {
      const lost = await db.watchSource.findFirst({ where: { enabled: true, status: 'unavailable' } });
      if (lost) throw unavailable('storage_unavailable', `${lost.name}: ${lost.errorMessage ?? 'It cannot be read.'}`);
    },

    /** 1 for each enabled source that was scanned in time, else 0. */
    availability: async (): Promise<SourceState[]> => {
      const rows = await db.watchSource.findMany({ where: { enabled: true } });
      return rows.map(({ id, status, statusSince, leaseUntil, scannedAt }) => {
        const isHeld = Date.now() - (leaseUntil ?? statusSince).getTime() < unheldMs;
        return { id, isUp: status !== 'unavailable' && isHeld, scannedAt };
      });
    },
  };
}

export async function toAnswer(db: Db | Tx, row: WatchSource, isKeySet: boolean): Promise<SourceAnswer> {
  const groups = await db.watchDecision.groupBy({
    by: ['decision'],
    where: { sourceId: row.id, goneAt: null },
    _count: true,
  });
  return {
    ...watchSourceSettings.parse(row.config),
    uuid: row.id,
    enabled: row.enabled,
    s3_secret_key: null,
    s3_secret_key_is_set: isKeySet,
    owner_uuid: row.ownerId,
    status: row.status as SourceAnswer['status'],
    status_since: row.statusSince.toISOString(),
    error_code: row.errorCode,
    error: row.errorMessage,
    scanned_at: row.scannedAt?.toISOString() ?? null,
    files: row.files,
    has_events: row.hasEvents,
    counts: Object.fromEntries(groups.map(({ decision, _count: count }) => [decision, count])),
    updated_at: row.updatedAt.toISOString(),
  };
}

function toDecision(row: WatchDecision): DecisionItem {
  return {
    path: row.path,
    decision: row.decision as DecisionItem['decision'],
    reason: row.reason,
    bytes: Number(row.bytes),
    modified_at: row.modifiedAt.toISOString(),
    decided_at: row.decidedAt.toISOString(),
    file_uuid: row.fileId,
    after_state: row.afterState as DecisionItem['after_state'],
    gone_at: row.goneAt?.toISOString() ?? null,
  };
}
