import { t } from '@lingui/core/macro';
import { Button, Menu, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { FileDetail } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { call } from '../api/client.ts';
import { NameDialog } from '../naming/name-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { versionsKey } from './version-queries.ts';

const VersionsDialog = lazy(() =>
  import('./versions-dialog.tsx').then((module) => ({ default: module.VersionsDialog })),
);

type Props = {
  readonly file: FileDetail;
  readonly editable: boolean;
  /** Saves what was typed in the transcript. */
  readonly saveFirst: () => Promise<void> | undefined;
};

/** Names the current transcript; compares earlier versions with it, and restores them. */
export function VersionsMenu({ file, editable, saveFirst }: Props) {
  const [shown, setShown] = useState<'name' | 'versions' | null>(null);
  const show = async (which: 'name' | 'versions'): Promise<void> => {
    await saveFirst();
    setShown(which);
  };
  const close = (): void => setShown(null);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="compact-xs" variant="default" leftSection={<Icon name="clock" size={14} />}>
            {t`Versions`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {editable && <Menu.Item onClick={() => void show('name')}>{t`Name this version`}</Menu.Item>}
          <Menu.Item onClick={() => void show('versions')}>
            {editable ? t`Compare and restore` : t`Compare versions`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {shown === 'name' && <NameVersionDialog fileId={file.uuid} onClose={close} />}
      <Suspense>{shown === 'versions' && <VersionsDialog file={file} editable={editable} onClose={close} />}</Suspense>
    </>
  );
}

function NameVersionDialog({ fileId, onClose }: { fileId: string; onClose: () => void }) {
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
