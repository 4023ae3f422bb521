import type { Node } from 'prosemirror-model';
import { AllSelection, Selection, TextSelection, type EditorState, type Transaction } from 'prosemirror-state';
import type { CorrectionResult } from '@overtone/contracts';
import type { Segment } from '../../api/queries.ts';
import { isTurnStart } from '../transcript.ts';
import { mergeTexts } from './merge-texts.ts';
import { isOutdated, type Operation, type UnsavedOperation } from './operations.ts';
import {
  attrsOf,
  contentOf,
  indexesOf,
  isInPassage,
  maskedOf,
  noWords,
  passageOf,
  passagesOf,
  plainText,
  replacePassages,
  schema,
  startsOf,
  textOf,
  unsaved,
} from './schema.ts';

/**
 * A correction that could not be saved because it was refused, or because its passage was changed by someone else, or is
 * gone. Without text it is of what else the correction has set.
 */
export type Conflict = {
  readonly segmentUuid: string | null;
  readonly text: string;
  readonly start: number;
  readonly speaker?: string | null;
  readonly times?: { readonly start: number; readonly end: number };
  readonly isRemoval?: boolean;
  /** The server did not take it. */
  readonly isRefused?: boolean;
  /** The version of the passage that the refused correction was made on. */
  readonly version?: number | undefined;
  /** The passage was changed since it was refused. */
  readonly isChanged?: boolean;
};

/** Says of refused corrections whether their passages were changed since. @returns the same list when there is no news */
export function comparedWith(base: readonly Segment[], conflicts: readonly Conflict[]): readonly Conflict[] {
  const isNews = ({ segmentUuid, isRefused, version, isChanged }: Conflict): boolean =>
    isRefused === true &&
    isChanged !== true &&
    base.some((segment) => segment.uuid === segmentUuid && segment.version !== version);
  if (!conflicts.some(isNews)) return conflicts;
  return conflicts.map((one) => (isNews(one) ? { ...one, isChanged: true } : one));
}

/** The passages of the server after a correction. */
export function applyResult(
  base: readonly Segment[],
  { segments, removed }: CorrectionResult,
  operations: readonly Operation[] = [],
): Segment[] {
  const known = new Map(base.map((segment) => [segment.uuid, segment]));
  const typed = new Map(operations.flatMap(({ replacement }) => replacement.map(({ uuid, text }) => [uuid, text])));
  const changed = new Map(
    segments.map(({ previous_uuid: _, ...segment }): [string, Segment] => {
      const text = typed.get(segment.uuid) ?? known.get(segment.uuid)?.text;
      return [segment.uuid, segment.withheld && text !== undefined ? unscanned(segment, text) : segment];
    }),
  );
  const gone = new Set(removed);
  const next = base.flatMap((segment) => (gone.has(segment.uuid) ? [] : [changed.get(segment.uuid) ?? segment]));
  for (const { uuid, previous_uuid: previous } of segments) {
    const segment = changed.get(uuid);
    if (known.has(uuid) || !segment) continue;
    next.splice(next.findIndex((one) => one.uuid === previous) + 1, 0, segment);
  }
  return next;
}

/**
 * The passages as operations make them. Where `next`, what the server stores now, is the same, so is the version;
 * elsewhere no passage has it.
 */
export function asSaved(
  base: readonly Segment[],
  operations: readonly Operation[],
  next: readonly Segment[],
): Segment[] {
  const stored = new Map(next.map((segment) => [segment.uuid, segment]));
  let saved = [...base];
  for (const { segments, after_uuid: after = null, replacement } of operations) {
    const ids = new Set([...segments, ...replacement].map(({ uuid }) => uuid));
    const run = new Map(saved.filter(({ uuid }) => ids.has(uuid)).map((segment) => [segment.uuid, segment]));
    // A page that was opened since has loaded what was saved, perhaps with what others have changed later.
    const isChanged = segments.some(({ uuid, version = run.get(uuid)?.version }) => {
      const known = run.get(uuid);
      return known !== undefined && known.version !== version;
    });
    const replaced = new Set(segments.map(({ uuid }) => uuid));
    const isInserted = replacement.some(({ uuid }) => !replaced.has(uuid) && run.has(uuid));
    if (isChanged || isInserted) continue;
    const made = replacement.map((piece): Segment => {
      // One that others have removed since was saved all the same.
      const old = run.get(piece.uuid) ?? stored.get(piece.uuid) ?? [...run.values()][0] ?? unsaved;
      return pieceOf(old, piece, stored.get(piece.uuid));
    });
    const from =
      run.size > 0 ? saved.findIndex(({ uuid }) => ids.has(uuid)) : 1 + saved.findIndex(({ uuid }) => uuid === after);
    saved = saved.filter(({ uuid }) => !ids.has(uuid)).toSpliced(from, 0, ...made);
  }
  return inOrderOf(next, saved);
}

/** What others have inserted stands between passages that an operation has replaced together. */
function inOrderOf(next: readonly Segment[], saved: readonly Segment[]): Segment[] {
  const known = new Map(saved.map((segment) => [segment.uuid, segment]));
  const stored = next.flatMap(({ uuid }) => known.get(uuid) ?? []);
  const ids = new Set(stored.map(({ uuid }) => uuid));
  let at = 0;
  return saved.map((segment) => (ids.has(segment.uuid) ? (stored[at++] ?? segment) : segment));
}

function pieceOf(old: Segment, piece: Operation['replacement'][number], stored: Segment | undefined): Segment {
  const { uuid, text = old.text, speaker_uuid: wanted } = piece;
  const speaker = wanted === undefined || wanted === old.speaker?.uuid ? old.speaker : speakerOf(wanted, stored);
  const made = { ...old, uuid, text, speaker };
  return stored && hasSameContent(made, stored) ? stored : { ...made, version: -1 };
}

function speakerOf(uuid: string | null, stored: Segment | undefined): Segment['speaker'] {
  if (uuid === null) return null;
  return stored?.speaker?.uuid === uuid ? stored.speaker : { uuid, name: '', display_name: null };
}

/** Whether two lists have the same passages, with the same text and speakers. */
export function isSameContent(left: readonly Segment[], right: readonly Segment[]): boolean {
  return left.length === right.length && left.every((segment, i) => hasSameContent(segment, right[i]));
}

function hasSameContent(left: Segment, right: Segment | undefined): boolean {
  if (left === right) return true;
  const isSameSpeaker = (left.speaker?.uuid ?? null) === (right?.speaker?.uuid ?? null);
  return left.uuid === right?.uuid && isSameSpeaker && plainText(left.text) === plainText(right.text);
}

/** New text is withheld until it was scanned, but not from the person who typed it. The result of the scan arrives later. */
function unscanned(segment: Segment, text: string): Segment {
  return { ...segment, text, redactions: [], withheld: false };
}

/** Loaded passages, as the objects that are known already where nothing differs: only the others are drawn again. */
export function reuseKnown(base: readonly Segment[], loaded: readonly Segment[]): Segment[] {
  const known = new Map(base.map((segment) => [segment.uuid, segment]));
  return loaded.map((segment) => {
    const old = known.get(segment.uuid);
    return old && (old === segment || isSameSegment(old, segment)) ? old : segment;
  });
}

function isSameSegment(left: Segment, right: Segment): boolean {
  const isSameSpeaker =
    left.speaker?.uuid === right.speaker?.uuid && left.speaker?.display_name === right.speaker?.display_name;
  return (
    left.version === right.version &&
    left.text === right.text &&
    left.withheld === right.withheld &&
    left.edited_by_name === right.edited_by_name &&
    isSameSpeaker &&
    !hasOtherMasks(left, right)
  );
}

/**
 * Shows these passages instead of the document, in one step over what differs: a step for each of ten hours of passages
 * would take seconds. The caret stays at its place in its passage.
 */
export function showPassages(state: EditorState, base: readonly Segment[]): Transaction {
  const { tr, doc } = state;
  const children = passagesOf(doc);
  const known = new Map(children.map((node) => [attrsOf(node).uuid, node]));
  const nodes = base.map((segment, i) => nodeOf(segment, known.get(segment.uuid), isTurnStart(base, i)));
  let from = 0;
  while (from < nodes.length && children[from] === nodes[from]) from += 1;
  let [oldEnd, newEnd] = [children.length, nodes.length];
  while (oldEnd > from && newEnd > from && children[oldEnd - 1] === nodes[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  tr.setMeta('addToHistory', false);
  if (oldEnd === from && newEnd === from) return tr;
  replacePassages(tr, from, oldEnd, nodes.slice(from, newEnd));
  return restoreCaret(tr, state);
}

/** The node of a passage. One whose text is the same keeps its content. */
function nodeOf(segment: Segment, node: Node | undefined, turn: boolean): Node {
  if (!node) return passageOf(segment, turn);
  const attrs = attrsOf(node);
  if (attrs.base === segment && isShown(node, segment)) return node;
  if (textOf(node) !== plainText(segment.text) || hasOtherMasks(attrs.base, segment)) return passageOf(segment, turn);
  const shown = { ...attrs, base: segment, speaker: segment.speaker?.uuid ?? null, times: null, accepted: noWords };
  return schema.nodes.passage.create(shown, node.content);
}

function restoreCaret(tr: Transaction, { doc, selection }: EditorState): Transaction {
  const placeOf = (position: number): number | null => {
    const $position = doc.resolve(position);
    if (!isInPassage($position)) return null;
    const index = indexesOf(tr.doc).get(attrsOf($position.parent).uuid);
    const passage = index === undefined ? undefined : passagesOf(tr.doc)[index];
    if (index === undefined || !passage) return null;
    return (startsOf(tr.doc)[index] ?? 0) + 1 + offsetIn(passage, $position.parent, $position.parentOffset);
  };
  const [anchor, head] = [placeOf(selection.anchor), placeOf(selection.head)];
  if (anchor !== null && head !== null) return tr.setSelection(TextSelection.create(tr.doc, anchor, head));
  // An empty document has everything selected.
  return selection instanceof AllSelection && doc.childCount === 0 ? tr.setSelection(Selection.atStart(tr.doc)) : tr;
}

/** The place of an offset in a changed passage: by what is the same before it, or after it. */
function offsetIn({ content }: Node, before: Node, offset: number): number {
  const start = before.content.findDiffStart(content);
  if (start === null || offset <= start) return offset;
  const end = before.content.findDiffEnd(content);
  const moved = end && offset >= end.a ? offset + end.b - end.a : offset;
  return Math.max(0, Math.min(moved, content.size));
}

function isShown(node: Node, segment: Segment): boolean {
  const { speaker, times, accepted } = attrsOf(node);
  const isSaved = times === null && accepted.length === 0;
  return isSaved && textOf(node) === plainText(segment.text) && speaker === (segment.speaker?.uuid ?? null);
}

function hasOtherMasks(before: Segment | null, { redactions }: Segment): boolean {
  const old = before?.redactions ?? [];
  return old.length !== redactions.length || old.some(({ uuid }, i) => uuid !== redactions[i]?.uuid);
}

/** By steps for single attributes, which do not touch the caret. */
export function setPassageAttrs(tr: Transaction, at: number, attrs: Record<string, unknown>): void {
  const node = tr.doc.nodeAt(at);
  for (const [name, value] of Object.entries(attrs))
    if (node && node.attrs[name] !== value) tr.setNodeAttribute(at, name, value);
}

/** What the server has saved. Passages that were edited again since keep what was typed. */
export function acknowledge(
  state: EditorState,
  base: readonly Segment[],
  operations: readonly Operation[],
): Transaction {
  const { tr } = state;
  const pieces = new Map(operations.flatMap(({ replacement }) => replacement.map((piece) => [piece.uuid, piece])));
  const indexes = indexesOf(state.doc);
  const starts = startsOf(state.doc);
  for (const segment of base) {
    const index = indexes.get(segment.uuid) ?? -1;
    const [passage, at] = [passagesOf(state.doc)[index], starts[index]];
    if (!passage || at === undefined) continue;
    const { base: known, times, accepted } = attrsOf(passage);
    if (known === segment) continue;
    const piece = pieces.get(segment.uuid);
    const isSaved = times === null || (piece?.start_time === times.start && piece.end_time === times.end);
    const saved = new Set(piece?.accepted_words);
    const unsaved = accepted.filter((start) => !saved.has(start));
    setPassageAttrs(tr, at, {
      base: segment,
      ...(isSaved && { times: null }),
      accepted: unsaved.length === 0 ? noWords : unsaved,
    });
  }
  return tr.setMeta('addToHistory', false);
}

/**
 * Repeats unsaved operations on the passages of the server. Of a passage that others have changed since, both changes are
 * kept where they are of different words. Otherwise they become conflicts: the text is kept, and the document shows that
 * of the others.
 * @param previous - the passages on which the operations were made
 */
export function repeatOperations(
  state: EditorState,
  base: readonly Segment[],
  operations: readonly UnsavedOperation[],
  previous: readonly Segment[] = [],
): { tr: Transaction; conflicts: Conflict[] } {
  const tr = showPassages(state, base);
  const conflicts: Conflict[] = [];
  const versions = new Map(base.map((segment) => [segment.uuid, segment]));
  const old = new Map(previous.map((segment) => [segment.uuid, segment]));
  const typed = new Map(passagesOf(state.doc).map((node) => [attrsOf(node).uuid, node]));
  for (const operation of operations) {
    const parts = ofStored(operation, versions).map((part) => currentOf(part, { doc: tr.doc, old, versions }));
    // As a whole or not at all: a join of which only one part is repeated would show words twice.
    if (parts.every((part) => part !== null)) {
      for (const part of parts.flat()) repeat(tr, part, versions, typed);
      continue;
    }
    const conflict = conflictOf(operation, versions);
    if (conflict) conflicts.push(conflict);
  }
  return { tr: restoreCaret(tr, state), conflicts };
}

type Known = {
  readonly doc: Node;
  readonly old: ReadonlyMap<string, Segment>;
  readonly versions: ReadonlyMap<string, Segment>;
};

/** The operation for the passages of the server, if there is anything left to do; null when it cannot be made on them. */
function currentOf(operation: Operation, { doc, old, versions }: Known): Operation[] | null {
  const isCurrent = operation.segments.every(({ uuid, version }) => {
    const segment = versions.get(uuid);
    return segment !== undefined && (version === undefined || segment.version === version);
  });
  if (isCurrent && placeOf(doc, operation) !== null) return [operation];
  // The same result was saved already, perhaps by this page before its answer was lost.
  if (isDone(operation, versions)) return [];
  const merged = mergeOperation(operation, old, versions);
  return merged && placeOf(doc, merged) !== null ? [merged] : null;
}

function isDone({ segments, replacement }: Operation, current: ReadonlyMap<string, Segment>): boolean {
  const kept = new Set(replacement.map(({ uuid }) => uuid));
  if (segments.some(({ uuid }) => !kept.has(uuid) && current.has(uuid))) return false;
  return replacement.every((piece) => {
    const segment = current.get(piece.uuid);
    return segment !== undefined && isPiece(segment, piece);
  });
}

/** Whether a passage is what an operation makes of it. */
export function isPiece(segment: Segment, piece: Operation['replacement'][number]): boolean {
  const { text, speaker_uuid: speaker, start_time: start, end_time: end, accepted_words: accepted = [] } = piece;
  const isSameText = text === undefined || plainText(segment.text) === text;
  const isSameTime =
    (start ?? segment.start_time) === segment.start_time && (end ?? segment.end_time) === segment.end_time;
  const isSameSpeaker = speaker === undefined || speaker === (segment.speaker?.uuid ?? null);
  const isAccepted = accepted.every((at) => (wordAt(segment, at)?.confidence ?? null) === null);
  return isSameText && isSameTime && isSameSpeaker && isAccepted;
}

function wordAt({ words }: Segment, at: number): Segment['words'][number] | undefined {
  return words.find(({ start }) => start === at);
}

function conflictOf(
  { segments, replacement, isRefused, version }: UnsavedOperation,
  current: ReadonlyMap<string, Segment>,
): Conflict | null {
  const [first] = segments.flatMap(({ uuid }) => current.get(uuid) ?? []);
  const text = replacement.flatMap((piece) => piece.text ?? []).join('\n');
  const isSingle = replacement.length <= 1 && segments.length === 1;
  const speaker = replacement.find((piece) => piece.speaker_uuid !== undefined)?.speaker_uuid;
  const [times] = replacement.flatMap(({ start_time: start, end_time: end }) =>
    start === undefined || end === undefined ? [] : [{ start, end }],
  );
  const isRemoval = text === '' && segments.some(({ uuid }) => replacement.every((piece) => piece.uuid !== uuid));
  // Nothing of the person is lost with a deleted passage, or with words that were only accepted.
  if (text === '' && (!first || (speaker === undefined && !times && !isRemoval))) return null;
  return {
    segmentUuid: isSingle ? (first?.uuid ?? null) : null,
    text,
    start: first?.start_time ?? 0,
    ...(speaker !== undefined && { speaker }),
    ...(times && { times }),
    ...(isRemoval && { isRemoval }),
    ...(isRefused && { isRefused, version }),
  };
}

/** Passages that were inserted already, although the answer was lost, are edited instead of inserted a second time. */
function ofStored(operation: Operation, current: ReadonlyMap<string, Segment>): Operation[] {
  const { segments, replacement } = operation;
  const replaced = new Set(segments.map(({ uuid }) => uuid));
  const isStored = ({ uuid }: Operation['replacement'][number]): boolean => !replaced.has(uuid) && current.has(uuid);
  const stored = replacement.filter(isStored);
  // What is outdated becomes a conflict as a whole.
  if (stored.length === 0 || isOutdated(operation)) return [operation];
  const edits = stored.map((piece) => ({ segments: [{ uuid: piece.uuid, version: 1 }], replacement: [piece] }));
  const rest = { ...operation, replacement: replacement.filter((piece) => !isStored(piece)) };
  return segments.length > 0 || rest.replacement.length > 0 ? [...edits, rest] : edits;
}

/** The operation on a passage that others have changed since; null when both changed the same of it. */
function mergeOperation(
  { segments, replacement }: Operation,
  previous: ReadonlyMap<string, Segment>,
  current: ReadonlyMap<string, Segment>,
): Operation | null {
  const [source, piece] = [segments[0], replacement[0]];
  if (!source || !piece || segments.length > 1 || replacement.length > 1 || piece.uuid !== source.uuid) return null;
  const [old, now] = [previous.get(source.uuid), current.get(source.uuid)];
  if (!old || !now || old.version !== source.version) return null;
  // Which letters a placeholder stands for is not known here.
  if ([old, now].some(({ withheld, redactions }) => withheld || redactions.length > 0)) return null;
  if (piece.speaker_uuid !== undefined && old.speaker?.uuid !== now.speaker?.uuid) return null;
  const hasOtherTimes = old.start_time !== now.start_time || old.end_time !== now.end_time;
  if (piece.start_time !== undefined && hasOtherTimes) return null;
  const { text: typed, accepted_words: accepted, ...other } = piece;
  const stillThere = accepted?.filter((start) => wordAt(old, start)?.word === wordAt(now, start)?.word) ?? [];
  const rest = { ...other, ...(stillThere.length > 0 && { accepted_words: stillThere }) };
  if (typed === undefined) return { segments: [{ uuid: now.uuid, version: now.version }], replacement: [rest] };
  const text = mergeTexts(plainText(old.text), typed, plainText(now.text));
  return text === null
    ? null
    : { segments: [{ uuid: now.uuid, version: now.version }], replacement: [{ ...rest, text }] };
}

/** The index of the passages of an operation, or of its place; null when they are not next to each other any more. */
function placeOf(doc: Node, { segments, after_uuid: after = null }: Operation): number | null {
  const indexes = indexesOf(doc);
  const [first] = segments;
  const previous = after === null ? -1 : indexes.get(after);
  const index = first ? indexes.get(first.uuid) : previous === undefined ? undefined : previous + 1;
  const isPlaced = index !== undefined && segments.every(({ uuid }, i) => indexes.get(uuid) === index + i);
  return isPlaced ? index : null;
}

function repeat(
  tr: Transaction,
  operation: Operation,
  versions: ReadonlyMap<string, Segment>,
  typed: ReadonlyMap<string, Node>,
): void {
  const { segments, replacement } = operation;
  const index = placeOf(tr.doc, operation);
  if (index === null) return;
  const run = segments.flatMap(({ uuid }) => versions.get(uuid) ?? []);
  const byId = new Map(run.map((segment) => [segment.uuid, segment]));
  const masked = run.flatMap(maskedOf);
  const nodes = replacement.map(
    ({ uuid, text, speaker_uuid: speaker, start_time: start, end_time: end, accepted_words: accepted = noWords }) => {
      const base = byId.get(uuid) ?? null;
      const own = speaker === undefined ? ((base ?? run[0])?.speaker?.uuid ?? null) : speaker;
      const times = start !== undefined && end !== undefined ? { start, end } : null;
      const attrs = { uuid, speaker: own, base, times, accepted, turn: false };
      const node = typed.get(uuid);
      // Its spaces at the end do not count as text, but more may follow them.
      if (text !== undefined && node && textOf(node) === text) return schema.nodes.passage.create(attrs, node.content);
      const spaces = /\s?$/u.exec(node?.textContent ?? '')?.[0] ?? '';
      const content = contentOf((text ?? base?.text ?? '') + spaces, base ? maskedOf(base) : masked);
      return schema.nodes.passage.create(attrs, content);
    },
  );
  replacePassages(tr, index, index + segments.length, nodes);
}
