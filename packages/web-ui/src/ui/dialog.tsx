import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { recentlyFocused } from './last-focus.ts';

/** A dialog that is shown as long as it is mounted. When it closes, the focus returns to what opened it. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const [openers] = useState(recentlyFocused);
  // The library returns the focus of a dialog that it closes, not of one that is unmounted.
  useEffect(
    () => () => {
      // What opened a dialog may have been in another dialog, which this one replaced.
      if (document.activeElement === document.body) openers.find((element) => element.isConnected)?.focus();
    },
    [openers],
  );
  return <Modal {...props} opened />;
}
