import { retentionGroup, type AnswerOf, type BodyOf, type mediaRoutes } from '@overtone/contracts';
import { changeDetails, type Outbox } from '@overtone/database';
import { scheduleFault } from '@overtone/jobs';
import { conflict, invalid, notFound } from '@overtone/service-kit';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Prisma, RetentionRule } from '../generated/client.ts';
import { readRun, toRuleObject } from './retention.read-model.ts';
import { retentionStore } from './retention.store.ts';
import { enqueueRun } from './runs.service.ts';

type Routes = typeof mediaRoutes;
type RuleObject = AnswerOf<Routes['createRetentionRule']>;
type RunObject = AnswerOf<Routes['runRetention']>;

/** Changes rules and settings, requests runs and approves held sets. */
export function createRetentionRules({ db, outbox }: { db: Db; outbox: Outbox }) {
  return { ...createChanges({ db, outbox }), ...createRequests({ db, outbox }) };
}

function createChanges({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    create: (actor: Actor, body: BodyOf<Routes['createRetentionRule']>): Promise<RuleObject> =>
      db.$transaction(async (tx) => {
        await lockRules(tx);
        const { _max: last } = await tx.retentionRule.aggregate({ _max: { position: true } });
        const position = (last.position ?? 0) + 1;
        const row = await tx.retentionRule.create({
          data: { ...columnsOf(body), position } as Prisma.RetentionRuleCreateInput,
        });
        await recordOperation(tx, outbox, actor, 'retention_rule_created', detailsOf(row));
        return toRuleObject(row);
      }),

    update: (actor: Actor, id: string, body: BodyOf<Routes['updateRetentionRule']>): Promise<RuleObject> =>
      db.$transaction(async (tx) => {
        await findRule(tx, id);
        const data = { ...columnsOf(body), version: { increment: 1 } };
        const row = await tx.retentionRule.update({ where: { id }, data });
        await recordOperation(tx, outbox, actor, 'retention_rule_changed', detailsOf(row));
        return toRuleObject(row);
      }),

    remove: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const row = await findRule(tx, id);
        await tx.retentionRule.delete({ where: { id } });
        await recordOperation(tx, outbox, actor, 'retention_rule_deleted', detailsOf(row));
        return undefined;
      }),

    order: (actor: Actor, ids: string[]): Promise<RuleObject[]> =>
      db.$transaction(async (tx) => {
        await lockRules(tx);
        const rows = await tx.retentionRule.findMany();
        if (rows.length !== ids.length || rows.some(({ id }) => !ids.includes(id)))
          throw conflict('stale_version', 'The rules have changed. Load them again.');
        for (const [i, id] of ids.entries())
          await tx.retentionRule.update({ where: { id }, data: { position: i + 1 } });
        await recordOperation(tx, outbox, actor, 'retention_rules_ordered', { rules: ids.join(' ') });
        return (await tx.retentionRule.findMany({ orderBy: { position: 'asc' } })).map(toRuleObject);
      }),

    updateSettings: async (actor: Actor, body: BodyOf<Routes['updateRetentionSettings']>): Promise<void> => {
      const details = changeDetails(retentionGroup, body);
      const fault = body.schedule ? scheduleFault(body.schedule) : null;
      if (fault !== null) throw invalid('schedule_invalid', fault, { errors: [{ path: 'schedule', message: fault }] });
      await db.$transaction(async (tx) => {
        await retentionStore.changeSettings(tx, body);
        await recordOperation(tx, outbox, actor, 'retention_settings_changed', details);
      });
    },
  };
}

function createRequests({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    requestRun: (actor: Actor): Promise<RunObject> =>
      db.$transaction(async (tx) => {
        const id = await enqueueRun(tx, 'manual');
        if (id === undefined) throw running();
        await recordOperation(tx, outbox, actor, 'retention_run', { run: id });
        return readRun(tx, id);
      }),

    /** Continues a run with one held set. The digest proves that the set is the one that was looked at. */
    approve: (actor: Actor, runId: string, body: BodyOf<Routes['approveRetention']>): Promise<RunObject> =>
      db.$transaction(async (tx) => {
        const { rule_uuid: ruleId, set_digest: setDigest } = body;
        const { count } = await tx.retentionRunRule.updateMany({
          where: { runId, ruleId, setDigest, status: 'held' },
          data: { status: 'approved', approvedBy: actor.userId, approvedAt: new Date() },
        });
        if (count === 0)
          throw conflict('retention_not_held', 'This set of files is not held any more. Look at the latest run.');
        const others = await tx.retentionRun.count({
          where: { status: { in: ['queued', 'running'] }, id: { not: runId } },
        });
        if (others > 0) throw running();
        await tx.retentionRun.update({
          where: { id: runId },
          data: { status: 'running', finishedAt: null, leaseUntil: null },
        });
        await recordOperation(tx, outbox, actor, 'retention_approved', { run: runId, rule: ruleId, set: setDigest });
        return readRun(tx, runId);
      }),
  };
}

function running() {
  return conflict('retention_running', 'A retention run is queued or running. Wait until it has ended.');
}

async function findRule(tx: Tx, id: string): Promise<RetentionRule> {
  await lockRules(tx);
  const row = await tx.retentionRule.findUnique({ where: { id } });
  if (!row) throw notFound('There is no such rule.');
  return row;
}

/** Serializes changes of the list. */
function lockRules(tx: Tx) {
  return tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('retention_rule', 0))`;
}

type RuleFields = BodyOf<Routes['updateRetentionRule']>;

function columnsOf({ name, enabled, removes, conditions }: RuleFields) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(removes === undefined ? {} : { removes }),
    ...(conditions === undefined ? {} : { conditions: conditions as Prisma.InputJsonObject }),
  };
}

function detailsOf({ id, name, enabled, removes, conditions }: RetentionRule) {
  return { rule: id, name, enabled: String(enabled), removes, conditions: JSON.stringify(conditions) };
}
