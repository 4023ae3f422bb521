import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { BodyOf, CorrectionResult, mediaRoutes, Word } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { maskText, restoreMasked } from '@overtone/redaction';
import { conflict, invalid, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, usableFile, type UsableFile } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import type { Segment } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskedSpans, type FoundSpan, type Mask } from '../redaction/redaction.ts';
import { keyOf, maskFor, readDetectorVersion, scanAround } from '../redaction/redaction.store.ts';
import {
  areTimesInOrder,
  aroundOf,
  hasGivenTimes,
  isAccepted,
  kindsOf,
  replacePassages,
  type Around,
  type OperationKind,
  type Passage,
  type Piece,
} from './operations.ts';
import {
  addCorrection,
  insertSegments,
  lastRevision,
  readAdjacent,
  readRevertible,
  readStates,
  updateSegment,
  updateSegments,
  versionOfRestored,
  type SegmentState,
} from './operations.store.ts';
import { revertCorrection, revertNext } from './revert.ts';
import { longTransaction, meanConfidence, type TextChange } from './transcripts.ts';
import { markEdited, readSegmentsById, withEditorNames } from './transcripts.store.ts';

type Operation = BodyOf<(typeof mediaRoutes)['applyOperations']>['operations'][number];
type Request = BodyOf<(typeof mediaRoutes)['applyOperations']>;
/** What a reader does not see, and the rules by which the text was scanned. */
type Masking = { mask: Mask; version: string };
type Context = { tx: Tx; caller: Caller; file: UsableFile; masking: Masking };

/** Ends a passage in a text of several; spaces in a text of a person are replaced. */
const separator = '\u2029';

/**
 * Corrections of a transcript. Each is stored with the segments before and after it: nothing that was transcribed is lost,
 * and everybody can undo their own corrections. Of two edits of one version the second is rejected.
 */
export function createCorrections({ db, outbox, people }: { db: Db; outbox: Outbox; people: Pick<People, 'names'> }) {
  const withNames = async (result: CorrectionResult): Promise<CorrectionResult> => {
    return { ...result, segments: await withEditorNames(people, result.segments) };
  };
  /** Runs a request on the locked file once; a repeated one only reads its result. */
  const once = async (
    caller: Caller,
    fileId: string,
    uuid: string,
    work: (context: Context) => Promise<string[]>,
  ): Promise<CorrectionResult> => {
    const result = await db.$transaction(async (tx) => {
      const file = await lockedFile(tx, caller, fileId, 'edit');
      const masking = { mask: await maskFor(tx, caller, file), version: await readDetectorVersion(tx) };
      const known = await tx.transcriptOperation.findUnique({ where: { fileId_id: { fileId, id: uuid } } });
      const context = { tx, caller, file, masking };
      const ids = [...new Set(known ? idsOf(known.before, known.after) : await work(context))];
      const stored = await tx.mediaFile.findUniqueOrThrow({ where: { id: fileId } });
      return readResult(context, ids, stored.transcriptVersion);
    }, longTransaction);
    return withNames(result);
  };

  const revert = (caller: Caller, fileId: string, uuid: string, which: 'undo' | 'redo') =>
    once(caller, fileId, uuid, async ({ tx, file }) => {
      const done = await revertNext(tx, { fileId, userId: caller.userId, uuid, which });
      await markEdited(tx, outbox, file, caller.userId);
      return done;
    });

  return {
    apply: (caller: Caller, fileId: string, { uuid, operations }: Request) =>
      once(caller, fileId, uuid, async (context) => {
        const isChanged = await applyOperations(context, { uuid, operations });
        if (isChanged) await markEdited(context.tx, outbox, context.file, caller.userId);
        return operations.flatMap(({ segments, replacement }) => [...segments, ...replacement].map((one) => one.uuid));
      }),
    /** New texts of many passages as one correction. */
    replaceTexts: (caller: Caller, fileId: string, { uuid, changes }: { uuid: string; changes: TextChange[] }) =>
      once(caller, fileId, uuid, async (context) => {
        const isChanged = await applyTexts(context, { uuid, changes });
        if (isChanged) await markEdited(context.tx, outbox, context.file, caller.userId);
        return changes.map((change) => change.uuid);
      }),
    /** Undoes one correction of the caller, also when there are later ones of other passages. Repeated, it changes nothing. */
    undoCorrection: (caller: Caller, fileId: string, uuid: string): Promise<void> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const known = await tx.transcriptOperation.findUnique({ where: { fileId_id: { fileId, id: uuid } } });
        if (known?.userId !== caller.userId || known.replaced)
          throw conflict('nothing_to_undo', 'There is nothing left to undo.');
        if (known.undoneIn !== null) return;
        const { revision } = known;
        await revertCorrection(tx, { fileId, revision, userId: caller.userId, uuid: randomUUID() });
        await markEdited(tx, outbox, file, caller.userId);
      }, longTransaction),
    undo: (caller: Caller, fileId: string, uuid: string) => revert(caller, fileId, uuid, 'undo'),
    redo: (caller: Caller, fileId: string, uuid: string) => revert(caller, fileId, uuid, 'redo'),

    list: async (caller: Caller, fileId: string, { before, limit }: { before?: number | undefined; limit: number }) => {
      await usableFile(db, caller, fileId, 'read');
      const where = { fileId, ...(before !== undefined && { revision: { lt: before } }) };
      const rows = await db.transcriptOperation.findMany({ where, orderBy: { revision: 'desc' }, take: limit });
      const names = await people.names(rows.flatMap(({ userId }) => userId ?? []));
      const items = rows.map((row) => ({
        uuid: row.id,
        revision: row.revision,
        user_id: row.userId,
        user_name: names.get(row.userId ?? '') ?? null,
        created_at: row.createdAt.toISOString(),
        kinds: row.kinds as OperationKind[],
        segment_uuids: idsOf(row.before, row.after),
        reverts: row.reverts,
        undone: row.undoneIn !== null,
      }));
      return db.$transaction(async (tx) => ({ items, ...(await readHistoryState(tx, caller, fileId)) }));
    },
  };
}

export type Corrections = ReturnType<typeof createCorrections>;

async function readHistoryState(tx: Tx, { userId }: Caller, fileId: string) {
  const { undo, redo } = await readRevertible(tx, fileId, userId);
  return { revision: await lastRevision(tx, fileId), can_undo: undo !== null, can_redo: redo !== null };
}

function idsOf(before: unknown, after: unknown): string[] {
  return [...new Set([...(before as SegmentState[]), ...(after as SegmentState[])].map(({ id }) => id))];
}

async function readResult(
  { tx, caller, file, masking }: Context,
  ids: string[],
  transcriptVersion: number,
): Promise<CorrectionResult> {
  const segments = await readSegmentsById(tx, file.id, ids, masking.mask);
  const adjacent = await readAdjacent(tx, file.id, ids);
  const found = new Set(segments.map(({ uuid }) => uuid));
  return {
    ...(await readHistoryState(tx, caller, file.id)),
    transcript_version: transcriptVersion,
    segments: segments.map((segment) => ({
      ...segment,
      previous_uuid: adjacent.get(segment.uuid)?.previousId ?? null,
    })),
    removed: ids.filter((id) => !found.has(id)),
  };
}

/** Applies the operations in their order and stores them as one correction. @returns whether they changed anything. */
async function applyOperations(context: Context, { uuid, operations }: Request): Promise<boolean> {
  const { tx, caller, file } = context;
  await checkSpeakers(tx, file.id, operations);
  // All of them, before the first is deleted: each is restored after the one that was before it.
  const before = await readStates(
    tx,
    file.id,
    operations.flatMap(({ segments }) => segments.map((segment) => segment.uuid)),
  );
  const touched = new Set<string>();
  const kinds = new Set<OperationKind>();
  for (const operation of operations) {
    const ids = operation.segments.map((segment) => segment.uuid);
    // A segment that an earlier operation of this request has changed has another version than the client knows.
    const run = await readRun(tx, file.id, operation, touched);
    const done = await applyOperation(context, operation, run);
    for (const id of [...ids, ...operation.replacement.map((piece) => piece.uuid)]) touched.add(id);
    for (const kind of done) kinds.add(kind);
  }
  if (kinds.size === 0) return false;
  const after = await readStates(tx, file.id, [...touched]);
  const correction = { id: uuid, kinds: [...kinds], before, after };
  await addCorrection(tx, file.id, caller.userId, correction);
  return true;
}

/** Passages that are scanned at once, and how far apart two changed ones may be for that. */
const scanLimits = { passages: 200, apart: 30 };

/**
 * Applies new texts of passages, each separately, in a few statements for all of them. A passage that is shown otherwise now
 * is refused: its masked parts could be others.
 */
async function applyTexts(context: Context, { uuid, changes }: { uuid: string; changes: readonly TextChange[] }) {
  const { tx, caller, file, masking } = context;
  const wanted = new Map(changes.map((change) => [change.uuid, change]));
  const rows = await tx.segment.findMany({
    where: { fileId: file.id, id: { in: [...wanted.keys()] } },
    orderBy: { position: 'asc' },
  });
  if (rows.length !== wanted.size) throw notFound('There is no such segment.');
  const updates: Parameters<typeof updateSegments>[2][number][] = [];
  const kept = new Map<string, FoundSpan[]>();
  for (const row of rows) {
    const change = wanted.get(row.id);
    if (change?.version !== row.version) throw staleVersion(row);
    const operation = {
      segments: [{ uuid: row.id }],
      after_uuid: null,
      replacement: [{ uuid: row.id, text: change.text }],
    };
    const { pieces, spans } = readPieces(operation, [row], masking, change.shown);
    const passage: Passage = { ...row, words: row.words as Word[] };
    const [next] = replacePassages([passage], pieces, { start: row.startTime, end: row.endTime });
    if (!next || kindsOf([passage], [next]).length === 0) continue;
    updates.push({ ...next, confidence: meanConfidence(next.words) });
    kept.set(next.id, spans.get(next.id) ?? []);
    await yieldToOthers();
  }
  if (updates.length === 0) return false;
  const ids = updates.map(({ id }) => id);
  const before = await readStates(tx, file.id, ids);
  await updateSegments(tx, caller.userId, updates);
  for (const group of await scanGroups(tx, file.id, kept)) {
    await scanAround(tx, file, { ids: group, kept });
    await yieldToOthers();
  }
  await addCorrection(tx, file.id, caller.userId, {
    id: uuid,
    kinds: ['text'],
    before,
    after: await readStates(tx, file.id, ids),
  });
  return true;
}

/** The changed passages in groups of those that are near each other. */
async function scanGroups(tx: Tx, fileId: string, changed: ReadonlyMap<string, unknown>): Promise<string[][]> {
  const all = await tx.segment.findMany({ where: { fileId }, orderBy: { position: 'asc' }, select: { id: true } });
  const groups: string[][] = [];
  let [first, last] = [-Infinity, -Infinity];
  for (const [rank, { id }] of all.entries()) {
    if (!changed.has(id)) continue;
    if (rank - last > scanLimits.apart || rank - first >= scanLimits.passages) {
      groups.push([]);
      first = rank;
    }
    groups.at(-1)?.push(id);
    last = rank;
  }
  return groups;
}

async function checkSpeakers(tx: Tx, fileId: string, operations: readonly Operation[]): Promise<void> {
  const pieces = operations.flatMap(({ replacement }) => replacement);
  const wanted = [...new Set(pieces.flatMap(({ speaker_uuid: speaker }) => speaker ?? []))];
  const known = await tx.speaker.count({ where: { fileId, id: { in: wanted } } });
  if (known !== wanted.length) throw invalid('speaker_mismatch', 'This speaker does not speak in this file.');
}

/** The segments that an operation replaces, in their order. */
async function readRun(
  tx: Tx,
  fileId: string,
  { segments }: Operation,
  touched: ReadonlySet<string>,
): Promise<Segment[]> {
  const rows = await tx.segment.findMany({
    where: { fileId, id: { in: segments.map(({ uuid }) => uuid) } },
    orderBy: { position: 'asc' },
  });
  if (rows.length !== segments.length) throw notFound('There is no such segment.');
  for (const row of rows) {
    const version = segments.find(({ uuid }) => uuid === row.id)?.version;
    if (version !== undefined && version !== row.version && !touched.has(row.id)) throw staleVersion(row);
  }
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || rows.length === 1) return rows;
  const range = { gte: first.position, lte: last.position };
  if ((await tx.segment.count({ where: { fileId, position: range } })) !== rows.length)
    throw conflict('segments_not_adjacent', 'Another passage was inserted between these.');
  return rows;
}

function staleVersion({ version }: Segment) {
  return conflict('stale_version', 'This passage was changed in the meantime. Check it before you save.', {
    extra: { version },
  });
}

/** Replaces the rows of a run. @returns what it did; nothing for an operation without a difference. */
async function applyOperation(
  { tx, caller, file, masking }: Context,
  operation: Operation,
  run: Segment[],
): Promise<OperationKind[]> {
  const { pieces, spans } = readPieces(operation, run, masking);
  const passages = run.map((row): Passage => ({ ...row, words: row.words as Word[] }));
  const previousId = run[0]
    ? ((await readAdjacent(tx, file.id, [run[0].id])).get(run[0].id)?.previousId ?? null)
    : operation.after_uuid;
  const around = await readAround(tx, file.id, previousId, run.at(-1)?.position);
  const next = replacePassages(passages, pieces, around.between);
  const kinds = kindsOf(passages, next);
  if (kinds.length === 0) return [];
  if (hasGivenTimes(kinds, pieces) && !areTimesInOrder(next, around))
    throw invalid(
      'segment_times_invalid',
      'A passage must start between those before and after it, and end after it starts.',
    );

  const rows = new Map(run.map((row) => [row.id, row]));
  // An editor gives the times of a new passage only when it brings back one that was deleted.
  const restored = new Set(pieces.flatMap(({ id, start }) => (start === undefined || rows.has(id) ? [] : [id])));
  const version = restored.size > 0 ? await versionOfRestored(tx, file.id) : 1;
  const keptIds = new Set(next.map(({ id }) => id));
  const removed = run.filter(({ id }) => !keptIds.has(id)).map(({ id }) => id);
  await tx.segment.deleteMany({ where: { id: { in: removed } } });
  for (const [i, passage] of next.entries()) {
    const row = rows.get(passage.id);
    if (row && isChanged(row, passage)) await updateSegment(tx, caller.userId, withMeanConfidence(passage));
    const before = next[i - 1];
    // New passages in a row are inserted with the first of them.
    if (row || (before && !rows.has(before.id))) continue;
    const until = next.findIndex(({ id }, at) => at > i && rows.has(id));
    const added = next.slice(i, until === -1 ? next.length : until);
    const place = { fileId: file.id, userId: caller.userId, afterId: before?.id ?? previousId };
    const fresh = added.map(withMeanConfidence);
    const inserted = fresh.map((segment) => (restored.has(segment.id) ? { ...segment, version } : segment));
    await insertSegments(tx, place, inserted);
  }
  const rescanned = next.filter(({ id, text }) => rows.get(id)?.text !== text);
  const kept = new Map(rescanned.map(({ id }) => [id, spans.get(id) ?? []]));
  if (kept.size > 0) await scanAround(tx, file, { ids: [...kept.keys()], kept });
  return kinds;
}

function withMeanConfidence(passage: Passage) {
  return { ...passage, confidence: meanConfidence(passage.words) };
}

function isChanged(row: Segment, passage: Passage): boolean {
  const { text, speakerId, startTime, endTime } = passage;
  const isMoved = row.startTime !== startTime || row.endTime !== endTime;
  return (
    row.text !== text || row.speakerId !== speakerId || isMoved || isAccepted({ words: row.words as Word[] }, passage)
  );
}

/** What is around a run that ends at `lastPosition`, or around the place after `previousId`. */
async function readAround(
  tx: Tx,
  fileId: string,
  previousId: string | null,
  lastPosition: number | undefined,
): Promise<Around> {
  const previous = previousId === null ? null : await tx.segment.findUnique({ where: { id: previousId } });
  if (previousId !== null && previous?.fileId !== fileId) throw notFound('There is no such segment.');
  const after = lastPosition ?? previous?.position;
  const next = await tx.segment.findFirst({
    where: { fileId, ...(after !== undefined && { position: { gt: after } }) },
    orderBy: { position: 'asc' },
  });
  return aroundOf(previous, next);
}

/**
 * The replacement with its actual text. The masked parts that the editor does not see stay in the text and stay masked,
 * also when they move to another passage of the run. `expected`: what the editor saw of the first one.
 */
function readPieces(
  { segments, replacement }: Operation,
  run: readonly Segment[],
  { mask, version }: Masking,
  expected?: string,
): { pieces: Piece[]; spans: Map<string, FoundSpan[]> } {
  const rows = new Map(run.map((row) => [row.id, row]));
  const hiddenOf = (row: Segment): FoundSpan[] => {
    const isScanned = row.redactionKey === keyOf(row.text, version);
    if (!isScanned && mask.withholdsUnscanned && row.text !== '') throw maskedTextChanged();
    return isScanned ? maskedSpans(row.redactions as FoundSpan[], mask) : [];
  };
  const pieceOf = (piece: Operation['replacement'][number], text: string): Piece => {
    const own = rows.get(piece.uuid) ?? run[0];
    const speakerId = piece.speaker_uuid === undefined ? (own?.speakerId ?? null) : piece.speaker_uuid;
    const rest = {
      ...(piece.start_time !== undefined && { start: piece.start_time }),
      ...(piece.end_time !== undefined && { end: piece.end_time }),
      ...(piece.accepted_words !== undefined && { accepted: piece.accepted_words }),
    };
    return { id: piece.uuid, text, speakerId, ...rest };
  };
  const isTextKept =
    replacement.length === segments.length &&
    replacement.every(({ uuid, text }, i) => uuid === run[i]?.id && text === undefined);
  if (isTextKept || replacement.length === 0) {
    const pieces = replacement.map((piece) => pieceOf(piece, rows.get(piece.uuid)?.text ?? ''));
    return { pieces, spans: new Map() };
  }
  const hidden = run.map(hiddenOf);
  const shown = new Map(run.map((row, i) => [row.id, maskText(row.text, hidden[i] ?? []).text]));
  if (run[0] && expected !== undefined && shown.get(run[0].id) !== expected) throw staleVersion(run[0]);
  const edited = replacement.map(({ uuid, text }) => {
    const given = text?.replaceAll(separator, ' ') ?? shown.get(uuid);
    if (given === undefined) throw invalid('invalid_body', 'A new passage needs a text.');
    return given;
  });
  const isUnchanged = (i: number): boolean => edited[i] === shown.get(replacement[i]?.uuid ?? '');
  // Texts that are shown as they were stay as they are, with the parts that a reader does not see.
  if (replacement.length === run.length && replacement.every(({ uuid }, i) => uuid === run[i]?.id && isUnchanged(i)))
    return { pieces: replacement.map((piece) => pieceOf(piece, rows.get(piece.uuid)?.text ?? '')), spans: new Map() };

  let offset = 0;
  const joinedSpans = run.flatMap((row, i) => {
    const moved = (hidden[i] ?? []).map((span) => ({ ...span, start: span.start + offset, end: span.end + offset }));
    offset += row.text.length + 1;
    return moved;
  });
  const restored = restoreMasked(run.map(({ text }) => text).join(separator), joinedSpans, edited.join(separator));
  if (!restored) throw maskedTextChanged();
  const spans = new Map<string, FoundSpan[]>();
  let from = 0;
  const pieces = restored.text.split(separator).map((text, i) => {
    const piece = pieceOf(replacement[i] as Operation['replacement'][number], text);
    const to = from + text.length;
    const own = restored.spans.filter(({ start, end }) => start >= from && end <= to);
    spans.set(
      piece.id,
      own.map((span) => ({ ...span, start: span.start - from, end: span.end - from, kept: true })),
    );
    from = to + 1;
    return piece;
  });
  return { pieces, spans };
}

function maskedTextChanged() {
  return invalid(
    'masked_text_changed',
    'Part of this passage is masked. Keep each placeholder, such as [phone], unchanged and in its place.',
  );
}
