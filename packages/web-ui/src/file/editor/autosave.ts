import { closeHistory, redoDepth, undoDepth } from 'prosemirror-history';
import type { EditorView } from 'prosemirror-view';
import type { CorrectionResult } from '@overtone/contracts';
import type { Segment } from '../../api/queries.ts';
import { observable, type Observable } from '../../lib/observable.ts';
import { readCaret } from './caret.ts';
import {
  acknowledge,
  applyResult,
  asSaved,
  comparedWith,
  isSameContent,
  repeatOperations,
  reuseKnown,
  type Conflict,
} from './merge.ts';
import { batchOf, operationsOf, outdated, type Operation, type UnsavedOperation } from './operations.ts';
import { beforeInsertions, continuedAll, isApplied, isPartOf, together, withRemoved } from './unsent-operations.ts';

export type Request = { readonly uuid: string; readonly operations: readonly Operation[] };
/** Kept in the browser until it is saved: across reload, closed tabs and the end of the session. */
export type Draft = {
  /** Sent, without a response so far: it is sent again before anything else, and applied once. */
  readonly request: Request | null;
  readonly operations: readonly Operation[];
  readonly conflicts: readonly Conflict[];
};
export type SaveState = {
  readonly status: 'saved' | 'saving' | 'offline';
  readonly conflicts: readonly Conflict[];
};
/** What a failed request means: the connection, another version, a correction that the server does not take, or none. */
export type Failure = 'connection' | 'outdated' | 'refused' | 'forbidden';

export type AutosaveDeps = {
  readonly send: (request: Request) => Promise<CorrectionResult>;
  readonly revert: (which: 'undo' | 'redo', uuid: string) => Promise<CorrectionResult>;
  /** The passages as the server stores them now. */
  readonly reload: () => Promise<readonly Segment[]>;
  /** Lets the page load the passages, and pass them to `receivePassages`. */
  readonly loadAgain: () => void;
  readonly failureOf: (error: unknown) => Failure;
  readonly onRefused: (error: unknown) => void;
  /** Called with the saved passages, for everything that is shown besides the document. */
  readonly onSaved: (base: readonly Segment[], result: CorrectionResult) => void;
  readonly draft: { readonly read: () => Draft | null; readonly write: (draft: Draft | null) => void };
};

/** Saved within a second of the last key. */
const pauseMs = 600;
/** During typing without a pause. */
const longestMs = 3_000;
const retryMs = [1_000, 2_000, 5_000, 10_000] as const;

export type Autosave = ReturnType<typeof createAutosave>;

/**
 * Saves a document as operations on the passages of the server. One request is sent at a time; whatever differs after it
 * is the next one. The undo and redo of saved corrections are the server's, so that they work after a reload and on
 * another device.
 */
export function createAutosave(view: EditorView, initial: readonly Segment[], deps: AutosaveDeps) {
  const state: Observable<SaveState> = observable<SaveState>({
    status: 'saved',
    conflicts: [],
  });
  let base = initial;
  let request: Request | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let typingSince = 0;
  let failures = 0;
  let running: Promise<void> | null = null;
  let reverts: Promise<unknown> = Promise.resolve();
  let isReverting = false;
  let connectionsLost = 0;
  let lastError: unknown;
  /** Repeats an undo that waits for the connection. */
  let wake = (): void => undefined;
  let closed = false;
  /** After a refusal each correction is sent alone, so that one does not keep the others from being saved. */
  let sendsSingly = false;
  /** How many steps the document could undo when the last request was made, and the last one that was saved. */
  let sentDepth = 0;
  let savedDepth = 0;
  /** How many it could undo at the last change. */
  let lastDepth = 0;
  /** How many it could redo when the passages of others were shown last. */
  let knownRedoDepth = 0;
  /** Until the draft of an earlier visit was read, it must not be replaced. */
  let restored = false;
  /** Of an earlier visit, and not shown before it is known whether they were saved. */
  let held: readonly Operation[] = [];

  const update = (next: Partial<SaveState>): void => {
    const [before, after] = [state.get(), { ...state.get(), ...next }];
    if (before.status !== after.status || before.conflicts !== after.conflicts) state.set(after);
  };
  /** The document keeps about a hundred steps: it forgets many of the oldest at once, with the step that is one too many. */
  const countForgotten = (): void => {
    const depth = undoDepth(view.state);
    const forgotten = lastDepth + 1 - depth;
    lastDepth = depth;
    // An undo takes one away.
    if (forgotten <= 2) return;
    sentDepth = Math.max(0, sentDepth - forgotten);
    savedDepth = Math.max(0, savedDepth - forgotten);
  };
  const pending = (): Operation[] => operationsOf(base, view.state.doc);
  const unsaved = (): Operation[] => together(pending(), held);
  const keepDraft = (): void => {
    if (!restored || closed) return;
    const { conflicts } = state.get();
    const { doc } = view.state;
    const known = request ? withRemoved(base, request.operations, doc) : base;
    const operations = together(operationsOf(known, doc), held);
    const isEmpty = request === null && operations.length === 0 && conflicts.length === 0;
    deps.draft.write(isEmpty ? null : { request, operations, conflicts });
  };
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };
  const waitForConnection = (error: unknown): void => {
    update({ status: 'offline' });
    schedule(retryMs[Math.min(failures, retryMs.length - 1)] ?? 1_000);
    failures += 1;
    connectionsLost += 1;
    lastError = error;
  };
  const receive = (result: CorrectionResult, operations: readonly Operation[]): void => {
    if (closed) return;
    const next = applyResult(base, result, operations);
    const saved = asSaved(base, operations, next);
    // A repeated request is answered with what others have changed since it was applied.
    if (!isSameContent(saved, next)) {
      const later = operationsOf(saved, view.state.doc);
      base = saved;
      rebase(next, later);
      return deps.onSaved(base, result);
    }
    base = next;
    readCaret(view);
    view.dispatch(acknowledge(view.state, base, operations));
    update({ conflicts: comparedWith(base, state.get().conflicts) });
    deps.onSaved(base, result);
  };
  /** Shows what others have saved, with what is not saved yet. */
  const rebase = (next: readonly Segment[], operations: readonly UnsavedOperation[]): void => {
    // The draft is that of the next visit.
    if (closed) return;
    const previous = base;
    base = next;
    held = [];
    readCaret(view);
    const { tr, conflicts } = repeatOperations(view.state, base, operations, previous);
    view.dispatch(tr.setMeta('addToHistory', false));
    // What is not saved was typed again: the steps of the document no longer know its place.
    savedDepth = sentDepth = undoDepth(view.state);
    knownRedoDepth = redoDepth(view.state);
    const known = state.get().conflicts;
    update({ conflicts: comparedWith(base, conflicts.length > 0 ? [...known, ...conflicts] : known) });
    keepDraft();
  };
  const fail = async (error: unknown, sent: Request): Promise<boolean> => {
    const failure = deps.failureOf(error);
    if (failure === 'connection') {
      waitForConnection(error);
      return false;
    }
    request = null;
    if (failure === 'refused' && sent.operations.length > 1) {
      sendsSingly = true;
      return true;
    }
    const next = await deps.reload();
    // With what was typed during the reload.
    const operations = unsaved();
    if (failure !== 'outdated') deps.onRefused(error);
    // What was refused becomes a conflict, so that it is not lost and not sent again.
    const isRefused = (one: Operation): boolean => failure !== 'outdated' && isPartOf(one, sent.operations);
    rebase(
      next,
      operations.map((one) =>
        isRefused(one) ? { ...outdated(one), isRefused: true, version: one.segments[0]?.version } : one,
      ),
    );
    return true;
  };
  const saveOnce = async (): Promise<boolean> => {
    const unsent = request ? [] : pending();
    const operations = request ? request.operations : sendsSingly ? unsent.slice(0, 1) : batchOf(unsent);
    if (operations.length === 0) {
      sendsSingly = false;
      failures = 0;
      update({ status: 'saved' });
      keepDraft();
      return false;
    }
    if (request === null) {
      view.dispatch(closeHistory(view.state.tr));
      sentDepth = undoDepth(view.state);
    }
    const sent: Request = request ?? { uuid: crypto.randomUUID(), operations };
    request = sent;
    if (failures === 0) update({ status: 'saving' });
    keepDraft();
    try {
      const result = await deps.send(sent);
      if (closed) return false;
      request = null;
      failures = 0;
      savedDepth = sentDepth;
      receive(result, sent.operations);
      return true;
    } catch (error) {
      if (closed) return false;
      return await fail(error, sent).catch((another: unknown) => {
        waitForConnection(another);
        return false;
      });
    }
  };
  const run = async (): Promise<void> => {
    while (!closed && (await saveOnce()));
  };
  async function flush(): Promise<void> {
    clearTimeout(timer);
    typingSince = 0;
    wake();
    running ??= run().finally(() => (running = null));
    await running;
  }
  /** One step, after everything is saved. `lost`: the lost connections when it was asked for. */
  async function revertNext(which: 'undo' | 'redo', lost: number): Promise<readonly string[]> {
    do await flush();
    while (running);
    if (closed) return [];
    // What was typed while there was no connection is not what it was meant for.
    if (connectionsLost !== lost) throw lastError;
    update({ status: 'saving' });
    const work = revertOnce(which);
    isReverting = true;
    running = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        isReverting = false;
        running = null;
      });
    try {
      return await work;
    } finally {
      if (pending().length > 0) schedule(pauseMs);
      else update({ status: 'saved' });
    }
  }
  async function revertOnce(which: 'undo' | 'redo'): Promise<readonly string[]> {
    const result = await sendRevert(which);
    if (closed) return [];
    rebase(applyResult(base, result), unsaved());
    deps.onSaved(base, result);
    return result.segments.map((segment) => segment.uuid);
  }
  /** With one id until it is answered: it may be done although its answer was lost. */
  async function sendRevert(which: 'undo' | 'redo'): Promise<CorrectionResult> {
    const uuid = crypto.randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await deps.revert(which, uuid);
        failures = 0;
        return result;
      } catch (error) {
        const isLost = !closed && deps.failureOf(error) === 'connection';
        const stored = isLost && attempt > retryMs.length ? await deps.reload().catch(() => null) : null;
        if (stored && !closed) rebase(stored, unsaved());
        if (!isLost || stored) {
          failures = 0;
          throw error;
        }
        waitForConnection(error);
        await new Promise<void>((resolve) => (wake = resolve));
        if (closed) throw error;
      }
    }
  }

  /** Sends the request of an earlier visit again. `operations` are all that were not saved then, with those of the request. */
  async function restoreSent(sent: Request, operations: readonly Operation[]): Promise<void> {
    // What was typed is shown at once; whether it was saved already is known later.
    const isStored = isApplied(sent.operations, base);
    const unsent = isStored ? continuedAll(operations, sent.operations, base) : operations;
    const shown = repeatOperations(view.state, base, isStored ? unsent : beforeInsertions(unsent, sent.operations));
    const isShown = shown.conflicts.length === 0;
    if (isShown) view.dispatch(shown.tr.setMeta('addToHistory', false));
    else held = unsent;
    try {
      const result = await deps.send(sent);
      request = null;
      if (isShown) {
        receive(result, sent.operations);
        return keepDraft();
      }
      const next = applyResult(base, result, sent.operations);
      held = continuedAll(held, sent.operations, next);
      rebase(next, unsaved());
      deps.onSaved(base, result);
    } catch (error) {
      try {
        if (deps.failureOf(error) === 'connection') throw error;
        const next = await deps.reload();
        request = null;
        rebase(next, unsaved());
      } catch (lost) {
        if (isShown) keepDraft();
        else rebase(base, unsaved());
        waitForConnection(lost);
      }
    }
  }
  return {
    state,
    flush,
    isIdle: (): boolean => running === null && request === null && pending().length === 0,
    /** Whether a request is on its way, and no earlier one has failed. */
    isSending: (): boolean => running !== null && failures === 0,
    /** Whether the last step in the document was made after the last save, and after others were shown. */
    canUndoHere: (): boolean => pending().length > 0 && undoDepth(view.state) > savedDepth,
    canRedoHere: (): boolean => redoDepth(view.state) > knownRedoDepth,
    base: () => base,
    /** The document was changed by the person. */
    changed: (): void => {
      countForgotten();
      knownRedoDepth = Math.min(knownRedoDepth, redoDepth(view.state));
      typingSince ||= performance.now();
      keepDraft();
      if (failures > 0) return;
      update({ status: 'saving' });
      schedule(Math.min(pauseMs, Math.max(0, longestMs - (performance.now() - typingSince))));
    },
    keepDraft,
    /** Continues with what an earlier visit could not save. */
    restore: async (): Promise<void> => {
      const draft = deps.draft.read();
      restored = true;
      if (!draft) return;
      update({ conflicts: draft.conflicts });
      request = draft.request;
      if (request) {
        update({ status: 'saving' });
        running = restoreSent(request, draft.operations)
          .catch(waitForConnection)
          .finally(() => (running = null));
        await running;
      } else rebase(base, draft.operations);
      if (request !== null) return;
      const isSaved = pending().length === 0;
      update({ status: isSaved ? 'saved' : 'saving' });
      if (!isSaved) schedule(pauseMs);
    },
    /** The transcript was loaded again: others have edited it. */
    receivePassages: async (loaded: readonly Segment[]): Promise<void> => {
      const known = base;
      const next = reuseKnown(known, loaded);
      if (isSameList(next, known)) return;
      // Without a wait when nothing is sent: what was typed on an earlier visit is repeated on these passages.
      if (running) await running;
      if (request !== null) return;
      if (base === known) return rebase(next, unsaved());
      // Saved, undone or loaded during the wait: these passages may be older than that.
      if (!isSameList(reuseKnown(base, loaded), base)) deps.loadAgain();
    },
    /** @returns the ids of the passages that changed; nothing when there is nothing to undo */
    revert: (which: 'undo' | 'redo'): Promise<readonly string[]> => {
      // One at a time: the passages of an earlier undo must not arrive after those of a later one.
      if (isReverting && failures > 0) return Promise.reject(lastError);
      const lost = connectionsLost;
      const own = reverts.then(() => revertNext(which, lost));
      reverts = own.catch(() => undefined);
      return own;
    },
    dropConflict: (conflict: Conflict): void => {
      update({ conflicts: state.get().conflicts.filter((one) => one !== conflict) });
      keepDraft();
    },
    /** Forgets all that is not saved, and shows what is. */
    discard: (): void => {
      request = null;
      update({ conflicts: [] });
      rebase(base, []);
    },
    /** Sends what is not saved yet; until it is, the draft keeps it. */
    close: (): void => {
      clearTimeout(timer);
      const operations = batchOf(pending());
      if (request === null && operations.length > 0) request = { uuid: crypto.randomUUID(), operations };
      keepDraft();
      closed = true;
      wake();
      const last = request;
      if (last === null) return;
      const finish = (result: CorrectionResult): void => {
        const next = applyResult(base, result, last.operations);
        deps.onSaved(next, result);
        const draft = deps.draft.read();
        if (draft?.request?.uuid !== last.uuid) return;
        // What was typed after the request was made is kept for the next visit. Others may have changed its passages since.
        const saved = asSaved(base, last.operations, next);
        const operations = together(operationsOf(saved, view.state.doc), held);
        const isEmpty = operations.length === 0 && draft.conflicts.length === 0;
        deps.draft.write(isEmpty ? null : { request: null, operations, conflicts: draft.conflicts });
      };
      deps.send(last).then(finish, () => undefined);
    },
  };
}

function isSameList(left: readonly Segment[], right: readonly Segment[]): boolean {
  return left.length === right.length && left.every((segment, i) => segment === right[i]);
}
