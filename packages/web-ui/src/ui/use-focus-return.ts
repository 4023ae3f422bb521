import { useEffect, useRef } from 'react';
import { isFocusLost } from './keep-focus.ts';

/**
 * Moves the focus when an inline form closes and the browser would leave it on the page as a whole.
 * @param open whether the form is shown
 * @param find the element that gets the focus, usually the button that opened the form
 */
export function useFocusReturn(open: boolean, find: () => HTMLElement | null | undefined): void {
  const wasOpen = useRef(open);
  const latest = useRef(find);
  useEffect(() => {
    latest.current = find;
  });
  useEffect(() => {
    const closed = wasOpen.current && !open;
    wasOpen.current = open;
    // Also for a dialog that is just closing.
    const dialog = document.activeElement?.closest('[role="dialog"]') ?? null;
    if (closed && (isFocusLost(document) || dialog !== null)) latest.current()?.focus({ preventScroll: true });
  }, [open]);
}
