import { isHistoryTransaction } from 'prosemirror-history';
import { EditorState, type Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import type { Random } from '@overtone/testkit/seed';
import { createAutosave, type Draft } from '../../src/file/editor/autosave.ts';
import { pluginsOf, type EditorKeys } from '../../src/file/editor/plugins.ts';
import { attrsOf, docOf, passageOf, passagesOf, schema, segmentOf, textOf } from '../../src/file/editor/schema.ts';
import { createUndo } from '../../src/file/editor/undo.ts';
import { NothingToUndo, Outdated, Refused, type CorrectionsServer } from './corrections-server.ts';

const unreachable = new Error('unreachable');

/** What the oracle knows of a person: the words that this person has typed or deleted, and those that may be missing. */
export type Words = { readonly own: Set<string>; readonly deleted: Set<string>; readonly wronglyRemoved: Set<string> };

export type Shown = { text: string; speaker: string | null; times: [number, number] };

/** One page: a document that is typed in and saves itself, with undo, and with a connection that fails. */
export function createEditor(server: CorrectionsServer, person: string, random: Random, words: Words) {
  let isOnline = true;
  let draft: Draft | null = null;
  const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const reach = async <T>(work: () => T): Promise<T> => {
    await (random(2) === 0 ? Promise.resolve() : delay(random(900)));
    if (!isOnline || random(20) === 0) throw unreachable;
    const answer = work();
    if (random(3) === 0) await delay(random(900));
    // The work is done, and its answer is lost.
    if (!isOnline || random(20) === 0) throw unreachable;
    return answer;
  };
  const revert = (which: 'undo' | 'redo', uuid: string) => {
    const before = wordsIn(server.passages());
    const result = server.revert(person, which, uuid);
    removed(before, wordsIn(server.passages()));
    return result;
  };
  const removed = (before: readonly string[], after: readonly string[]): void => {
    const kept = new Set(after);
    for (const word of before.filter((one) => !kept.has(one)))
      (words.own.has(word) ? words.deleted : words.wronglyRemoved).add(word);
  };
  const open = () => {
    const passages = server.passages();
    const nodes = passages.map((one) => passageOf(one, false));
    const plugins = pluginsOf(noKeys);
    let isOpen = true;
    const view = {
      // Small groups, so that most changes are of several.
      state: EditorState.create({ schema, doc: docOf(nodes, 3), plugins }),
      composing: false,
      hasFocus: () => false,
      dispatch: (tr: Transaction): void => {
        const before = view.state;
        view.state = view.state.apply(tr);
        if (isHistoryTransaction(tr)) removed(wordsOf(before), wordsOf(view.state));
        if (!tr.docChanged || tr.getMeta('addToHistory') === false) return;
        undo.changed();
        autosave.changed();
      },
    };
    const receive = async (): Promise<void> => {
      const [loaded, base] = [server.passages(), autosave.base()];
      if (random(2) === 0) await delay(random(500));
      // A response that a save has overtaken is not used; the page loads again.
      if (isOpen && autosave.base() !== base) return receive();
      if (isOpen) await autosave.receivePassages(loaded);
    };
    const autosave = createAutosave(view as unknown as EditorView, passages, {
      send: (request) => reach(() => server.apply(person, request)),
      revert: (which, uuid) => reach(() => revert(which, uuid)),
      reload: () => reach(server.passages),
      loadAgain: () => void receive(),
      failureOf: (error) =>
        error instanceof Outdated ? 'outdated' : error instanceof Refused ? 'refused' : 'connection',
      onRefused: () => undefined,
      onSaved: () => undefined,
      draft: { read: () => draft, write: (next) => void (draft = next) },
    });
    const undo = createUndo({ view: view as unknown as EditorView, autosave });
    const close = (): void => {
      isOpen = false;
      autosave.close();
    };
    return { view, autosave, undo, receive, close };
  };
  let page = open();
  void page.autosave.restore();
  return {
    state: (): EditorState => page.view.state,
    dispatch: (tr: Transaction): void => page.view.dispatch(tr),
    autosave: () => page.autosave,
    isOnline: (): boolean => isOnline,
    setOnline: (next: boolean): void => void (isOnline = next),
    receive: (): Promise<void> => page.receive(),
    /** @returns whether it was undone or redone */
    revert: async (which: 'undo' | 'redo'): Promise<boolean> => {
      try {
        return (await page.undo.revert(which)) !== null;
      } catch (error) {
        if (expected(error)) return false;
        throw error;
      }
    },
    reopen: async (): Promise<void> => {
      page.close();
      page = open();
      await page.autosave.restore();
    },
    close: (): void => page.close(),
    shown: (): Shown[] =>
      passagesOf(page.view.state.doc).map((node) => {
        const { start_time: start, end_time: end } = segmentOf(node);
        return { text: textOf(node), speaker: attrsOf(node).speaker, times: [start, end] };
      }),
  };
}

export type Editor = ReturnType<typeof createEditor>;

export function wordsIn(passages: readonly { readonly text: string }[]): string[] {
  return passages.flatMap(({ text }) => text.split(/\s+/u)).filter((word) => word !== '');
}

export function wordsOf({ doc }: EditorState): string[] {
  return wordsIn(passagesOf(doc).map((node) => ({ text: textOf(node) })));
}

function expected(error: unknown): boolean {
  return error === unreachable || error instanceof Outdated || error instanceof NothingToUndo;
}

function nothing(): void {
  return undefined;
}

const noKeys: EditorKeys = {
  toggle: nothing,
  leave: nothing,
  undo: nothing,
  redo: nothing,
  chooseSpeaker: nothing,
  speakerAt: nothing,
  nudge: nothing,
  uncertain: nothing,
  accept: nothing,
  goToSound: nothing,
  playFromCaret: nothing,
  comment: nothing,
  highlight: nothing,
  code: nothing,
  isEditable: () => true,
};
