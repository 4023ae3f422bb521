import { EditorState, TextSelection, type Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import type { CorrectionResult, SegmentObject } from '@overtone/contracts';
import type { Random } from '@overtone/testkit/seed';
import { createAutosave, type Request } from '../../src/file/editor/autosave.ts';
import { joinBefore, splitPassage } from '../../src/file/editor/commands.ts';
import { passageOf, schema, startsOf, textOf } from '../../src/file/editor/schema.ts';

const outdated = new Error('outdated');
const unreachable = new Error('unreachable');

/** What the service does with operations: all of a request or nothing, once for each id, only on the current versions. */
function createServer(initial: readonly SegmentObject[]) {
  let passages: SegmentObject[] = [...initial];
  let revision = 0;
  const results = new Map<string, CorrectionResult>();
  const applyOne = (before: readonly SegmentObject[], operation: Request['operations'][number]): SegmentObject[] => {
    const { segments, replacement, after_uuid: after = null } = operation;
    const first = segments[0]?.uuid ?? after;
    const from = before.findIndex(({ uuid }) => uuid === first);
    const isThere = segments.every(({ uuid, version }, i) => {
      const passage = before[from + i];
      return passage?.uuid === uuid && (version === undefined || passage.version === version);
    });
    if (!isThere || (first !== null && from === -1)) throw outdated;
    const known = new Map(segments.map(({ uuid }, i) => [uuid, before[from + i] as SegmentObject]));
    const template = (known.get(segments[0]?.uuid ?? '') ?? initial[0]) as SegmentObject;
    const made = replacement.map(({ uuid, text }): SegmentObject => {
      const old = known.get(uuid);
      return { ...template, ...old, uuid, text: text ?? old?.text ?? '', version: (old?.version ?? 0) + 1 };
    });
    const at = segments.length > 0 ? from : from + 1;
    return before.toSpliced(at, segments.length, ...made);
  };
  return {
    passages: (): readonly SegmentObject[] => passages,
    apply: ({ uuid, operations }: Request): CorrectionResult => {
      const done = results.get(uuid);
      if (done) return done;
      const before = new Set(passages);
      const ids = passages.map((one) => one.uuid);
      passages = operations.reduce<SegmentObject[]>(applyOne, passages);
      revision += 1;
      const left = new Set(passages.map((one) => one.uuid));
      const result: CorrectionResult = {
        revision,
        transcript_version: revision,
        segments: passages.flatMap((one, i) =>
          before.has(one) ? [] : [{ ...one, previous_uuid: passages[i - 1]?.uuid ?? null }],
        ),
        removed: ids.filter((id) => !left.has(id)),
        can_undo: true,
        can_redo: false,
      };
      results.set(uuid, result);
      return result;
    },
  };
}

type Server = ReturnType<typeof createServer>;

/** One page: a document that is typed in and saves itself, with a connection that fails. */
function createEditor(server: Server, random: Random) {
  const passages = server.passages();
  const doc = schema.nodes.doc.create(
    null,
    passages.map((one) => passageOf(one, false)),
  );
  const view = {
    state: EditorState.create({ schema, doc }),
    composing: false,
    hasFocus: () => false,
    dispatch: (tr: Transaction) => void (view.state = view.state.apply(tr)),
  };
  let isOnline = true;
  const reach = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    if (!isOnline || random(20) === 0) throw unreachable;
    const answer = work();
    // The work is done, and its answer is lost.
    if (random(20) === 0) throw unreachable;
    return answer;
  };
  const autosave = createAutosave(view as unknown as EditorView, passages, {
    send: (request) => reach(() => server.apply(request)),
    revert: () => Promise.reject(unreachable),
    reload: () => reach(server.passages),
    loadAgain: () => undefined,
    failureOf: (error) => (error === outdated ? 'outdated' : 'connection'),
    onRefused: () => undefined,
    onSaved: () => undefined,
    draft: { read: () => null, write: () => undefined },
  });
  return {
    view,
    autosave,
    setOnline: (next: boolean): void => void (isOnline = next),
    texts: (): string[] => view.state.doc.children.map(textOf),
    receive: (): Promise<void> => autosave.receivePassages(server.passages()),
  };
}

type Editor = ReturnType<typeof createEditor>;

/** A random change of a document. `deleted` gets the words that were removed. @returns the words that were added */
function change({ view }: Editor, random: Random, name: () => string, deleted: Set<string>): string[] {
  const { doc } = view.state;
  if (doc.childCount === 0) return [];
  const index = random(doc.childCount);
  const start = (startsOf(doc)[index] ?? 0) + 1;
  const text = doc.child(index).textContent;
  const gaps = [...text.matchAll(/(?<=\S)(?= |$)/gu)].map((match) => match.index);
  const at = start + (gaps[random(Math.max(1, gaps.length))] ?? 0);
  const { tr } = view.state;
  const select = (position: number): void =>
    view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, position)));
  switch (random(10)) {
    case 0: {
      if (gaps.length < 2) return [];
      select(at);
      splitPassage(view.state, view.dispatch);
      return [];
    }
    case 1: {
      if (index === 0) return [];
      select(start);
      joinBefore(view.state, view.dispatch);
      return [];
    }
    case 2:
    case 3: {
      const words = [...text.matchAll(/\S+/gu)];
      const word = words[random(Math.max(1, words.length))];
      if (!word || words.length < 2) return [];
      deleted.add(word[0]);
      view.dispatch(tr.delete(start + word.index, start + word.index + word[0].length));
      return [];
    }
    default: {
      const added = name();
      view.dispatch(tr.insertText(` ${added} `, at));
      return [added];
    }
  }
}

export type Outcome = { texts: string[]; documents: string[][]; lost: string[]; doubled: string[] };

/** Random changes by several editors whose connections fail; then all are connected again and save. */
export async function simulate(options: {
  editors: number;
  changes: number;
  passages: number;
  random: Random;
}): Promise<Outcome> {
  const { random } = options;
  const server = createServer(Array.from({ length: options.passages }, (_, i) => segment(i)));
  const words = new Set(server.passages().flatMap(({ text }) => text.split(' ')));
  const deleted = new Set<string>();
  const editors = Array.from({ length: options.editors }, () => createEditor(server, random));
  const running: Promise<void>[] = [];
  let count = 0;
  for (let i = 0; i < options.changes; i += 1) {
    const editor = editors[random(editors.length)] as Editor;
    for (const word of change(editor, random, () => `n${(count += 1)}`, deleted)) words.add(word);
    if (random(3) === 0) running.push(editor.autosave.flush());
    if (random(4) === 0) running.push((editors[random(editors.length)] as Editor).receive());
    if (random(50) === 0) editor.setOnline(random(2) === 0);
    if (random(2) === 0) await Promise.resolve();
    if (running.length > 100) await Promise.all(running.splice(0));
  }
  await Promise.all(running);
  for (const editor of editors) editor.setOnline(true);
  for (let round = 0; round < 200 && !editors.every(({ autosave }) => autosave.isIdle()); round += 1)
    for (const { autosave } of editors) await autosave.flush();
  for (const editor of editors) await editor.receive();
  const texts = server.passages().map(({ text }) => text);
  const stored = texts.flatMap((text) => text.split(' '));
  const conflicts = editors.flatMap(({ autosave }) => autosave.state.get().conflicts);
  const kept = new Set([...stored, ...conflicts.flatMap(({ text }) => text.split(/\s/u))]);
  const documents = editors.map((editor) => editor.texts());
  for (const { autosave } of editors) autosave.close();
  return {
    texts,
    documents,
    lost: [...words].filter((word) => !kept.has(word) && !deleted.has(word)),
    doubled: stored.filter((word, i) => word !== '' && stored.indexOf(word) !== i),
  };
}

function segment(index: number): SegmentObject {
  return {
    uuid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    start_time: index * 10,
    end_time: index * 10 + 10,
    text: Array.from({ length: 8 }, (_, i) => `w${index}.${i}`).join(' '),
    speaker: null,
    confidence: null,
    edited: false,
    edited_at: null,
    edited_by: null,
    edited_by_name: null,
    version: 1,
    words: [],
    redactions: [],
    withheld: false,
  };
}
