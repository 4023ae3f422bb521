import { useEffect, useRef } from 'react';

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
    if (closed && isFocusLost()) latest.current()?.focus({ preventScroll: true });
  }, [open]);
}

/** Also true for a dialog that is just closing. */
function isFocusLost(): boolean {
  return (
    document.activeElement === null ||
    document.activeElement === document.body ||
    document.activeElement.closest('[role="dialog"]') !== null
  );
}
