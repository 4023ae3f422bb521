import {
  differencesOf,
  mediaEvents,
  redactionGroup,
  toSettingItems,
  type AnswerOf,
  type BodyOf,
  type RedactionKind,
  type RedactionPolicy,
  type redactionRoutes,
} from '@overtone/contracts';
import { changeDetails, withChanges, type Outbox } from '@overtone/database';
import { forbidden, notFound } from '@overtone/service-kit';
import { lockedFile, usableFile, type UsableFile } from '../access/access.store.ts';
import { auditAction, recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { markMasked } from '../transcripts/transcripts.store.ts';
import { audienceOf, isTighter, policyKinds, type FoundSpan } from './redaction.ts';
import { readPolicy, readPreference } from './redaction.store.ts';

type Routes = typeof redactionRoutes;
type FileAnswer = AnswerOf<Routes['fileRedaction']>;
type Choice = BodyOf<Routes['updateRedactionPreference']>;
type Deps = { db: Db; outbox: Outbox };

/** What is masked: the policy, the owner's choices, and single parts that are revealed. */
export function createRedaction({ db, outbox }: Deps) {
  return {
    policy: () => policyAnswer(db),

    changePolicy: async (actor: Actor, change: BodyOf<Routes['updateRedactionPolicy']>) => {
      const details = changeDetails(redactionGroup, change);
      await db.$transaction(async (tx) => {
        await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('redaction_policy'))`;
        const before = await readPolicy(tx);
        const policy = withoutDuplicates(withChanges(redactionGroup, before, change));
        const stored = { policy, updatedAt: new Date(), updatedBy: actor.userId };
        await tx.redactionPolicy.upsert({
          where: { id: true },
          create: { id: true, ...stored },
          update: { ...stored, version: { increment: 1 } },
        });
        if (isTighter(policy, before))
          await outbox.add(tx, mediaEvents.masksTightened, { ownerId: null, fileId: null });
        await recordOperation(tx, outbox, actor, 'redaction_policy_changed', details);
      });
      return policyAnswer(db);
    },

    preference: async (userId: string): Promise<Choice> => ({
      masked_kinds: (await readPreference(db, userId)) as RedactionKind[],
    }),

    changePreference: async (userId: string, { masked_kinds }: Choice): Promise<Choice> => {
      const kinds = [...new Set(masked_kinds)];
      await db.$transaction(async (tx) => {
        const before = await readPreference(tx, userId);
        await tx.redactionPreference.upsert({ where: { userId }, create: { userId, kinds }, update: { kinds } });
        // Masks are published by the version of the policy, so its row must exist.
        await tx.$executeRaw`
          insert into redaction_policy (policy, version) values (${JSON.stringify(await readPolicy(tx))}::jsonb, 0)
          on conflict do nothing`;
        await tx.mediaFile.updateMany({ where: { userId }, data: { redactionMaskVersion: -1 } });
        if (kinds.some((kind) => !before.includes(kind)))
          await outbox.add(tx, mediaEvents.masksTightened, { ownerId: userId, fileId: null });
      });
      return { masked_kinds: kinds };
    },

    file: async (actor: Actor, id: string): Promise<FileAnswer> =>
      fileAnswer(db, actor, await usableFile(db, actor, id, 'read')),

    changeFile: (actor: Actor, id: string, { masked_kinds }: Choice): Promise<FileAnswer> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, id, 'own');
        const redactionKinds = [...new Set(masked_kinds)];
        if (redactionKinds.some((kind) => !file.redactionKinds.includes(kind)))
          await outbox.add(tx, mediaEvents.masksTightened, { ownerId: file.userId, fileId: id });
        const version = await markMasked(tx, outbox, file);
        const isScannedNow = file.redactionVersion === file.transcriptVersion;
        const changed = await tx.mediaFile.update({
          where: { id },
          data: { redactionKinds, ...(isScannedNow && version > 0 ? { redactionVersion: version } : {}) },
        });
        const details = { masked_kinds: redactionKinds.join(', ') };
        await auditAction(tx, outbox, 'redaction_changed', { file, actor, details });
        return fileAnswer(tx, actor, { ...changed, permission: file.permission });
      }),

    reveal: (actor: Actor, fileId: string, uuid: string) =>
      db.$transaction(async (tx) => {
        const file = await usableFile(tx, actor, fileId, 'read');
        if (!(await mayReveal(tx, actor, file)))
          throw forbidden('permission_required', 'You are not allowed to reveal masked text in this file.');
        const segment = await tx.segment.findFirst({
          where: { fileId, redactions: { array_contains: [{ uuid }] } },
        });
        const span = (segment?.redactions as FoundSpan[] | undefined)?.find((found) => found.uuid === uuid);
        if (!segment || !span) throw notFound('This masked text does not exist any more.');
        const details = { kind: span.kind, segment: segment.id };
        await auditAction(tx, outbox, 'text_revealed', { file, actor, details });
        return { kind: span.kind, text: segment.text.slice(span.start, span.end) };
      }),
  };
}

async function mayReveal(db: Db | Tx, actor: Actor, file: UsableFile): Promise<boolean> {
  return (await readPolicy(db)).reveal_for.includes(audienceOf(actor, file));
}

function withoutDuplicates(policy: RedactionPolicy): RedactionPolicy {
  const unique = Object.entries(policy).map(([key, value]) => [
    key,
    Array.isArray(value) ? [...new Set(value)] : value,
  ]);
  return Object.fromEntries(unique) as RedactionPolicy;
}

async function policyAnswer(db: Db): Promise<AnswerOf<Routes['redactionPolicy']>> {
  const row = await db.redactionPolicy.findFirst();
  const [counts] = await db.$queryRaw<Record<'files' | 'scanned_files' | 'failed_files' | 'outdated_files', number>[]>`
    select count(*)::int as files,
      (count(*) filter (where redaction_version = transcript_version))::int as scanned_files,
      (count(*) filter (where redaction_error is not null))::int as failed_files,
      (count(*) filter (where redaction_mask_version < ${row?.version ?? 0}))::int as outdated_files
    from media_file where transcript_version > 0 and deleted_at is null`;
  const values = differencesOf(redactionGroup, await readPolicy(db));
  const changed = row ? { at: row.updatedAt, by: row.updatedBy } : null;
  // One row contains the policy: its settings share the time of their last change.
  const changes = Object.fromEntries(Object.keys(values).flatMap((key) => (changed ? [[key, changed]] : [])));
  return {
    settings: toSettingItems(redactionGroup, { values, changes }),
    ...(counts ?? { files: 0, scanned_files: 0, failed_files: 0, outdated_files: 0 }),
  };
}

async function fileAnswer(db: Db | Tx, actor: Actor, file: UsableFile): Promise<FileAnswer> {
  const policy = await readPolicy(db);
  const found = await db.$queryRaw<{ kind: RedactionKind; count: number }[]>`
    select r.kind, count(*)::int as count
    from transcript_segment t, jsonb_to_recordset(t.redactions) as r(kind text)
    where t.media_file_id = ${file.id}::uuid group by r.kind`;
  return {
    masked_kinds: file.redactionKinds as RedactionKind[],
    account_kinds: (await readPreference(db, file.userId)) as RedactionKind[],
    policy_kinds: policyKinds(policy, audienceOf(actor, file)),
    scan_status: scanStatus(file),
    coverage: file.redactionCoverage ?? 0,
    scanned_at: file.redactionScannedAt?.toISOString() ?? null,
    found: Object.fromEntries(found.map(({ kind, count }) => [kind, count])),
    can_reveal: policy.reveal_for.includes(audienceOf(actor, file)),
  };
}

function scanStatus(file: UsableFile): FileAnswer['scan_status'] {
  if (file.transcriptVersion === 0) return 'none';
  if (file.redactionError !== null) return 'failed';
  return file.redactionVersion === file.transcriptVersion ? 'scanned' : 'pending';
}
