import { maxNamedVersions, type AnswerOf, type mediaRoutes } from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';
import type { Outbox } from '@overtone/database';
import { conflict, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, usableFile, type UsableFile } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import type { NamedVersion } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskSegment, type Mask } from '../redaction/redaction.ts';
import { keyOf, maskFor, readDetectorVersion } from '../redaction/redaction.store.ts';
import type { OperationKind } from './operations.ts';
import { addCorrection, lastRevision, readStates, type SegmentState } from './operations.store.ts';
import { exchange } from './revert.ts';
import { longTransaction } from './transcripts.ts';
import { markEdited } from './transcripts.store.ts';
import { compareTranscripts, type ShownPassage } from './differences.ts';
import { createHistory } from './history.ts';

type VersionObject = AnswerOf<(typeof mediaRoutes)['nameVersion']>;
type Deps = { db: Db; outbox: Outbox; people: Pick<People, 'names'> };
/** An earlier state and the present one, with the ids of what corrections between them changed. */
type Earlier = { states: SegmentState[]; present: SegmentState[]; touched: Set<string>; kinds: Set<OperationKind> };

/** Corrections that are in memory at once. */
const batchSize = 100;

/**
 * Versions of a transcript. A version is a name of a place in the history of corrections: its text is what remains when
 * the corrections since then are taken back.
 */
export function createVersions({ db, outbox, people }: Deps) {
  return {
    list: async (caller: Caller, fileId: string) => {
      await usableFile(db, caller, fileId, 'read');
      const rows = await db.namedVersion.findMany({ where: { fileId }, orderBy: { createdAt: 'desc' } });
      const names = await people.names(rows.flatMap(({ userId }) => userId ?? []));
      const last = await lastRevision(db, fileId);
      const corrections = await db.transcriptOperation.count({ where: { fileId, replaced: false } });
      return { items: rows.map((row) => toVersionObject(row, names, last)), corrections };
    },

    name: async (caller: Caller, fileId: string, name: string): Promise<VersionObject> => {
      const names = await people.names([caller.userId]);
      return db.$transaction(async (tx) => {
        await lockedFile(tx, caller, fileId, 'edit');
        if ((await tx.namedVersion.count({ where: { fileId } })) >= maxNamedVersions)
          throw conflict('too_many_versions', `There are ${maxNamedVersions} versions already. Remove one first.`);
        const revision = await lastRevision(tx, fileId);
        const row = await tx.namedVersion.create({ data: { fileId, name, revision, userId: caller.userId } });
        return toVersionObject(row, names, revision);
      });
    },

    remove: (caller: Caller, fileId: string, id: string) =>
      db.$transaction(async (tx) => {
        await lockedFile(tx, caller, fileId, 'edit');
        const { count } = await tx.namedVersion.deleteMany({ where: { id, fileId } });
        if (count === 0) throw noSuchVersion();
        return { uuid: id };
      }),

    compare: async (caller: Caller, fileId: string, versionId: string | undefined) => {
      const shown = await db.$transaction(async (tx) => {
        const file = await usableFile(tx, caller, fileId, 'read');
        const { states, present } = await readEarlier(tx, file, versionId);
        const show = await createShow(tx, caller, file);
        return { before: states.map(show), after: present.map(show) };
      }, longTransaction);
      return compareTranscripts(shown.before, shown.after);
    },

    restore: (caller: Caller, fileId: string, { uuid, versionId }: { uuid: string; versionId: string | undefined }) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const known = await tx.transcriptOperation.findUnique({ where: { fileId_id: { fileId, id: uuid } } });
        if (known) return { transcript_version: file.transcriptVersion, changed: (known.after as unknown[]).length };
        const { states, present, touched, kinds } = await readEarlier(tx, file, versionId);
        const isTouched = ({ id }: SegmentState): boolean => touched.has(id);
        const [from, to] = [present.filter(isTouched), states.filter(isTouched)];
        if (touched.size === 0) return { transcript_version: file.transcriptVersion, changed: 0 };
        await exchange(tx, { fileId, userId: caller.userId, from, to, current: from });
        const after = await readStates(tx, fileId, [...touched]);
        const correction = { id: uuid, kinds: [...kinds], before: from, after };
        await addCorrection(tx, fileId, caller.userId, correction);
        const version = await markEdited(tx, outbox, file, caller.userId);
        return { transcript_version: version, changed: touched.size };
      }, longTransaction),
  };
}

function toVersionObject(row: NamedVersion, names: ReadonlyMap<string, string>, last: number): VersionObject {
  return {
    uuid: row.id,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    user_id: row.userId,
    user_name: names.get(row.userId ?? '') ?? null,
    corrections_since: last - row.revision,
    available: !row.replaced,
  };
}

/** @param versionId absent: the automatic transcript */
async function readEarlier(tx: Tx, file: UsableFile, versionId: string | undefined): Promise<Earlier> {
  const fileId = file.id;
  const revision = versionId === undefined ? 0 : await readRevision(tx, fileId, versionId);
  const ids = await tx.segment.findMany({ where: { fileId }, select: { id: true } });
  const present = await readStates(
    tx,
    fileId,
    ids.map(({ id }) => id),
  );
  const history = createHistory(present);
  const touched = new Set<string>();
  const kinds = new Set<OperationKind>();
  let until: number | undefined;
  for (;;) {
    const rows = await tx.transcriptOperation.findMany({
      where: { fileId, replaced: false, revision: { gt: revision, ...(until !== undefined && { lt: until }) } },
      orderBy: { revision: 'desc' },
      take: batchSize,
    });
    for (const row of rows) {
      const [before, after] = [row.before, row.after] as unknown as [SegmentState[], SegmentState[]];
      history.takeBack({ before, after });
      for (const { id } of [...before, ...after]) touched.add(id);
      for (const kind of row.kinds) kinds.add(kind as OperationKind);
    }
    until = rows.at(-1)?.revision;
    if (rows.length < batchSize) return { states: history.states(), present, touched, kinds };
  }
}

async function readRevision(tx: Tx, fileId: string, id: string): Promise<number> {
  const row = await tx.namedVersion.findUnique({ where: { id } });
  if (row?.fileId !== fileId) throw noSuchVersion();
  if (row.replaced)
    throw conflict(
      'version_unavailable',
      'The transcript was replaced after this version was named, by a run or an import.',
    );
  return row.revision;
}

/** Passages as the caller sees them. One that the present rules have not scanned is withheld where anything is masked. */
async function createShow(tx: Tx, caller: Caller, file: UsableFile): Promise<(state: SegmentState) => ShownPassage> {
  const { kinds } = await maskFor(tx, caller, file);
  const mask: Mask = { kinds, withholdsUnscanned: kinds.size > 0 };
  const detector = await readDetectorVersion(tx);
  const rows = await tx.speaker.findMany({ where: { fileId: file.id } });
  const speakers = new Map(
    rows.map((row) => [row.id, { uuid: row.id, name: row.name, display_name: row.displayName }]),
  );
  return ({ id, startTime, endTime, text, speakerId, redactions, redactionKey }) => {
    const scan = { found: redactions, scanned: redactionKey === keyOf(text, detector) };
    const shown = maskSegment({ text, words: [], speaker: speakers.get(speakerId ?? '') ?? null }, scan, mask);
    const speaker = shown.speaker ? speakerName(shown.speaker) : null;
    return { id, start: startTime, end: endTime, speaker, text: shown.text };
  };
}

function noSuchVersion() {
  return notFound('There is no such version.');
}
