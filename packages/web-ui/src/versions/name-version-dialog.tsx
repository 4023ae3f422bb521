import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { NameDialog } from '../naming/name-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { versionsKey } from './version-queries.ts';

export function NameVersionDialog({ fileId, onClose }: { fileId: string; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <NameDialog
      title={t`Name this version`}
      failure={t`The version wasn’t named`}
      draftKey={`version-name:${fileId}`}
      name=""
      maxLength={200}
      send={(name) => call('POST /api/files/{uuid}/transcript/versions', { params: { uuid: fileId }, body: { name } })}
      refresh={() => client.invalidateQueries({ queryKey: versionsKey(fileId) })}
      onDone={(_, name) => notify(t`This version is named “${name}”.`)}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {t`You can compare the transcript with this version later, and restore it.`}
      </Text>
    </NameDialog>
  );
}
