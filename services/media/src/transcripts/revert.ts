import { conflict, notFound } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
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

/** There is room for as many between two segments. */
const maxInserted = 500;

type Exchange = { fileId: string; userId: string; from: SegmentState[]; to: SegmentState[]; current: SegmentState[] };

/** Replaces segments by others of the same transcript. `from`: what they must still be. */
export async function exchange(tx: Tx, { fileId, userId, from, to, current }: Exchange): Promise<void> {
  const byId = (list: readonly SegmentState[]) => new Map(list.map((state) => [state.id, state]));
  const [left, right, now] = [byId(from), byId(to), byId(current)];
  const speakers = new Set((await tx.speaker.findMany({ where: { fileId } })).map(({ id }) => id));
  for (const state of from) {
    const existing = now.get(state.id);
    // The speaker of a correction may have been merged into another one since.
    const isSpeakerKept =
      existing?.speakerId === state.speakerId ||
      right.get(state.id)?.speakerId === state.speakerId ||
      (state.speakerId !== null && !speakers.has(state.speakerId));
    if (!existing || !isSpeakerKept || !isSameText(existing, state)) throw changedSince();
  }
  if (to.some(({ id }) => !left.has(id) && now.has(id))) throw changedSince();

  const removed = from.filter(({ id }) => !right.has(id)).map(({ id }) => id);
  await tx.segment.deleteMany({ where: { id: { in: removed } } });
  const changed: Parameters<typeof updateSegments>[2][number][] = [];
  const groups: SegmentState[][] = [];
  for (const state of to) {
    const { previousId, ...target } = state;
    const speakerId = state.speakerId !== null && speakers.has(state.speakerId) ? state.speakerId : null;
    const source = left.get(state.id);
    if (source) {
      const existing = now.get(state.id) ?? source;
      const kept = source.speakerId === state.speakerId ? existing.speakerId : speakerId;
      changed.push({ ...target, speakerId: kept });
    } else {
      const group = groups.at(-1);
      const restored = { ...target, speakerId, previousId };
      // Those that were next to each other are inserted together.
      if (group && group.length < maxInserted && group.at(-1)?.id === previousId) group.push(restored);
      else groups.push([restored]);
    }
  }
  for (const group of groups) {
    const [first] = group;
    const afterId = first ? await anchorOf(tx, fileId, first, first.previousId) : null;
    const rows = group.map(({ previousId: _, ...row }) => row);
    await insertSegments(tx, { fileId, userId, afterId }, rows);
  }
  await updateSegments(tx, userId, changed);
}

function isSameText(one: SegmentState, other: SegmentState): boolean {
  return one.text === other.text && one.startTime === other.startTime && one.endTime === other.endTime;
}

/** The segment after which a restored one is inserted: the one before it, or by time when that was removed since. */
async function anchorOf(tx: Tx, fileId: string, { startTime }: SegmentState, previousId: string | null) {
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
