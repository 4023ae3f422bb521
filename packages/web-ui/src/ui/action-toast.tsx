import { t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { notify, notifyError, toneOfNotice } from './notify.ts';

type Action = {
  readonly label: string;
  readonly run: () => void;
  /** Milliseconds until the toast closes. */
  readonly autoClose: number;
  readonly isFailure?: boolean;
};

/** Shows a toast with one button; pressing it closes the toast and runs the action. @returns its id, to hide it */
export function notifyWithAction(message: string, { label, run, autoClose, isFailure = false }: Action): string {
  const id = notifications.show({
    ...toneOfNotice(isFailure),
    closeButtonProps: { 'aria-label': t`Close` },
    autoClose,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            run();
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  });
  return id;
}

/** Reports a change with a button that undoes it. @returns the id of the toast */
export function notifyWithUndo(message: string, undo: () => Promise<unknown>): string {
  return notifyWithAction(message, { label: t`Undo`, run: () => void report(undo), autoClose: 20_000 });
}

async function report(undo: () => Promise<unknown>): Promise<void> {
  try {
    await undo();
    notify(t`Undone.`);
  } catch (error) {
    notifyError(t`This couldn’t be undone`, error);
  }
}
