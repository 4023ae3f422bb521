import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { ErrorNote } from './error-note.tsx';

type Props = {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says that sends the form. */
  readonly action: string;
  /** Whether what is filled in can be sent. */
  readonly ready?: boolean;
  /** Whether the button is where the keyboard begins; else it is the field that says so. */
  readonly actionFirst?: boolean;
  readonly sending: { readonly error: Error | null; readonly isPending: boolean };
  /** What did not happen, when sending failed. */
  readonly failure?: string;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
};

/** A form in front of the page; it stays until what it sends is taken. */
export const FormDialog = ({ title, children, action, ready = true, actionFirst, sending, failure, ...on }: Props) => {
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (ready) on.onSubmit();
  };
  return (
    <Modal opened onClose={on.onClose} title={<b>{title}</b>}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {sending.error && <ErrorNote error={sending.error} {...(failure === undefined ? {} : { title: failure })} />}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={on.onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              {...(actionFirst ? { 'data-autofocus': true } : {})}
              loading={sending.isPending}
              disabled={!ready}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
