import {
  erasureRpc,
  userErasureOrdered,
  type AnswerOf,
  type ErasureReport,
  type ErasureService,
  type ErasureObject,
  type erasureRoutes,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import {
  AppError,
  conflict,
  invalid,
  keyedHashes,
  notFound,
  type Bus,
  type KeyRing,
  type Log,
} from '@overtone/service-kit';
import { randomUUID } from 'node:crypto';
import { writeAudit } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { checkNotLastSuperAdmin, withLockedAccount, type LockedAccount, type RequestContext } from '../users/users.ts';
import { usersStore } from '../users/users.store.ts';
import { normalizedAddress, statusOf, sumCounts, toErasureObject } from './erasure.ts';
import { erasureStore, withReports } from './erasure.store.ts';
import { readLedgerKeys } from './ledger-keys.ts';

export type ErasureDeps = {
  db: Db;
  outbox: Outbox;
  sessions: Sessions;
  bus: Pick<Bus, 'request'>;
  keyRing: () => KeyRing;
  log: Log;
};
type Preview = AnswerOf<typeof erasureRoutes.previewErasure>;
type Blocker = Preview['blockers'][number];
type Running = { id: string; round: number; userId: string };

const noClient = { ip: null, userAgent: null, requestId: null };
/** An order that a service did not answer is sent again after this time, for a broker that lost it. */
const sendAgainMs = 600_000;

/** Erasures of persons: ordered here, carried out by every service that stores data of them, and kept in a ledger. */
export function createErasures(deps: ErasureDeps) {
  return { ...createOrders(deps), ...createProgress(deps), ...createLedger(deps) };
}

function createOrders({ db, outbox, sessions, bus, keyRing }: ErasureDeps) {
  return {
    preview: async (id: string, { caller }: RequestContext): Promise<Preview> => {
      const account = await usersStore.find(db, id);
      if (!account) throw notFound('There is no such account');
      const owned = await bus.request(erasureRpc.describeOwner, { userId: id });
      const superAdmins = await db.user.findMany({ where: { role: 'super_admin' } });
      const { heldFiles, isHeld, bytes, ...media } = owned;
      const blockers = await blockersOf(db, { account, callerId: caller.userId, superAdmins, heldFiles, isHeld });
      return {
        user_uuid: id,
        email: account.email,
        erases: { ...(await erasureStore.countOf(db, id)), ...media },
        bytes,
        blockers,
        remains: ['audit_records', 'backups', 'earlier_mirrors', 'mentions'],
      };
    },

    order: async (id: string, confirmation: string, context: RequestContext): Promise<ErasureObject> => {
      const { heldFiles, isHeld } = await bus.request(erasureRpc.describeOwner, { userId: id });
      const erasureId = await withLockedAccount(
        db,
        { context, targetId: id, needed: 'super_admin', superAdmins: true },
        async (tx, { actor, target, superAdmins }) => {
          if (normalizedAddress(confirmation) !== normalizedAddress(target.email))
            throw invalid('confirmation_mismatch', 'This is not the address of the account. Nothing was erased.');
          const blockers = await blockersOf(tx, {
            account: target,
            callerId: actor.id,
            superAdmins,
            heldFiles,
            isHeld,
          });
          if (blockers.length > 0) throw conflict('erasure_blocked', blockers.map(({ detail }) => detail).join(' '));
          const hashes = hashesOf(keyRing(), id, target.email);
          const { id: created } = await tx.erasure.create({ data: { ...hashes, userId: id, orderedBy: actor.id } });
          const running = { id: created, round: 1, userId: id };
          await eraseHere({ tx, sessions }, running);
          await send(tx, outbox, running);
          // Without the name of the account: this record stays.
          await writeAudit(tx, {
            event: 'admin.erasure.order',
            outcome: 'success',
            actor: actor.id,
            client: context.client,
            details: { erasure: created },
          });
          return created;
        },
      );
      return read(db, erasureId);
    },

    retry: (id: string, context: RequestContext): Promise<ErasureObject> =>
      db.$transaction(async (tx) => {
        await erasureStore.lock(tx, id);
        const row = await erasureStore.find(tx, id);
        if (!row) throw erasureMissing();
        const { round, userId } = row;
        if (userId === null) throw conflict('erasure_done', 'This erasure is done.');
        await eraseHere({ tx, sessions }, { id, round, userId });
        await send(tx, outbox, { id, round, userId });
        await writeAudit(tx, {
          event: 'admin.erasure.retry',
          outcome: 'success',
          actor: context.caller.userId,
          client: context.client,
          details: { erasure: id },
        });
        return toErasureObject((await erasureStore.find(tx, id)) ?? row);
      }),
  };
}

function createProgress({ db, outbox, sessions, keyRing, log }: ErasureDeps) {
  return {
    /** Counts a service's answer once, and closes the erasure with the last one. */
    record: (service: ErasureService, report: ErasureReport, eventId: string): Promise<void> =>
      db.$transaction(async (tx) => {
        await erasureStore.lock(tx, report.erasureId);
        const row = await erasureStore.find(tx, report.erasureId);
        // Of a ledger that a restore has replaced.
        if (!row) {
          log.warn({ erasure: report.erasureId, service }, 'erasure report ignored: unknown erasure');
          return;
        }
        if (await erasureStore.addReport(tx, eventId, service, report)) await update(tx, report.erasureId);
      }),

    /**
     * Opens erasures again whose account is back, because a backup was replayed without the restore command, which does
     * this itself.
     */
    reopenRestored: async (signal: AbortSignal): Promise<void> => {
      const done = await db.erasure.findMany({ where: { status: 'done' }, select: { id: true, subjectHash: true } });
      if (done.length === 0) return;
      const ring = keyRing();
      const earlier = await readLedgerKeys(db, ring);
      const erased = new Map(done.map(({ id, subjectHash }) => [subjectHash, id]));
      for (const { id: userId } of await db.user.findMany({ select: { id: true } })) {
        if (signal.aborted) return;
        const id = keyedHashes(ring, 'erasure subject', userId, earlier)
          .map(({ hash }) => erased.get(hash))
          .find((found) => found !== undefined);
        if (id === undefined) continue;
        await db.$transaction(async (tx) => {
          await erasureStore.lock(tx, id);
          const { round, status } = await tx.erasure.findUniqueOrThrow({ where: { id } });
          if (status !== 'done') return;
          const running = { id, round: round + 1, userId };
          await tx.erasure.update({
            where: { id },
            data: { status: 'running', userId, round: running.round, finishedAt: null },
          });
          await eraseHere({ tx, sessions }, running);
          await send(tx, outbox, running);
        });
        log.warn({ erasure: id }, 'erased account found again: erasure repeated');
      }
    },

    /** Sends orders again that were lost, and those that a restore has opened again. */
    sendUnanswered: async (signal: AbortSignal): Promise<void> => {
      const rows = await db.erasure.findMany({
        where: { userId: { not: null }, sentAt: { lt: new Date(Date.now() - sendAgainMs) } },
      });
      for (const { id, round, userId } of rows) {
        if (signal.aborted) return;
        await db.$transaction(async (tx) => {
          await erasureStore.lock(tx, id);
          const row = await tx.erasure.findUnique({ where: { id } });
          if (row?.userId !== userId || userId === null) return;
          await eraseHere({ tx, sessions }, { id, round, userId });
          await send(tx, outbox, { id, round, userId });
        });
        log.info({ erasure: id, round }, 'erasure order sent again');
      }
    },
  };
}

function createLedger({ db, keyRing }: ErasureDeps) {
  return {
    page: async (page: number, size: number) => {
      const [rows, total] = await Promise.all([
        db.erasure.findMany({
          include: withReports,
          orderBy: { orderedAt: 'desc' },
          skip: (page - 1) * size,
          take: size,
        }),
        db.erasure.count(),
      ]);
      return { items: rows.map(toErasureObject), total, page, page_size: size };
    },

    /** By an address that an administrator enters: the ledger itself has none. */
    findByAddress: async (email: string): Promise<ErasureObject[]> => {
      const ring = keyRing();
      const earlier = await readLedgerKeys(db, ring);
      const hashes = keyedHashes(ring, 'erasure address', normalizedAddress(email), earlier).map(({ hash }) => hash);
      const rows = await db.erasure.findMany({ where: { addressHash: { in: hashes } }, include: withReports });
      return rows.map(toErasureObject);
    },

    hashes: async (id: string, page: number, size: number) => {
      const erasure = await erasureStore.find(db, id);
      if (!erasure) throw erasureMissing();
      const items = await db.$queryRaw<{ sha256: string; round: number }[]>`
        select hash as sha256, round
        from erasure_report, unnest(object_hashes) as hash where erasure_id = ${id}::uuid
        order by round, hash limit ${size} offset ${(page - 1) * size}`;
      const total = erasure.reports.reduce((sum, { objectHashes }) => sum + objectHashes.length, 0);
      return { items, total, page, page_size: size };
    },
  };
}

async function read(db: Db, id: string): Promise<ErasureObject> {
  const row = await erasureStore.find(db, id);
  if (!row) throw erasureMissing();
  return toErasureObject(row);
}

function erasureMissing() {
  return notFound('There is no such erasure.');
}

function hashesOf(ring: KeyRing, userId: string, email: string) {
  const [subject] = keyedHashes(ring, 'erasure subject', userId);
  const [address] = keyedHashes(ring, 'erasure address', normalizedAddress(email));
  if (!subject || !address) throw new AppError('unavailable', 'internal_error', 'There is no key for the ledger.');
  return { keyId: subject.keyId, subjectHash: subject.hash, addressHash: address.hash };
}

/** Sessions end now; the other services learn of it with the order. */
async function eraseHere(
  { tx, sessions }: { tx: Tx; sessions: Sessions },
  { id, round, userId }: Running,
): Promise<void> {
  const account = await tx.user.findUnique({ where: { id: userId } });
  const report = { erasureId: id, round, objectHashes: [], fileIds: [], held: 0, complete: true };
  if (!account) {
    // A restored backup may have files of an account that it does not have itself.
    const known = await tx.erasureReport.count({ where: { erasureId: id, round, service: 'identity' } });
    if (known === 0) await erasureStore.addReport(tx, randomUUID(), 'identity', { ...report, counts: {} });
    return;
  }
  await sessions.endAll(tx, userId, 'account_deleted');
  const audit_records = await erasureStore.anonymiseAudit(tx, userId, account.email);
  const counts = { ...(await erasureStore.eraseAccount(tx, userId, account.email)), audit_records };
  await erasureStore.addReport(tx, randomUUID(), 'identity', { ...report, counts });
}

async function send(tx: Tx, outbox: Outbox, { id, round, userId }: Running): Promise<void> {
  await tx.erasure.update({ where: { id }, data: { sentAt: new Date(), status: 'running' } });
  await outbox.add(tx, userErasureOrdered, { erasureId: id, round, userId });
}

async function update(tx: Tx, id: string): Promise<void> {
  const row = await erasureStore.find(tx, id);
  if (!row || row.userId === null) return;
  const status = statusOf(row.round, row.reports);
  if (status !== 'done') {
    if (status !== row.status) await tx.erasure.update({ where: { id }, data: { status } });
    return;
  }
  // Records of events that arrived while the services worked.
  await erasureStore.anonymiseAudit(tx, row.userId, '');
  await tx.erasure.update({ where: { id }, data: { status, userId: null, finishedAt: new Date() } });
  const counts = sumCounts(row.reports.filter(({ round }) => round === row.round));
  await writeAudit(tx, {
    event: 'admin.erasure.complete',
    outcome: 'success',
    actor: 'erasure',
    client: noClient,
    details: { erasure: id, round: row.round, ...counts },
  });
}

type Situation = {
  account: LockedAccount;
  callerId: string;
  superAdmins: readonly LockedAccount[];
  heldFiles: number;
  isHeld: boolean;
};

async function blockersOf(db: Db | Tx, situation: Situation): Promise<Blocker[]> {
  const { account, callerId, superAdmins, heldFiles, isHeld } = situation;
  const groups = await erasureStore.onlyManagerOf(db, account.id);
  const ordered = await db.erasure.count({ where: { userId: account.id } });
  const names = groups.map(({ name }) => name).join(', ');
  return [
    ...(account.id === callerId ? [{ code: 'own_account' as const, detail: 'You cannot erase yourself.' }] : []),
    ...(isLastSuperAdmin(superAdmins, account)
      ? [{ code: 'last_super_admin' as const, detail: 'This is the last super_admin; the platform needs one.' }]
      : []),
    ...(heldFiles > 0 || isHeld
      ? [
          {
            code: 'legal_hold' as const,
            detail: `A legal hold keeps ${heldFiles} files of this person. Release it first.`,
          },
        ]
      : []),
    ...(groups.length > 0
      ? [
          {
            code: 'only_manager' as const,
            detail: `The person is the only manager of ${names}. Name another manager first.`,
          },
        ]
      : []),
    ...(ordered > 0 ? [{ code: 'already_ordered' as const, detail: 'The erasure of this person is running.' }] : []),
  ];
}

function isLastSuperAdmin(all: readonly LockedAccount[], account: LockedAccount): boolean {
  try {
    checkNotLastSuperAdmin(all, account);
    return false;
  } catch {
    return true;
  }
}
