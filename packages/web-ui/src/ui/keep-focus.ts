/**
 * A control that is disabled while its change is saved loses the focus to the page, and with it the next key. It gets the
 * focus back when it is enabled again, unless the focus was moved.
 */
export function keepFocusOfDisabled(page: Document): void {
  let focused: EventTarget | null = null;
  page.addEventListener('focusin', ({ target }) => (focused = target));
  page.addEventListener('pointerdown', () => (focused = null), { capture: true });
  new MutationObserver((changes) => {
    const isLost = isFocusLost(page);
    for (const { target } of changes)
      if (isLost && target === focused && target instanceof HTMLElement && !target.hasAttribute('disabled'))
        target.focus({ preventScroll: true });
  }).observe(page, { subtree: true, attributeFilter: ['disabled'] });
}

const standIn = 'data-focus-stand-in';
/** What may stand in for a control that was removed: the entry of a list or the part of the page around it. */
const places = 'li, tr, section, [role="tabpanel"], [role="dialog"], main';

/** Whether no control has the focus: neither one that a person chose nor one that a page gave it to. */
export function isFocusLost(page: Document): boolean {
  const focused = page.activeElement;
  return focused === null || focused === page.body || focused.hasAttribute(standIn);
}

/**
 * A control that is removed by its own effect, such as “Delete”, loses the focus to the page, and the keyboard starts again
 * at its top. The entry that takes the place of the removed one gets the focus, else the part of the page around it. That
 * is no control: a second press has no effect.
 */
export function keepFocusOfRemoved(page: Document): void {
  let path: readonly Element[] = [];
  page.addEventListener('focusin', ({ target }) => (path = target instanceof Element ? pathOf(target) : []));
  new MutationObserver((changes) => {
    const [focused] = path;
    if (focused === undefined || focused.isConnected || !isFocusLost(page)) return;
    const remaining = path.findIndex((element) => element.isConnected);
    const removed = path[remaining - 1];
    const place = path[remaining]?.closest<HTMLElement>(places);
    // Menus and closed dialogs return the focus themselves. An editor keeps its own.
    if (!removed || !place || path.some((element) => element.hasAttribute('contenteditable'))) return;
    focusStandIn(entryBeside(removed, changes) ?? place);
  }).observe(page, { subtree: true, childList: true });
}

function pathOf(element: Element): Element[] {
  const path: Element[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) path.push(at);
  return path;
}

/** The entry of a list or table that followed the removed one, else the one before it. */
function entryBeside(removed: Element, changes: readonly MutationRecord[]): HTMLElement | undefined {
  if (!removed.matches('li, tr')) return undefined;
  const change = changes.find(({ removedNodes }) => [...removedNodes].includes(removed));
  return [change?.nextSibling, change?.previousSibling].find(
    (node): node is HTMLElement => node instanceof HTMLElement && node.isConnected && node.matches('li, tr'),
  );
}

function focusStandIn(element: HTMLElement): void {
  if (!element.hasAttribute('tabindex')) {
    element.tabIndex = -1;
    element.setAttribute(standIn, '');
    const restore = (): void => {
      element.removeAttribute('tabindex');
      element.removeAttribute(standIn);
    };
    element.addEventListener('blur', restore, { once: true });
  }
  element.focus({ preventScroll: true });
}
