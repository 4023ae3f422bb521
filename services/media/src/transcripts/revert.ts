import type { Word } from '@overtone/contracts';
import { conflict, notFound } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import { acceptedWords, keyOf, placedAs, planExchange, type Change } from './exchange.ts';
import type { OperationKind } from './operations.ts';
import {
  addCorrection,
  insertSegments,
  readLastBetween,
  readRevertible,
  readStates,
  updateSegments,
  versionOfRestored,
  type SegmentState,
} from './operations.store.ts';
import { meanConfidence } from './transcripts.ts';

type Revert = { fileId: string; revision: number; userId: string; uuid: string };

/**
 * Undoes the last correction of an account that can be undone, or redoes the one that it has undone last. One that is in the
 * way because an earlier one was undone under it is passed over.
 * @returns the ids of the segments
 */
export async function revertNext(
  tx: Tx,
  { which, ...rest }: Omit<Revert, 'revision'> & { which: 'undo' | 'redo' },
): Promise<string[]> {
  const { fileId, userId } = rest;
  let before: number | undefined;
  for (;;) {
    const revision = (await readRevertible(tx, fileId, userId, before))[which];
    if (revision === null && before === undefined)
      throw conflict('nothing_to_undo', 'There is nothing left to undo or redo.');
    const done = revision === null ? null : await tryRevert(tx, { ...rest, revision });
    if (done) return done;
    if (revision === null || which === 'redo' || !(await isUndoneUnder(tx, fileId, revision))) throw changedSince();
    before = revision;
  }
}

/** Undoes a correction, or redoes one that was undone. @returns the ids of the segments */
export async function revertCorrection(tx: Tx, revert: Revert): Promise<string[]> {
  const done = await tryRevert(tx, revert);
  if (!done) throw changedSince();
  return done;
}

/**
 * Undoes a correction, or redoes one that was undone, as a correction of its own. It touches only what the correction
 * changed: later corrections of other passages, and of the speaker when it changed the text, stay.
 * @returns null when something of it was changed since
 */
async function tryRevert(tx: Tx, { fileId, revision, userId, uuid }: Revert): Promise<string[] | null> {
  const row = await tx.transcriptOperation.findUnique({ where: { fileId_revision: { fileId, revision } } });
  if (!row) throw notFound('This change can no longer be undone.');
  const isUndo = row.undoneIn === null;
  const [from, to] = (isUndo ? [row.after, row.before] : [row.before, row.after]) as unknown as SegmentState[][];
  if (!from || !to) throw notFound('This change can no longer be undone.');
  const undone = row.undoneIn === null ? [] : await readUndone(tx, fileId, row.undoneIn);
  const own = [...from, ...to].map(({ id }) => id);
  const ids = [...new Set([...own, ...(await readPlaces(tx, fileId, acceptedWords({ from, to })))])];
  const before = await readStates(tx, fileId, ids);
  const present = new Set(before.flatMap(({ words }) => words.map(keyOf)));
  const isBack = to.some(({ words }) => words.some((word) => !present.has(keyOf(word))));
  const since = isBack ? await readAcceptedSince(tx, fileId, revision) : [];
  const isDone = await tryExchange(tx, { fileId, userId, from, to: placedAs(to, undone), current: before, since });
  if (!isDone) return null;
  const after = await readStates(tx, fileId, ids);
  const correction = { id: uuid, kinds: row.kinds as OperationKind[], before, after, reverts: revision };
  const undoneIn = await addCorrection(tx, fileId, userId, correction);
  await tx.transcriptOperation.update({
    where: { fileId_revision: { fileId, revision } },
    data: { undoneIn: isUndo ? undoneIn : null },
  });
  return ids;
}

/** Whether an earlier correction of one of the same segments was undone after a correction. */
async function isUndoneUnder(tx: Tx, fileId: string, revision: number): Promise<boolean> {
  const idsOf = ({ before, after }: { before: unknown; after: unknown }): string[] =>
    [...(before as SegmentState[]), ...(after as SegmentState[])].map(({ id }) => id);
  const own = await tx.transcriptOperation.findUniqueOrThrow({ where: { fileId_revision: { fileId, revision } } });
  const ids = new Set(idsOf(own));
  const rows = await tx.transcriptOperation.findMany({
    where: { fileId, revision: { lt: revision }, undoneIn: { gt: revision } },
  });
  return rows.some((row) => idsOf(row).some((id) => ids.has(id)));
}

/** The segments that an undo has replaced, with the places that they had. */
async function readUndone(tx: Tx, fileId: string, revision: number): Promise<SegmentState[]> {
  const undo = await tx.transcriptOperation.findUnique({ where: { fileId_revision: { fileId, revision } } });
  return (undo?.before ?? []) as unknown as SegmentState[];
}

/** The ids of the segments in which words are now. */
async function readPlaces(tx: Tx, fileId: string, words: ReturnType<typeof acceptedWords>): Promise<string[]> {
  if (words.length === 0) return [];
  const starts = words.map(([, { start }]) => start);
  const rows = await tx.segment.findMany({
    where: { fileId, startTime: { lte: Math.max(...starts) }, endTime: { gte: Math.min(...starts) } },
    select: { id: true, words: true },
  });
  const known = new Map(words);
  return rows.filter((row) => (row.words as Word[]).some((word) => known.has(keyOf(word)))).map(({ id }) => id);
}

/** The corrections of accepted words that were applied or reverted after one, in the order in which that was done last. */
async function readAcceptedSince(tx: Tx, fileId: string, revision: number): Promise<Change<SegmentState>[]> {
  const later = await tx.transcriptOperation.findMany({
    where: { fileId, revision: { gt: revision }, kinds: { has: 'accept' satisfies OperationKind } },
    select: { revision: true, reverts: true },
    orderBy: { revision: 'asc' },
  });
  const last = new Map(later.map((row) => [row.reverts ?? row.revision, row.revision]));
  const rows = await tx.transcriptOperation.findMany({ where: { fileId, revision: { in: [...last.keys()] } } });
  return rows
    .toSorted((x, y) => (last.get(x.revision) ?? 0) - (last.get(y.revision) ?? 0))
    .map(({ before, after, undoneIn }) => {
      const [from, to] = undoneIn === null ? [before, after] : [after, before];
      return { from, to } as unknown as Change<SegmentState>;
    });
}

type Exchange = Change<SegmentState> & {
  fileId: string;
  userId: string;
  current: SegmentState[];
  since: Change<SegmentState>[];
};

/** Replaces segments by others of the same transcript. `from`: what they must still be. */
export async function exchange(tx: Tx, change: Omit<Exchange, 'since'>): Promise<void> {
  if (!(await tryExchange(tx, { ...change, since: [] }))) throw changedSince();
}

/** @returns false when a segment was changed since */
async function tryExchange(tx: Tx, { fileId, userId, from, to, current, since }: Exchange): Promise<boolean> {
  const speakers = new Set((await tx.speaker.findMany({ where: { fileId } })).map(({ id }) => id));
  const plan = planExchange(from, to, { current, speakers, since });
  if (!plan) return false;
  const known = new Set([...to, ...current].map(({ words }) => words));
  const withConfidence = (state: SegmentState): SegmentState =>
    known.has(state.words) ? state : { ...state, confidence: meanConfidence(state.words) };
  await tx.segment.deleteMany({ where: { id: { in: plan.removed } } });
  const version = await versionOfRestored(tx, fileId);
  for (const group of plan.inserted) {
    const afterId = await anchorOf(tx, fileId, group);
    const rows = group.map((state) => ({ ...withoutAdjacent(withConfidence(state)), version }));
    await insertSegments(tx, { fileId, userId, afterId }, rows);
  }
  await updateSegments(tx, userId, plan.changed.map(withConfidence).map(withoutAdjacent));
  return true;
}

function withoutAdjacent({ previousId: _, nextId: __, ...row }: SegmentState) {
  return row;
}

/**
 * The segment after which adjacent restored ones are inserted: the one before them, or by time when that was removed
 * since. What stands before the next one now, such as a part that was split off, keeps the order of time.
 */
async function anchorOf(tx: Tx, fileId: string, group: readonly SegmentState[]): Promise<string | null> {
  const { startTime = 0, previousId = null } = group[0] ?? {};
  const nextId = group.at(-1)?.nextId ?? null;
  const positionOf = async (id: string | null): Promise<number | undefined> =>
    id === null ? undefined : (await tx.segment.findFirst({ where: { fileId, id } }))?.position;
  const previous = await positionOf(previousId);
  if (previousId === null || previous !== undefined) {
    const between = await readLastBetween(tx, fileId, { after: previous ?? null, nextId, startTime });
    return between ?? previousId;
  }
  const next = await positionOf(nextId);
  const earlier = await tx.segment.findFirst({
    where: { fileId, startTime: { lte: startTime }, ...(next !== undefined && { position: { lt: next } }) },
    orderBy: { position: 'desc' },
  });
  return earlier?.id ?? null;
}

function changedSince() {
  return conflict('stale_version', 'This was changed again since. Undoing it would lose the later change.');
}
