import { conflict, notFound } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import { planExchange } from './exchange.ts';
import type { OperationKind } from './operations.ts';
import { addCorrection, insertSegments, readStates, updateSegments, type SegmentState } from './operations.store.ts';

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
  const ids = [...new Set([...from, ...to].map(({ id }) => id))];
  const before = await readStates(tx, fileId, ids);
  await exchange(tx, { fileId, userId, from, to, current: before });
  const after = await readStates(tx, fileId, ids);
  const correction = { id: uuid, kinds: row.kinds as OperationKind[], before, after, reverts: revision };
  const undoneIn = await addCorrection(tx, fileId, userId, correction);
  await tx.transcriptOperation.update({
    where: { fileId_revision: { fileId, revision } },
    data: { undoneIn: isUndo ? undoneIn : null },
  });
  return ids;
}

type Exchange = { fileId: string; userId: string; from: SegmentState[]; to: SegmentState[]; current: SegmentState[] };

/** Replaces segments by others of the same transcript. `from`: what they must still be. */
export async function exchange(tx: Tx, { fileId, userId, from, to, current }: Exchange): Promise<void> {
  const speakers = new Set((await tx.speaker.findMany({ where: { fileId } })).map(({ id }) => id));
  const plan = planExchange(from, to, { current, speakers });
  if (!plan) throw changedSince();
  await tx.segment.deleteMany({ where: { id: { in: plan.removed } } });
  for (const group of plan.inserted) {
    const [first] = group;
    const afterId = first ? await anchorOf(tx, fileId, first) : null;
    await insertSegments(tx, { fileId, userId, afterId }, group.map(withoutPrevious));
  }
  await updateSegments(tx, userId, plan.changed.map(withoutPrevious));
}

function withoutPrevious({ previousId: _, ...row }: SegmentState) {
  return row;
}

/** The segment after which a restored one is inserted: the one before it, or by time when that was removed since. */
async function anchorOf(tx: Tx, fileId: string, { startTime, previousId }: SegmentState) {
  if (previousId === null) return null;
  const previous = await tx.segment.findUnique({ where: { id: previousId } });
  if (previous?.fileId === fileId) return previousId;
  const earlier = await tx.segment.findFirst({
    where: { fileId, startTime: { lte: startTime } },
    orderBy: { position: 'desc' },
  });
  return earlier?.id ?? null;
}

function changedSince() {
  return conflict('stale_version', 'This was changed again since. Undoing it would lose the later change.');
}
