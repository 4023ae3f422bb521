import type { CorrectionResult, SegmentObject } from '@overtone/contracts';
import { acceptedWords, keyOf, placedAs, planExchange } from '@overtone/media/transcripts/exchange';
import {
  areTimesInOrder,
  aroundOf,
  hasGivenTimes,
  isAccepted,
  kindsOf,
  replacePassages,
  type Passage,
} from '@overtone/media/transcripts/operations';
import type { Request } from '../../src/file/editor/autosave.ts';

type Operation = Request['operations'][number];
export type Speaker = NonNullable<SegmentObject['speaker']>;
type Row = Passage & { version: number };
/** A passage before or after a correction, with those beside it. */
type State = Passage & { previousId: string | null; nextId: string | null };
type Correction = {
  readonly uuid: string;
  readonly person: string;
  readonly revision: number;
  readonly before: readonly State[];
  readonly after: readonly State[];
  readonly reverts: number | null;
  undoneIn: number | null;
};

/** The transcript is another one than the client knows. */
export class Outdated extends Error {}
export class Refused extends Error {}
export class NothingToUndo extends Error {}

/**
 * The service for corrections in memory: its rules of passages and of undo are those of the service, and its statements
 * are replaced by an array of passages.
 */
export function createCorrectionsServer(initial: readonly SegmentObject[], speakers: readonly Speaker[]) {
  let rows: readonly Row[] = initial.map(rowOf);
  const corrections: Correction[] = [];
  /** The passages after each revision; the first entry is the automatic transcript. */
  const states: (readonly State[])[] = [statesOf(rows)];
  /** The passages whose times a correction has set, by its revision. */
  const retimed = new Map<number, ReadonlySet<string>>();
  const speakersById = new Map(speakers.map((speaker) => [speaker.uuid, speaker]));

  const objectOf = ({ id, speakerId, startTime, endTime, text, words, version }: Row): SegmentObject => ({
    ...unedited,
    uuid: id,
    start_time: startTime,
    end_time: endTime,
    text,
    words,
    speaker: speakersById.get(speakerId ?? '') ?? null,
    version,
  });
  const ownOf = (person: string): Correction[] =>
    corrections.filter((one) => one.person === person && one.reverts === null);
  const revertible = (person: string): Record<'undo' | 'redo', Correction | undefined> => {
    const own = ownOf(person);
    const undone = own
      .filter(({ undoneIn }) => undoneIn !== null)
      .toSorted((x, y) => (y.undoneIn ?? 0) - (x.undoneIn ?? 0))[0];
    const canRedo = (undone?.undoneIn ?? 0) > (own.at(-1)?.revision ?? 0);
    return { undo: own.findLast(({ undoneIn }) => undoneIn === null), redo: canRedo ? undone : undefined };
  };
  const touchedBy = ({ before, after }: Pick<Correction, 'before' | 'after'>): string[] => [
    ...new Set([...before, ...after].map(({ id }) => id)),
  ];
  /** The corrections that were applied or reverted after a revision, in the order in which that was done last. */
  const changesSince = (revision: number): { from: readonly State[]; to: readonly State[] }[] => {
    const last = new Map(corrections.map((one) => [one.reverts ?? one.revision, one.revision]));
    const lastOf = (one: Correction): number => last.get(one.revision) ?? 0;
    return corrections
      .filter((one) => one.reverts === null && lastOf(one) > revision)
      .toSorted((x, y) => lastOf(x) - lastOf(y))
      .map(({ before, after, undoneIn }) =>
        undoneIn === null ? { from: before, to: after } : { from: after, to: before },
      );
  };
  /** How a correction is undone, or redone when it was undone. */
  const planOf = (correction: Correction) => {
    const { before, after, revision, undoneIn } = correction;
    // What was undone is restored where it was when it was undone.
    const places = undoneIn === null ? [] : (corrections[undoneIn - 1]?.before ?? []);
    const [from, to] = undoneIn === null ? [after, before] : [before, placedAs(after, places)];
    const accepted = new Map(acceptedWords({ from, to }));
    const elsewhere = rows.filter(({ words }) => words.some((word) => accepted.has(keyOf(word))));
    const ids = [...new Set([...touchedBy(correction), ...elsewhere.map(({ id }) => id)])];
    const current = pick(rows, new Set(ids));
    const since = changesSince(revision);
    const plan = planExchange(from, to, { current, speakers: new Set(speakersById.keys()), since });
    return { plan, current, ids };
  };
  /** Whether a correction cannot be undone, and an earlier one of the same passages was undone under it. */
  const isPassedOver = (correction: Correction): boolean => {
    const ids = new Set(touchedBy(correction));
    const isUnder = (one: Correction): boolean =>
      one.reverts === null &&
      one.revision < correction.revision &&
      (one.undoneIn ?? 0) > correction.revision &&
      touchedBy(one).some((id) => ids.has(id));
    return corrections.some(isUnder) && planOf(correction).plan === null;
  };
  const resultOf = (person: string, ids: readonly string[]): CorrectionResult => {
    const wanted = new Set(ids);
    const found = rows.flatMap((row, i) =>
      wanted.has(row.id) ? [{ ...objectOf(row), previous_uuid: rows[i - 1]?.id ?? null }] : [],
    );
    const present = new Set(found.map(({ uuid }) => uuid));
    const { undo, redo } = revertible(person);
    return {
      revision: corrections.length,
      transcript_version: corrections.length,
      segments: found,
      removed: [...wanted].filter((id) => !present.has(id)),
      can_undo: undo !== undefined,
      can_redo: redo !== undefined,
    };
  };
  const store = (next: readonly Row[], correction: Omit<Correction, 'revision'>): void => {
    rows = next;
    corrections.push({ ...correction, revision: corrections.length + 1 });
    states.push(statesOf(rows));
  };
  /** Above each version from before a passage was removed, as in the service. */
  const versionOfRestored = (): number => 1_000 * (corrections.length + 1);
  const pick = (from: readonly Row[], ids: ReadonlySet<string>): State[] =>
    statesOf(from).filter(({ id }) => ids.has(id));

  return {
    passages: (): SegmentObject[] => rows.map(objectOf),
    corrections: (): readonly Correction[] => corrections,
    states: (): readonly (readonly State[])[] => states,
    retimed: (revision: number): ReadonlySet<string> => retimed.get(revision) ?? new Set(),
    isPassedOver,
    /** All operations of a request or nothing, once for each id. */
    apply: (person: string, { uuid, operations }: Request): CorrectionResult => {
      const known = corrections.find((one) => one.uuid === uuid);
      if (known) return resultOf(person, touchedBy(known));
      const touched = new Set<string>();
      let next = rows;
      for (const operation of operations) {
        next = applyOperation(next, operation, touched, versionOfRestored());
        for (const one of [...operation.segments, ...operation.replacement]) touched.add(one.uuid);
      }
      if (next !== rows) {
        const replaced = new Set(operations.flatMap(({ segments }) => segments.map((one) => one.uuid)));
        const change = { before: pick(rows, replaced), after: pick(next, touched) };
        store(next, { uuid, person, ...change, reverts: null, undoneIn: null });
        const pieces = operations.flatMap(({ replacement }) => replacement);
        const timed = pieces.filter(({ start_time: start, end_time: end }) => start !== undefined || end !== undefined);
        retimed.set(corrections.length, new Set(timed.map((piece) => piece.uuid)));
      }
      return resultOf(person, [...touched]);
    },
    revert: (person: string, which: 'undo' | 'redo', uuid: string): CorrectionResult => {
      const known = corrections.find((one) => one.uuid === uuid);
      if (known) return resultOf(person, touchedBy(known));
      const last = revertible(person)[which];
      if (!last) throw new NothingToUndo();
      const standing = ownOf(person).filter(({ undoneIn }) => undoneIn === null);
      const correction = which === 'undo' ? standing.findLast((one) => !isPassedOver(one)) : last;
      if (!correction) throw new Outdated();
      const { revision } = correction;
      const { plan, current, ids } = planOf(correction);
      if (!plan) throw new Outdated();
      const changed = new Map(plan.changed.map((state) => [state.id, state]));
      const removed = new Set(plan.removed);
      let next = rows.flatMap((row): Row[] => {
        if (removed.has(row.id)) return [];
        const state = changed.get(row.id);
        return [state ? { ...withoutAdjacent(state), version: row.version + 1 } : row];
      });
      for (const group of plan.inserted)
        next = insert(
          next,
          anchorOf(next, group),
          group.map((state) => ({ ...withoutAdjacent(state), version: versionOfRestored() })),
        );
      const change = { before: current, after: pick(next, new Set(ids)) };
      store(next, { uuid, person, ...change, reverts: revision, undoneIn: null });
      retimed.set(corrections.length, retimed.get(revision) ?? new Set());
      correction.undoneIn = which === 'undo' ? corrections.length : null;
      return resultOf(person, ids);
    },
  };
}

export type CorrectionsServer = ReturnType<typeof createCorrectionsServer>;

/** @returns the same list when the operation makes no difference */
function applyOperation(
  rows: readonly Row[],
  operation: Operation,
  touched: ReadonlySet<string>,
  versionOfRestored: number,
): readonly Row[] {
  const run = readRun(rows, operation, touched);
  const byId = new Map(run.map((row) => [row.id, row]));
  const pieces = operation.replacement.map((piece) => {
    const own = byId.get(piece.uuid);
    const text = piece.text ?? own?.text;
    if (text === undefined) throw new Refused('A new passage needs a text.');
    return {
      id: piece.uuid,
      text,
      speakerId: piece.speaker_uuid === undefined ? ((own ?? run[0])?.speakerId ?? null) : piece.speaker_uuid,
      ...(piece.start_time !== undefined && { start: piece.start_time }),
      ...(piece.end_time !== undefined && { end: piece.end_time }),
      ...(piece.accepted_words !== undefined && { accepted: piece.accepted_words }),
    };
  });
  const first = rows.findIndex(({ id }) => id === run[0]?.id);
  const previousId = run.length > 0 ? (rows[first - 1]?.id ?? null) : (operation.after_uuid ?? null);
  const previousAt = rows.findIndex(({ id }) => id === previousId);
  if (previousId !== null && previousAt === -1) throw new Outdated();
  const previous = rows[previousAt];
  const following = rows[previousAt + 1 + run.length];
  const around = aroundOf(previous ?? null, following ?? null);
  const next = replacePassages(run, pieces, around.between);
  const kinds = kindsOf(run, next);
  if (kinds.length === 0) return rows;
  if (hasGivenTimes(kinds, pieces) && !areTimesInOrder(next, around))
    throw new Refused('A passage must start between those before and after it.');
  const kept = new Set(next.map(({ id }) => id));
  const updates = new Map(next.map((passage) => [passage.id, passage]));
  let result: readonly Row[] = rows.flatMap((row): Row[] => {
    if (!byId.has(row.id)) return [row];
    const passage = updates.get(row.id);
    if (!passage || !kept.has(row.id)) return [];
    return [isChanged(row, passage) ? { ...passage, version: row.version + 1 } : row];
  });
  for (const [i, passage] of next.entries())
    if (!byId.has(passage.id)) {
      if (result.some(({ id }) => id === passage.id)) throw new Outdated();
      const isTimed = pieces.some(({ id, start }) => id === passage.id && start !== undefined);
      const version = isTimed ? versionOfRestored : 1;
      result = insert(result, next[i - 1]?.id ?? previousId, [{ ...passage, version }]);
    }
  return result;
}

function readRun(rows: readonly Row[], { segments }: Operation, touched: ReadonlySet<string>): readonly Row[] {
  const wanted = new Map(segments.map(({ uuid, version }) => [uuid, version]));
  const run = rows.filter(({ id }) => wanted.has(id));
  if (run.length !== segments.length) throw new Outdated();
  for (const { id, version } of run)
    if (!touched.has(id) && version !== (wanted.get(id) ?? version)) throw new Outdated();
  const first = rows.findIndex(({ id }) => id === run[0]?.id);
  if (run.some((row, i) => rows[first + i] !== row)) throw new Outdated();
  return run;
}

function isChanged(row: Row, passage: Passage): boolean {
  const { text, speakerId, startTime, endTime } = passage;
  const isMoved = row.startTime !== startTime || row.endTime !== endTime;
  return row.text !== text || row.speakerId !== speakerId || isMoved || isAccepted(row, passage);
}

/** The passage after which adjacent ones are inserted again, as the service finds it. */
function anchorOf(rows: readonly Row[], group: readonly State[]): string | null {
  const { startTime = 0, previousId = null } = group[0] ?? {};
  const previousAt = rows.findIndex(({ id }) => id === previousId);
  const nextAt = rows.findIndex(({ id }) => id === group.at(-1)?.nextId);
  if (previousId !== null && previousAt === -1) {
    const earlier = nextAt === -1 ? rows : rows.slice(0, nextAt);
    return earlier.findLast((row) => row.startTime <= startTime)?.id ?? null;
  }
  const end = rows.findIndex((row, i) => i > previousAt && (i === nextAt || row.startTime > startTime));
  return rows[(end === -1 ? rows.length : end) - 1]?.id ?? null;
}

function insert(rows: readonly Row[], afterId: string | null, added: readonly Row[]): Row[] {
  return rows.toSpliced(rows.findIndex(({ id }) => id === afterId) + 1, 0, ...added);
}

function rowOf({ uuid, speaker, start_time: startTime, end_time: endTime, text, words, version }: SegmentObject): Row {
  return { id: uuid, speakerId: speaker?.uuid ?? null, startTime, endTime, text, words, version };
}

function statesOf(rows: readonly Row[]): State[] {
  return rows.map(({ version: _, ...passage }, i) => ({
    ...passage,
    previousId: rows[i - 1]?.id ?? null,
    nextId: rows[i + 1]?.id ?? null,
  }));
}

function withoutAdjacent({ previousId: _, nextId: __, ...passage }: State): Passage {
  return passage;
}

const unedited = {
  confidence: null,
  edited: false,
  edited_at: null,
  edited_by: null,
  edited_by_name: null,
  redactions: [],
  withheld: false,
};
