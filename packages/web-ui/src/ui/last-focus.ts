let lastFocused: HTMLElement | null = null;

/** Records which element of a page had the focus last, apart from the items of menus, which go when they are chosen. */
export function recordFocus(page: Document): void {
  page.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.closest('[role="menu"]') === null) lastFocused = target;
  });
}

/** The element that opened what is shown next. */
export function lastFocusedElement(): HTMLElement | null {
  return lastFocused;
}
