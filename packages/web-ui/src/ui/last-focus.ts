const maxRecorded = 20;
let recorded: readonly HTMLElement[] = [];

/** Records which elements of a page had the focus, apart from the items of menus, which go when they are chosen. */
export function recordFocus(page: Document): void {
  page.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target.closest('[role="menu"]') !== null) return;
    recorded = [target, ...recorded.filter((element) => element !== target)].slice(0, maxRecorded);
  });
}

/** The newest first: the element that opened what is shown next, unless it was removed since. */
export function recentlyFocused(): readonly HTMLElement[] {
  return recorded;
}
