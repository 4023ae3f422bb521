import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { Drafts } from './drafts.ts';
import { drafts } from './services.ts';
import type { Draft } from '../ui/draft.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';

type Options = {
  /** False for a form that shows its draft again when the page is opened the next time. */
  readonly askToLeave?: boolean;
  readonly store?: Drafts;
};

/**
 * The state of a form whose text survives a reload and the end of the session. Leaving the page asks first.
 * @param key stable across reloads: `group:<uuid>`
 * @param saved the value that the form shows without a draft
 */
export function useDraft<T>(key: string, saved: T, { askToLeave = true, store = drafts }: Options = {}): Draft<T> {
  const stored = useStoredDraft<T>(key, store);
  const [initial] = useState(stored);
  const drop = useCallback(() => store.drop(key), [store, key]);
  const changed = stored !== undefined;
  const savedText = JSON.stringify(saved);
  const set = useCallback(
    (value: T) => (JSON.stringify(value) === savedText ? store.drop(key) : store.write(key, value)),
    [store, key, savedText],
  );
  const dropSaved = useCallback(
    (value: T) => {
      if (Object.is(store.read(key), value)) store.drop(key);
    },
    [store, key],
  );
  useUnsaved(askToLeave && changed, drop, () => store.read(key) !== undefined);
  return useMemo(
    () => ({
      value: stored ?? saved,
      set,
      changed,
      restored: initial !== undefined && stored === initial,
      drop,
      dropSaved,
    }),
    // `savedText` instead of `saved`: callers create a new object on every render.
    [stored, savedText, set, changed, initial, drop, dropSaved],
  );
}

export function useStoredDraft<T>(key: string, store: Drafts = drafts): T | undefined {
  return useSyncExternalStore(store.all.subscribe, () => store.read(key)) as T | undefined;
}
