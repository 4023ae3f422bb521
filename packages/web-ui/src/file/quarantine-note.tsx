import { t } from '@lingui/core/macro';
import { Alert, Text } from '@mantine/core';
import type { FileDetail } from '../api/queries.ts';
import { moment } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';

/** Why a recording is in quarantine. */
export function QuarantineNote({ file, mayOpen }: { file: FileDetail; mayOpen: boolean }) {
  if (file.quarantine === null) return null;
  const { reason, since } = file.quarantine;
  return (
    <Alert
      variant="light"
      color="red"
      mb="sm"
      icon={<Icon name="shield" />}
      title={since === null ? t`In quarantine` : t`In quarantine since ${moment(since)}`}
      data-testid="quarantine"
    >
      {reason !== '' && <Text size="sm">{t`Reason: ${reason}`}</Text>}
      <Text size="sm">
        {mayOpen
          ? t`Only administrators can open and download this recording; nobody can play it. Release it in the menu of its actions.`
          : t`Nobody can play, read or export this recording until an administrator releases it.`}
      </Text>
    </Alert>
  );
}
