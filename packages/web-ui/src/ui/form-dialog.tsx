import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { FailureNote } from './error-note.tsx';
import { useUnsaved } from './unsaved.tsx';
import { useReloadAfterRefusal } from './use-reload-after-refusal.ts';
import { confirmDiscard, RestoredNote, type Draft } from './draft.tsx';
import { Dialog } from './dialog.tsx';

type Props = {
  readonly title: string;
  /** Width; by default that of a few fields. */
  readonly size?: string;
  readonly children: ReactNode;
  /** The label of the button that submits the form. */
  readonly action: string;
  /** Why the form can't be submitted, shown beside the disabled button; null when it can. */
  readonly unready?: string | null;
  /** Whether submitting destroys something: the button is red. */
  readonly danger?: boolean;
  /** Whether the submit button gets the focus; otherwise the field with `data-autofocus` does, or the first one. */
  readonly actionFirst?: boolean;
  readonly sending: { readonly error: Error | null; readonly isPending: boolean };
  /** Title of the error note when submitting failed. */
  readonly failure?: string;
  /** Fields that show their own messages of a failed submit. */
  readonly fields?: readonly string[];
  /** The typed text. Without it, closing still asks, but the text does not survive a reload (passwords must not). */
  readonly draft?: Pick<Draft<unknown>, 'changed' | 'restored' | 'drop'>;
  /** Whether a password is typed next to the draft: it is not stored, so leaving the page asks first. */
  readonly secretTyped?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
};

/** A form in a dialog. It closes after a successful submit, or after a question when something was typed. */
export function FormDialog({
  title,
  size = 'md',
  children,
  action,
  unready = null,
  danger = false,
  actionFirst,
  sending,
  failure,
  fields = [],
  draft,
  secretTyped = false,
  onSubmit,
  onClose,
}: Props) {
  const [touched, setTouched] = useState(false);
  const lostOnReload = draft === undefined ? touched : secretTyped;
  const changed = lostOnReload || (draft?.changed ?? false);
  useUnsaved(lostOnReload, onClose);
  useReloadAfterRefusal(sending.error);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (unready === null) onSubmit();
  };
  const close = async (): Promise<void> => {
    // The request can't be taken back: the dialog stays until its result is known.
    if (sending.isPending) return;
    if (await confirmDiscard({ changed, drop: () => draft?.drop() })) onClose();
  };
  return (
    <Dialog size={size} onClose={() => void close()} title={<b>{title}</b>}>
      <form onSubmit={submit} onInput={() => setTouched(true)}>
        <Stack gap="md">
          {draft && <RestoredNote draft={draft} />}
          {children}
          {sending.error && (
            <FailureNote error={sending.error} fields={fields} {...(failure === undefined ? {} : { title: failure })} />
          )}
          {unready !== null && (
            <Text size="sm" c="dimmed" ta="end" data-testid="unready">
              {unready}
            </Text>
          )}
          <Group justify="flex-end" className="ot-dialog-buttons">
            <Button variant="default" disabled={sending.isPending} onClick={() => void close()}>
              {t`Cancel`}
            </Button>
            <Button
              type="submit"
              {...(actionFirst ? { 'data-autofocus': true } : {})}
              {...(danger ? { color: 'red' } : {})}
              loading={sending.isPending}
              disabled={unready !== null}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** For `unready`: names the fields that are still empty. */
export function stillMissing(...labels: readonly (string | false)[]): string | null {
  const missing = labels.filter((label) => label !== false);
  return missing.length === 0 ? null : t`Still missing: ${missing.join(', ')}`;
}
