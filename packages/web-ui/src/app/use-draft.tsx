import { Anchor, Text } from '@mantine/core';
import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import { drafts } from './services.ts';
import { useUnsaved } from './unsaved.tsx';

/** The text of one place where something can be typed, kept until it is saved or discarded. */
export type Draft<T> = {
  readonly value: T;
  readonly set: (value: T) => void;
  /** True while the value differs from the saved one. */
  readonly changed: boolean;
  /** True when the text was there already as the place opened. */
  readonly restored: boolean;
  /** After saving or discarding. */
  readonly drop: () => void;
};

/**
 * The state of a form whose text survives reload and the end of the session. Leaving the page asks first.
 * @param place where it is typed, stable over reloads: `group:<uuid>`
 * @param saved what the form shows without a draft
 * @param askToLeave false for a place that shows its text again when the page is opened the next time
 */
export function useDraft<T>(place: string, saved: T, { askToLeave = true } = {}): Draft<T> {
  const stored = useStoredDraft<T>(place);
  const [before] = useState(stored);
  const drop = useCallback(() => drafts.drop(place), [place]);
  const changed = stored !== undefined;
  const savedText = JSON.stringify(saved);
  const set = useCallback(
    (value: T) => (JSON.stringify(value) === savedText ? drafts.drop(place) : drafts.write(place, value)),
    [place, savedText],
  );
  useUnsaved(askToLeave && changed, drop, () => drafts.read(place) !== undefined);
  return useMemo(
    () => ({ value: stored ?? saved, set, changed, restored: before !== undefined && stored === before, drop }),
    // `saved` by its content: callers build it on every render.
    [stored, savedText, set, changed, before, drop],
  );
}

export function useStoredDraft<T>(place: string): T | undefined {
  return useSyncExternalStore(drafts.all.subscribe, () => drafts.read(place)) as T | undefined;
}

/** Says that a form shows text of an earlier visit, until it is changed. */
export function RestoredNote({ draft }: { draft: Pick<Draft<unknown>, 'restored' | 'drop'> }) {
  if (!draft.restored) return null;
  return (
    <Text size="xs" c="dimmed" role="status">
      Unsaved text restored.{' '}
      <Anchor component="button" type="button" size="xs" onClick={draft.drop}>
        Discard it
      </Anchor>
    </Text>
  );
}
