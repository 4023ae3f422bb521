import { useCallback, useMemo, useRef, useState } from 'react';
import { usePassageDrafts } from './passage-drafts.ts';

/** The passages open for editing: those the person opened, and those with a draft. */
export type Editing = {
  readonly isOpen: (segmentId: string) => boolean;
  /** The passage opened last; its row stays rendered. */
  readonly latest: string | null;
  /** With the caret at this place of the text, or at its end. */
  readonly open: (segmentId: string, caret?: number) => void;
  readonly close: (segmentId: string) => void;
  /** Keeps the row of this passage rendered while its editor has the focus. */
  readonly keepRendered: (segmentId: string) => void;
  /** Where the caret goes, once after `open`: the editor then takes the focus. */
  readonly takeFocus: (segmentId: string) => number | null;
};

export function useEditing(fileId: string): Editing {
  const drafts = usePassageDrafts(fileId);
  const [opened, setOpened] = useState<readonly string[]>([]);
  const pendingFocus = useRef<{ readonly segmentId: string; readonly caret: number } | null>(null);
  const keepRendered = useCallback(
    (segmentId: string) =>
      setOpened((before) =>
        before.at(-1) === segmentId ? before : [...before.filter((id) => id !== segmentId), segmentId],
      ),
    [],
  );
  const open = useCallback(
    (segmentId: string, caret = Number.MAX_SAFE_INTEGER) => {
      pendingFocus.current = { segmentId, caret };
      keepRendered(segmentId);
    },
    [keepRendered],
  );
  const close = useCallback((segmentId: string) => setOpened((before) => before.filter((id) => id !== segmentId)), []);
  const takeFocus = useCallback((segmentId: string) => {
    if (pendingFocus.current?.segmentId !== segmentId) return null;
    const { caret } = pendingFocus.current;
    pendingFocus.current = null;
    return caret;
  }, []);
  return useMemo(
    () => ({
      isOpen: (segmentId) => opened.includes(segmentId) || drafts.has(segmentId),
      latest: opened.at(-1) ?? null,
      open,
      keepRendered,
      close,
      takeFocus,
    }),
    [opened, drafts, open, keepRendered, close, takeFocus],
  );
}
