import { useCallback, useMemo, useRef, useState } from 'react';
import { usePassageDrafts } from './passage-drafts.ts';

/** Which passages are open for editing: those the person opened, and those with a draft. */
export type Editing = {
  readonly isOpen: (segmentId: string) => boolean;
  /** The passage opened last; its row stays rendered. */
  readonly latest: string | null;
  readonly open: (segmentId: string) => void;
  readonly close: (segmentId: string) => void;
  /** Keeps the row of this passage rendered: its editor has the keyboard. */
  readonly hold: (segmentId: string) => void;
  /** True once after `open`: the editor then takes the keyboard. */
  readonly takeFocus: (segmentId: string) => boolean;
};

export function useEditing(fileId: string): Editing {
  const drafts = usePassageDrafts(fileId);
  const [opened, setOpened] = useState<readonly string[]>([]);
  const wantsFocus = useRef<string | null>(null);
  const hold = useCallback(
    (segmentId: string) =>
      setOpened((before) =>
        before.at(-1) === segmentId ? before : [...before.filter((id) => id !== segmentId), segmentId],
      ),
    [],
  );
  const open = useCallback(
    (segmentId: string) => {
      wantsFocus.current = segmentId;
      hold(segmentId);
    },
    [hold],
  );
  const close = useCallback((segmentId: string) => setOpened((before) => before.filter((id) => id !== segmentId)), []);
  const takeFocus = useCallback((segmentId: string) => {
    if (wantsFocus.current !== segmentId) return false;
    wantsFocus.current = null;
    return true;
  }, []);
  return useMemo(
    () => ({
      isOpen: (segmentId) => opened.includes(segmentId) || drafts.has(segmentId),
      latest: opened.at(-1) ?? null,
      open,
      hold,
      close,
      takeFocus,
    }),
    [opened, drafts, open, hold, close, takeFocus],
  );
}
