import { Modal, type ModalProps } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isFocusLost } from './keep-focus.ts';
import { recentlyFocused } from './last-focus.ts';

/**
 * A dialog that is shown while mounted. What is marked with `data-autofocus` gets the focus, else the first field. When it
 * closes, the focus returns to what opened it.
 */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const { onClose, closeOnEscape = true } = props;
  const content = useRef<HTMLDivElement>(null);
  const onContent = useCallback((element: HTMLDivElement | null) => {
    content.current = element;
    if (element) markFirstField(element);
  }, []);
  const [openers] = useState(recentlyFocused);
  // The library returns the focus of a dialog that it closes, not of one that is unmounted.
  useEffect(
    () => () => {
      // What opened a dialog may have been in another dialog, which this one replaced.
      if (!isFocusLost(document)) return;
      const opener = openers.find((element) => element.isConnected) ?? document.getElementById('main');
      opener?.focus({ preventScroll: true });
    },
    [openers],
  );
  // The library leaves Escape to a list of suggestions, also to an empty one, which is not visible.
  useWindowEvent(
    'keydown',
    ({ key, isComposing, target }) => {
      if (key !== 'Escape' || isComposing || !closeOnEscape || !(target instanceof Element)) return;
      if (content.current?.contains(target) && hasInvisibleList(target)) onClose();
    },
    { capture: true },
  );
  return <Modal {...props} opened ref={onContent} />;
}

/** The library gives the focus to what is marked, else to the first button of the dialog, which closes it. */
function markFirstField(content: HTMLElement): void {
  if (!content.querySelector('[data-autofocus]'))
    content
      .querySelector(':is(input:not([type=file], [type=hidden]), textarea, select):enabled')
      ?.setAttribute('data-autofocus', 'true');
}

function hasInvisibleList(field: Element): boolean {
  if (field.getAttribute('data-mantine-stop-propagation') !== 'true') return false;
  const listId = field.getAttribute('aria-controls');
  return listId !== null && document.getElementById(listId)?.checkVisibility() !== true;
}
