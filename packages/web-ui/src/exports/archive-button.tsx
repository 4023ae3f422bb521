import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import type { ArchiveDialog as Shown } from './archive-dialog.tsx';

const ArchiveDialog = lazy(() => import('./archive-dialog.tsx').then((module) => ({ default: module.ArchiveDialog })));

type Props = Omit<Parameters<typeof Shown>[0], 'onClose'> & { readonly size?: string };

/** Opens the dialog with the formats of several transcripts. */
export function ArchiveButton({ size = 'sm', ...selection }: Props) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<Icon name="download" size={15} />}
        onClick={() => setOpened(true)}
      >
        {t`Export transcripts`}
      </Button>
      <Suspense>{opened && <ArchiveDialog {...selection} onClose={() => setOpened(false)} />}</Suspense>
    </>
  );
}
