import { t } from '@lingui/core/macro';
import { Button, Menu } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { NameVersionDialog } from './name-version-dialog.tsx';

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
