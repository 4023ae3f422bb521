import { useCallback, useMemo, useRef, useState } from 'react';
import { usePassageDrafts } from './passage-drafts.ts';

/** The passages open for editing: those the person opened, and those with a draft. */
export type Editing = {
  readonly isOpen: (segmentId: string) => boolean;
  /** The passage opened last; its row stays rendered. */
  readonly latest: string | null;
  readonly open: (segmentId: string) => void;
  readonly close: (segmentId: string) => void;
  /** Keeps the row of this passage rendered while its editor has the focus. */
  readonly keepRendered: (segmentId: string) => void;
  /** True once after `open`: the editor then takes the focus. */
  readonly takeFocus: (segmentId: string) => boolean;
};

export function useEditing(fileId: string): Editing {
  const drafts = usePassageDrafts(fileId);
  const [opened, setOpened] = useState<readonly string[]>([]);
  const pendingFocus = useRef<string | null>(null);
  const keepRendered = useCallback(
    (segmentId: string) =>
      setOpened((before) =>
        before.at(-1) === segmentId ? before : [...before.filter((id) => id !== segmentId), segmentId],
      ),
    [],
  );
  const open = useCallback(
    (segmentId: string) => {
      pendingFocus.current = segmentId;
      keepRendered(segmentId);
    },
    [keepRendered],
  );
  const close = useCallback((segmentId: string) => setOpened((before) => before.filter((id) => id !== segmentId)), []);
  const takeFocus = useCallback((segmentId: string) => {
    if (pendingFocus.current !== segmentId) return false;
    pendingFocus.current = null;
    return true;
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
