import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { copyLinkTo } from '../file/copy-link.ts';
import { useFile } from '../file/file-context.ts';
import { Icon } from '../ui/icons.tsx';

const ExportDialog = lazy(() => import('./export-dialog.tsx').then((module) => ({ default: module.ExportDialog })));

/** Opens the dialog with the formats of a transcript. */
export function ExportButton({ file }: { readonly file: FileDetail }) {
  const { player } = useFile();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="sm"
        leftSection={<Icon name="download" size={17} />}
        onClick={() => setOpened(true)}
      >
        {t`Export`}
      </Button>
      <Suspense>
        {opened && (
          <ExportDialog file={file} onClose={() => setOpened(false)} onCopyLink={() => void copyLinkTo(player.now())} />
        )}
      </Suspense>
    </>
  );
}
