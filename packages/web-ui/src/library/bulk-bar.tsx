import { msg, plural, t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { formatNumber } from '../lib/format.ts';
import { translateOnRead } from '../lib/language.ts';
import type { FileItem } from '../api/queries.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import type { BulkAction } from './bulk-dialogs.tsx';
import css from './library.module.css';

const BulkDialog = lazy(() => import('./bulk-dialogs.tsx').then((result) => ({ default: result.BulkDialog })));

const AddToCollection = lazy(() =>
  import('../collections/add-to-collection.tsx').then((result) => ({ default: result.AddToCollection })),
);

const ReplaceDialog = lazy(() =>
  import('../replace/replace-dialog.tsx').then((result) => ({ default: result.ReplaceDialog })),
);

const ArchiveDialog = lazy(() =>
  import('../exports/archive-dialog.tsx').then((result) => ({ default: result.ArchiveDialog })),
);

type BarAction = BulkAction | 'collect' | 'replace' | 'export';
const actions: readonly { action: BarAction; label: string; icon: IconName }[] = translateOnRead([
  { action: 'tag', label: msg`Tag`, icon: 'tag' },
  { action: 'collect', label: msg`Add to collection`, icon: 'collection' },
  { action: 'replace', label: msg`Find and replace`, icon: 'replace' },
  { action: 'export', label: msg`Export`, icon: 'download' },
  { action: 'share', label: msg`Share`, icon: 'users' },
  { action: 'reprocess', label: msg`Transcribe again`, icon: 'retry' },
  { action: 'delete', label: msg`Delete`, icon: 'trash' },
]);

type Props = {
  readonly files: readonly FileItem[];
  readonly all: boolean;
  readonly onAll: () => void;
  readonly onClear: () => void;
};

/** The actions on all selected files. */
export function BulkBar({ files, all, onAll, onClear }: Props) {
  const [opened, setOpened] = useState<{ action: BarAction; files: readonly FileItem[] } | null>(null);
  return (
    <>
      {files.length > 0 && (
        <section className={css['bulk']} aria-label={t`Selected recordings`} data-testid="bulk-bar">
          <Text size="sm" fw={600} aria-live="polite" className={css['bulkCount'] ?? ''}>
            {t`${formatNumber(files.length)} selected`}
          </Text>
          <Group gap={6} className={css['bulkActions'] ?? ''}>
            {actions.map(({ action, label, icon }) => (
              <Button
                key={action}
                size="compact-sm"
                variant={action === 'delete' ? 'subtle' : 'light'}
                {...(action === 'delete' ? { color: 'red' } : {})}
                leftSection={<Icon name={icon} size={16} />}
                aria-label={t`${label} ${plural(files.length, { one: '# recording', other: '# recordings' })}`}
                onClick={() => setOpened({ action, files })}
              >
                {label}
              </Button>
            ))}
            {!all && (
              <Button size="compact-sm" variant="subtle" color="gray" onClick={onAll}>
                {t`Select all on this page`}
              </Button>
            )}
          </Group>
          <ActionIcon aria-label={t`Clear the selection`} onClick={onClear}>
            <Icon name="close" size={18} />
          </ActionIcon>
        </section>
      )}
      <Suspense>
        {opened?.action === 'collect' && (
          <AddToCollection files={opened.files} onClose={() => setOpened(null)} onDone={onClear} />
        )}
        {opened?.action === 'replace' && <ReplaceDialog files={opened.files} onClose={() => setOpened(null)} />}
        {opened?.action === 'export' && (
          <ArchiveDialog
            source={{ file_uuids: opened.files.map(({ uuid }) => uuid) }}
            count={opened.files.length}
            onClose={() => setOpened(null)}
          />
        )}
        {opened && isBulkAction(opened.action) && (
          <BulkDialog action={opened.action} files={opened.files} onClose={() => setOpened(null)} onDone={onClear} />
        )}
      </Suspense>
    </>
  );
}

function isBulkAction(action: BarAction): action is BulkAction {
  return action !== 'collect' && action !== 'replace' && action !== 'export';
}
