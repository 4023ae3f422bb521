import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { lastFocusedElement } from './last-focus.ts';

/** A dialog that is shown as long as it is mounted. When it closes, the focus returns to what opened it. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const [opener] = useState(lastFocusedElement);
  // The library returns the focus of a dialog that it closes, not of one that is unmounted.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) opener?.focus();
    },
    [opener],
  );
  return <Modal {...props} opened />;
}
