import { t } from '@lingui/core/macro';
import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNote } from './error-note.tsx';
import { useReloadAfterRefusal } from './use-reload-after-refusal.ts';
import { Dialog } from './dialog.tsx';

type ConfirmProps = {
  title: string;
  children: ReactNode;
  action: string;
  keep?: string;
  harmless?: boolean;
  run: () => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
};
/** Asks before an action that cannot be undone, or that affects another person immediately. */
export function Confirm({ title, children, action, keep = t`Cancel`, harmless, run, onDone, onClose }: ConfirmProps) {
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: () => {
      onClose();
      onDone();
    },
  });
  useReloadAfterRefusal(mutation.error);
  // The request can't be taken back: the question stays until its result is known.
  const close = (): void => {
    if (!mutation.isPending) onClose();
  };
  return (
    <Dialog onClose={close} title={<b>{title}</b>}>
      <Stack gap="md">
        <div>{children}</div>
        {mutation.error && <FailureNote error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus disabled={mutation.isPending} onClick={close}>
            {keep}
          </Button>
          <Button
            {...(harmless ? {} : { color: 'red' })}
            loading={mutation.isPending}
            onClick={() => mutation.mutate()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
