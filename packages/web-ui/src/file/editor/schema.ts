import { Schema, type Node, type ResolvedPos } from 'prosemirror-model';
import type { Transaction } from 'prosemirror-state';
import type { Segment } from '../../api/queries.ts';

type Redaction = Segment['redactions'][number];
/** `base`: the passage as the server stores it; null until a new one is saved. `times`: changed here, not saved yet. */
export type PassageAttrs = {
  readonly uuid: string;
  readonly speaker: string | null;
  readonly base: Segment | null;
  readonly times: { readonly start: number; readonly end: number } | null;
  /** The start times of words that were checked here, not saved yet. */
  readonly accepted: readonly number[];
  /** Whether it shows the name of its speaker: the passage before it has another one. */
  readonly turn: boolean;
};
export type MaskedAttrs = { readonly uuid: string; readonly kind: Redaction['kind']; readonly text: string };

export const noWords: readonly number[] = [];

/**
 * A transcript is a list of passages; masked parts in them cannot be edited. Passages stand in groups, because the browser
 * and the editor go through all siblings at every key: ten hours of speech are 12,000 passages. Groups are not visible,
 * and only this file makes them.
 */
export const schema = new Schema({
  nodes: {
    doc: { content: 'group*' },
    group: {
      content: 'passage*',
      parseDOM: [{ tag: 'div[data-group]', priority: 60 }],
      toDOM: () => ['div', { 'data-group': '' }, 0],
    },
    passage: {
      content: '(text | masked)*',
      attrs: {
        uuid: { default: '' },
        speaker: { default: null },
        base: { default: null },
        times: { default: null },
        accepted: { default: noWords },
        turn: { default: false },
      },
      // Pasted text becomes new passages, one for each paragraph.
      parseDOM: [{ tag: 'p' }, { tag: 'div' }, { tag: 'li' }],
      toDOM: () => ['p', 0],
    },
    text: {},
    masked: {
      inline: true,
      atom: true,
      selectable: false,
      attrs: { uuid: {}, kind: {}, text: {} },
      toDOM: (node) => ['span', String(node.attrs['text'])],
      leafText: (node) => String(node.attrs['text']),
    },
  },
});

export function attrsOf(node: Node): PassageAttrs {
  return node.attrs as PassageAttrs;
}

/** The text to compare and to save: spaces at the ends and repeated ones do not count. */
export function plainText(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

export function textOf(node: Node): string {
  return plainText(node.textContent);
}

/** The content of a passage: the placeholders of its masked parts, in their order, become nodes. */
export function contentOf(text: string, masked: readonly MaskedAttrs[]): Node[] {
  const content: Node[] = [];
  let from = 0;
  const push = (part: string): void => {
    if (part !== '') content.push(schema.text(part));
  };
  for (const part of masked) {
    const at = text.indexOf(part.text, from);
    if (at === -1) continue;
    push(text.slice(from, at));
    content.push(schema.nodes.masked.create(part));
    from = at + part.text.length;
  }
  push(text.slice(from));
  return content;
}

export function maskedOf({ text, redactions }: Segment): MaskedAttrs[] {
  return redactions.map(({ uuid, kind, start, end }) => ({ uuid, kind, text: text.slice(start, end) }));
}

export function passageOf(segment: Segment, turn: boolean): Node {
  const attrs: PassageAttrs = {
    uuid: segment.uuid,
    speaker: segment.speaker?.uuid ?? null,
    base: segment,
    times: null,
    accepted: noWords,
    turn,
  };
  return schema.nodes.passage.create(attrs, contentOf(segment.text, maskedOf(segment)));
}

const shown = new WeakMap<Node, Segment>();
/** The shown passage, with what was typed since it was saved. */
export function segmentOf(node: Node): Segment {
  const known = shown.get(node);
  if (known) return known;
  const { base, uuid, times, accepted } = attrsOf(node);
  const text = node.textContent;
  const isSame = base !== null && times === null && accepted.length === 0 && base.text === text;
  const segment = isSame
    ? base
    : {
        ...(base ?? unsaved),
        uuid,
        text,
        ...(times && { start_time: times.start, end_time: times.end }),
        ...(base && accepted.length > 0 && { words: withoutConfidence(base.words, accepted) }),
      };
  shown.set(node, segment);
  return segment;
}

function withoutConfidence(words: Segment['words'], starts: readonly number[]): Segment['words'] {
  return words.map((word) => (starts.includes(word.start) ? { ...word, confidence: null } : word));
}

export const unsaved: Segment = {
  uuid: '',
  start_time: 0,
  end_time: 0,
  text: '',
  speaker: null,
  confidence: null,
  edited: true,
  edited_at: null,
  edited_by: null,
  edited_by_name: null,
  version: 0,
  words: [],
  redactions: [],
  withheld: false,
};

/** The passages between those that two documents have in common at their beginning and at their end. */
export function changedBetween(
  before: Node,
  after: Node,
): { readonly before: readonly Node[]; readonly after: readonly Node[] } {
  const [left, right] = [passagesOf(before), passagesOf(after)];
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return { before: left.slice(start, left.length - end), after: right.slice(start, right.length - end) };
}

/** Passages in a group. The cost of a keystroke grows with the number of groups and with the passages of one. */
const groupSize = 25;

/** @param size passages in a group; tests make small ones */
export function docOf(passages: readonly Node[], size = groupSize): Node {
  return schema.nodes.doc.create(null, groupsOf(passages, size));
}

function groupsOf(passages: readonly Node[], size = groupSize): Node[] {
  const groups: Node[] = [];
  for (let i = 0; i < passages.length; i += size)
    groups.push(schema.nodes.group.create(null, passages.slice(i, i + size)));
  return groups;
}

const passagesIn = new WeakMap<Node, readonly Node[]>();
/** The passages of a document, in their order. */
export function passagesOf(doc: Node): readonly Node[] {
  const known = passagesIn.get(doc);
  if (known) return known;
  const passages = doc.children.flatMap((group) => group.children);
  passagesIn.set(doc, passages);
  return passages;
}

const starts = new WeakMap<Node, readonly number[]>();
/** Where each passage of a document begins. */
export function startsOf(doc: Node): readonly number[] {
  const known = starts.get(doc);
  if (known) return known;
  const list: number[] = [];
  doc.forEach((group, groupAt) => group.forEach((_passage, at) => list.push(groupAt + 1 + at)));
  starts.set(doc, list);
  return list;
}

const indexes = new WeakMap<Node, ReadonlyMap<string, number>>();
/** The index of each passage of a document, by its id. */
export function indexesOf(doc: Node): ReadonlyMap<string, number> {
  const known = indexes.get(doc);
  if (known) return known;
  const map = new Map(passagesOf(doc).map((node, index) => [attrsOf(node).uuid, index]));
  indexes.set(doc, map);
  return map;
}

/** The index of the passage at a position; of the next one, between passages. */
export function indexAt($at: ResolvedPos): number {
  let index = $at.depth === 0 ? 0 : $at.index(1);
  for (const group of $at.doc.children.slice(0, $at.index(0))) index += group.childCount;
  return index;
}

export function isInPassage($at: ResolvedPos): boolean {
  return $at.depth > 0 && $at.parent.type === schema.nodes.passage;
}

/** Calls `visit` with each passage of a range of positions, and where it begins. */
export function visitPassages(doc: Node, from: number, to: number, visit: (passage: Node, at: number) => void): void {
  doc.nodesBetween(from, to, (node, at) => {
    if (node.type === schema.nodes.passage) visit(node, at);
    return node.type === schema.nodes.group;
  });
}

/** Replaces the passages from one index to another. The others stay in their groups. */
export function replacePassages(tr: Transaction, from: number, to: number, passages: readonly Node[]): void {
  removePassages(tr, from, to);
  if (passages.length > 0) insertPassages(tr, from, passages);
}

function removePassages(tr: Transaction, from: number, to: number): void {
  const { doc } = tr;
  const [all, begins] = [passagesOf(doc), startsOf(doc)];
  let end = all.length;
  // From the last group to the first, so that the positions before it stay the same.
  for (const group of doc.children.toReversed()) {
    const first = end - group.childCount;
    const [one, last] = [Math.max(first, from), Math.min(end, to) - 1];
    const [start, size] = [begins[one] ?? 0, all[last]?.nodeSize ?? 0];
    if (one === first && last === end - 1 && one <= last) tr.delete(start - 1, start - 1 + group.nodeSize);
    else if (one <= last) tr.delete(start, (begins[last] ?? 0) + size);
    end = first;
  }
}

function insertPassages(tr: Transaction, index: number, passages: readonly Node[]): void {
  const { doc } = tr;
  const before = passagesOf(doc)[index - 1];
  const places = [before && (startsOf(doc)[index - 1] ?? 0) + before.nodeSize, startsOf(doc)[index]];
  const [$at] = places
    .flatMap((place) => (place === undefined ? [] : [doc.resolve(place)]))
    .toSorted((left, right) => left.parent.childCount - right.parent.childCount);
  if (!$at) return void tr.replaceWith(0, doc.content.size, groupsOf(passages));
  const { pos, parent, parentOffset } = $at;
  if (passages.length <= groupSize && parent.childCount <= 2 * groupSize) return void tr.insert(pos, passages);
  if (parentOffset > 0 && parentOffset < parent.content.size) tr.split(pos);
  tr.insert(parentOffset === 0 ? pos - 1 : pos + 1, groupsOf(passages));
}

/** Puts a passage into the group of the next one. */
export function groupWithNext(tr: Transaction, index: number): void {
  const next = (): ResolvedPos => tr.doc.resolve(startsOf(tr.doc)[index + 1] ?? 0);
  if (next().parentOffset > 0) return;
  while (next().parentOffset === 0) tr.join(next().before());
  const at = startsOf(tr.doc)[index] ?? 0;
  if (tr.doc.resolve(at).parentOffset > 0) tr.split(at);
}
