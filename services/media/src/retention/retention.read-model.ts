import {
  differencesOf,
  retentionGroup,
  toSettingItems,
  type AnswerOf,
  type mediaRoutes,
  type QueryOf,
  type RetentionConditions,
} from '@overtone/contracts';
import { nextRuns } from '@overtone/jobs';
import { notFound } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { RetentionRule } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { admitSets, allowanceOf, bytesOf, reasonsOf, type Removal } from './retention.ts';
import { retentionStore, toRule } from './retention.store.ts';

type Routes = typeof mediaRoutes;
type RunObject = AnswerOf<Routes['runRetention']>;
type Preview = AnswerOf<Routes['previewRetentionRule']>;
type RunItem = AnswerOf<Routes['retentionItems']>['items'][number];
type ReadDeps = { db: Db; people: Pick<People, 'names'>; binDays: number };

/** What the page Retention shows. */
export function createRetentionViews({ db, people, binDays }: ReadDeps) {
  return {
    settings: async () => {
      const { servedUntil, ...values } = await retentionStore.settings(db);
      const next = values.enabled ? nextRuns(values.schedule, servedUntil, 1)[0] : undefined;
      return {
        settings: toSettingItems(retentionGroup, { values: differencesOf(retentionGroup, values), changes: {} }),
        next_due: next?.toISOString() ?? null,
        bin_days: binDays,
      };
    },

    rules: async () => (await db.retentionRule.findMany({ orderBy: { position: 'asc' } })).map(toRuleObject),

    preview: async (ruleId: string, page: QueryOf<Routes['previewRetentionRule']>): Promise<Preview> => {
      const now = new Date();
      const { own, earlier, allowance, libraryFiles } = await setOf(db, ruleId, now);
      const { rule, files } = own;
      const shown = files.slice((page.page - 1) * page.page_size, page.page * page.page_size);
      const rows = await retentionStore.files(
        db,
        shown.map(({ id }) => id),
      );
      const names = await people.names(rows.map(({ userId }) => userId));
      const items = shown
        .flatMap(({ id }) => rows.filter((row) => row.id === id))
        .map((row) => ({
          file_uuid: row.id,
          title: row.title,
          owner_uuid: row.userId,
          owner_name: names.get(row.userId) ?? null,
          bytes: bytesOf(row),
          upload_time: row.uploadTime.toISOString(),
          last_used_on: row.lastUsedOn.toISOString().slice(0, 10),
          reasons: reasonsOf(rule, row, now),
        }));
      return {
        items,
        total: files.length,
        page: page.page,
        page_size: page.page_size,
        total_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        library_files: libraryFiles,
        would_be_held: admitSets([...earlier.counts, files.length], allowance).at(-1) === 'held',
        legal_holds: await retentionStore.countHeld(db, rule, now),
        earlier_rules: earlier.shared,
      };
    },

    runs: async (query: QueryOf<Routes['retentionRuns']>) => {
      const { page, page_size: size } = query;
      const [rows, total] = await Promise.all([
        db.retentionRun.findMany({ orderBy: { queuedAt: 'desc' }, skip: (page - 1) * size, take: size }),
        db.retentionRun.count(),
      ]);
      const items = await Promise.all(rows.map(({ id }) => readRun(db, id)));
      return { items, total, page, page_size: size };
    },

    items: async (runId: string, query: QueryOf<Routes['retentionItems']>) => {
      const { page, page_size: size, rule_uuid: ruleId } = query;
      const where = { runId, ...(ruleId === undefined ? {} : { ruleId }) };
      if (!(await db.retentionRun.findUnique({ where: { id: runId } }))) throw runMissing();
      const [rows, total] = await Promise.all([
        db.retentionItem.findMany({ where, orderBy: { fileId: 'asc' }, skip: (page - 1) * size, take: size }),
        db.retentionItem.count({ where }),
      ]);
      const files = await retentionStore.files(
        db,
        rows.map(({ fileId }) => fileId),
      );
      const names = await people.names(files.map(({ userId }) => userId));
      const items = rows.map((row): RunItem => {
        const file = files.find(({ id }) => id === row.fileId);
        return {
          file_uuid: row.fileId,
          title: file?.title ?? null,
          owner_uuid: file?.userId ?? null,
          owner_name: names.get(file?.userId ?? '') ?? null,
          bytes: Number(row.bytes),
          rule_uuid: row.ruleId,
          outcome: row.outcome as RunItem['outcome'],
          skip_reason: row.skipReason as RunItem['skip_reason'],
          decided_at: row.decidedAt?.toISOString() ?? null,
        };
      });
      return { items, total, page, page_size: size };
    },
  };
}

/** The set of a rule as the next run would plan it: files of enabled rules before it are not in it. */
async function setOf(db: Db, ruleId: string, now: Date) {
  const rows = await db.retentionRule.findMany({ orderBy: { position: 'asc' } });
  const target = rows.find(({ id }) => id === ruleId);
  if (!target) throw notFound('There is no such rule.');
  const taken = new Set<string>();
  const counts: number[] = [];
  for (const row of rows.slice(0, rows.indexOf(target)).filter(({ enabled }) => enabled)) {
    const files = (await retentionStore.select(db, toRule(row), now)).filter(({ id }) => !taken.has(id));
    counts.push(files.length);
    for (const { id } of files) taken.add(id);
  }
  const rule = toRule(target);
  const selected = await retentionStore.select(db, rule, now);
  const files = selected.filter(({ id }) => !taken.has(id));
  const { max_percent: maxPercent } = await retentionStore.settings(db);
  const libraryFiles = await retentionStore.libraryFiles(db);
  const removedToday = await retentionStore.removedToday(db, now);
  return {
    own: { rule, files },
    earlier: { counts, shared: selected.length - files.length },
    allowance: allowanceOf({ libraryFiles, maxPercent, removedToday }),
    libraryFiles,
  };
}

export function toRuleObject(row: RetentionRule) {
  return {
    uuid: row.id,
    name: row.name,
    enabled: row.enabled,
    removes: row.removes as Removal,
    conditions: row.conditions as RetentionConditions,
    updated_at: row.updatedAt.toISOString(),
  };
}

function runMissing() {
  return notFound('There is no such run.');
}

export async function readRun(db: Db | Tx, id: string): Promise<RunObject> {
  const run = await db.retentionRun.findUnique({
    where: { id },
    include: { rules: { orderBy: { position: 'asc' } } },
  });
  if (!run) throw runMissing();
  const counts = await db.retentionItem.groupBy({
    by: ['ruleId', 'outcome'],
    where: { runId: id },
    _count: true,
    _sum: { bytes: true },
  });
  const rules = run.rules.map((row): RunObject['rules'][number] => {
    const countOf = (outcome: string): { files: number; bytes: number } => {
      const found = counts.find((count) => count.ruleId === row.ruleId && count.outcome === outcome);
      if (!found) return { files: 0, bytes: 0 };
      const { _count: files, _sum: sum } = found;
      return { files, bytes: Number(sum.bytes ?? 0) };
    };
    return {
      rule_uuid: row.ruleId,
      name: row.name,
      removes: row.removes as Removal,
      status: row.status as RunObject['rules'][number]['status'],
      set_digest: row.setDigest,
      planned: row.planned,
      planned_bytes: Number(row.plannedBytes),
      removed: countOf('removed').files,
      removed_bytes: countOf('removed').bytes,
      skipped: countOf('skipped').files,
    };
  });
  return {
    uuid: run.id,
    trigger: run.trigger as RunObject['trigger'],
    status: run.status as RunObject['status'],
    queued_at: run.queuedAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    library_files: run.libraryFiles,
    error_code: run.errorCode,
    rules,
  };
}
