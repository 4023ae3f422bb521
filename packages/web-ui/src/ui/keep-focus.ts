/**
 * A control that is disabled while its change is saved loses the focus to the page, and with it the next key. It gets the
 * focus back when it is enabled again, unless the focus was moved.
 */
export function keepFocusOfDisabled(page: Document): void {
  let focused: EventTarget | null = null;
  page.addEventListener('focusin', ({ target }) => (focused = target));
  page.addEventListener('pointerdown', () => (focused = null), { capture: true });
  new MutationObserver((changes) => {
    const isLost = page.activeElement === null || page.activeElement === page.body;
    for (const { target } of changes)
      if (isLost && target === focused && target instanceof HTMLElement && !target.hasAttribute('disabled'))
        target.focus({ preventScroll: true });
  }).observe(page, { subtree: true, attributeFilter: ['disabled'] });
}
