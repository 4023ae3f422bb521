import { conflict, notFound } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import { placedAs, planExchange } from './exchange.ts';
import type { OperationKind } from './operations.ts';
import {
  addCorrection,
  insertSegments,
  readLastBetween,
  readStates,
  updateSegments,
  versionOfRestored,
  type SegmentState,
} from './operations.store.ts';
import { meanConfidence } from './transcripts.ts';

type Revert = { fileId: string; revision: number; userId: string; uuid: string };

/**
 * Undoes a correction, or redoes one that was undone, as a correction of its own. It touches only what the correction
 * changed: later corrections of other passages, and of the speaker when it changed the text, stay.
 * @returns the ids of the segments
 */
export async function revertCorrection(tx: Tx, { fileId, revision, userId, uuid }: Revert): Promise<string[]> {
  const row = await tx.transcriptOperation.findUnique({ where: { fileId_revision: { fileId, revision } } });
  if (!row) throw notFound('This change can no longer be undone.');
  const isUndo = row.undoneIn === null;
  const [from, to] = (isUndo ? [row.after, row.before] : [row.before, row.after]) as unknown as SegmentState[][];
  if (!from || !to) throw notFound('This change can no longer be undone.');
  const undone = row.undoneIn === null ? [] : await readUndone(tx, fileId, row.undoneIn);
  const ids = [...new Set([...from, ...to].map(({ id }) => id))];
  const before = await readStates(tx, fileId, ids);
  await exchange(tx, { fileId, userId, from, to: placedAs(to, undone), current: before });
  const after = await readStates(tx, fileId, ids);
  const correction = { id: uuid, kinds: row.kinds as OperationKind[], before, after, reverts: revision };
  const undoneIn = await addCorrection(tx, fileId, userId, correction);
  await tx.transcriptOperation.update({
    where: { fileId_revision: { fileId, revision } },
    data: { undoneIn: isUndo ? undoneIn : null },
  });
  return ids;
}

/** The segments that an undo has replaced, with the places that they had. */
async function readUndone(tx: Tx, fileId: string, revision: number): Promise<SegmentState[]> {
  const undo = await tx.transcriptOperation.findUnique({ where: { fileId_revision: { fileId, revision } } });
  return (undo?.before ?? []) as unknown as SegmentState[];
}

type Exchange = { fileId: string; userId: string; from: SegmentState[]; to: SegmentState[]; current: SegmentState[] };

/** Replaces segments by others of the same transcript. `from`: what they must still be. */
export async function exchange(tx: Tx, { fileId, userId, from, to, current }: Exchange): Promise<void> {
  const speakers = new Set((await tx.speaker.findMany({ where: { fileId } })).map(({ id }) => id));
  const plan = planExchange(from, to, { current, speakers });
  if (!plan) throw changedSince();
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
