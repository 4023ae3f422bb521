import { t } from '@lingui/core/macro';
import { Alert, Text } from '@mantine/core';
import { Icon } from '../../ui/icons.tsx';
import type { Question } from '../settings/settings-form.tsx';
import { destinationText, newFolderText } from './labels.ts';
import type { DestinationStatus } from './operations-queries.ts';

export function destinationTest() {
  return {
    button: t`Test destination`,
    show: (status: DestinationStatus) => <DestinationResult status={status} />,
  };
}

/** Asks before a save creates a folder: a typing error, or a disk that is not mounted, fills the system disk. */
export function questionOfDestination(status: DestinationStatus): Question | null {
  const text = newFolderText(status);
  return text === null ? null : { title: t`Create this folder?`, text, action: t`Create the folder`, harmless: true };
}

function DestinationResult({ status }: { status: DestinationStatus }) {
  const newFolder = newFolderText(status);
  return (
    <Alert
      color={status.ok ? (newFolder === null ? 'petrol' : 'yellow') : 'red'}
      variant="light"
      icon={<Icon name={status.ok && newFolder === null ? 'check' : 'alert'} />}
      title={titleOf(status.ok, newFolder)}
      data-ok={status.ok}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {newFolder ?? destinationText(status)}
      </Text>
    </Alert>
  );
}

function titleOf(ok: boolean, newFolder: string | null): string {
  if (!ok) return t`Test failed`;
  return newFolder === null ? t`Test passed` : t`This folder doesn’t exist yet`;
}
