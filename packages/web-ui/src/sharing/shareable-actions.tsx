import { t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../ui/confirm.tsx';
import { notify } from '../ui/notify.ts';
import { ShareDialog } from './share-dialog.tsx';
import type { Shared } from './shared.ts';

type Props = {
  readonly name: string;
  readonly isOwner: boolean;
  readonly shared: Shared;
  /** The dialog that changes it. */
  readonly edit: (onClose: () => void) => ReactNode;
  /** What deleting it means. */
  readonly warning: ReactNode;
  readonly remove: () => Promise<unknown>;
  readonly refresh: () => unknown;
  /** Where its list is. */
  readonly list: '/collections' | '/codes';
};

/** The buttons of a page about something with an owner: share, edit and delete. */
export function ShareableActions({ name, isOwner, shared, edit, warning, remove, refresh, list }: Props) {
  const [dialog, setDialog] = useState<'edit' | 'share' | 'delete' | null>(null);
  const navigate = useNavigate();
  const close = (): void => setDialog(null);
  return (
    <Group gap="sm">
      {isOwner && (
        <Button variant="light" onClick={() => setDialog('share')}>
          {t`Share`}
        </Button>
      )}
      <Button variant="default" onClick={() => setDialog('edit')}>
        {t`Edit`}
      </Button>
      {isOwner && (
        <Button variant="light" color="red" onClick={() => setDialog('delete')}>
          {t`Delete`}
        </Button>
      )}
      {dialog === 'edit' && edit(close)}
      {dialog === 'share' && <ShareDialog shared={shared} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          title={t`Delete “${name}”?`}
          action={t`Delete`}
          run={remove}
          onDone={() => {
            void navigate({ to: list });
            refresh();
            notify(t`“${name}” has been deleted.`);
          }}
          onClose={close}
        >
          <Text>{warning}</Text>
        </Confirm>
      )}
    </Group>
  );
}
