import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { urlOf } from '@overtone/client';
import { call } from '../api/client.ts';
import { meQuery, type FileItem } from '../api/queries.ts';
import { fileRedactionQuery } from '../file/redaction-queries.ts';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { hasRecording, isInProgress } from './status.ts';

const RenameDialog = lazy(() => dialogs().then((result) => ({ default: result.RenameDialog })));
const AgainDialog = lazy(() => dialogs().then((result) => ({ default: result.AgainDialog })));
const ShareDialog = lazy(() =>
  import('../sharing/share-recording-dialog.tsx').then((result) => ({ default: result.ShareRecordingDialog })),
);
const ImportDialog = lazy(() =>
  import('../transcript-import/import-dialog.tsx').then((result) => ({ default: result.ImportDialog })),
);
const QuarantineDialog = lazy(() => quarantineDialogs().then((result) => ({ default: result.QuarantineDialog })));
const ReleaseDialog = lazy(() => quarantineDialogs().then((result) => ({ default: result.ReleaseDialog })));
const DeleteDialog = lazy(() => dialogs().then((result) => ({ default: result.DeleteDialog })));

type Props = { readonly file: FileItem; readonly onDeleted?: () => void };

/** The actions on one file. */
export function FileMenu({ file, onDeleted }: Props) {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<
    'rename' | 'share' | 'again' | 'delete' | 'import' | 'quarantine' | 'release' | null
  >(null);
  const refresh = (): void => {
    for (const key of [['files'], ['file', file.uuid], ['segments', file.uuid], ['timeline', file.uuid]])
      void client.invalidateQueries({ queryKey: key });
  };
  const stop = useMutation({
    mutationFn: () => call('POST /api/files/{uuid}/cancel', { params: { uuid: file.uuid } }),
    onSuccess: refresh,
    onError: (error) => notifyError(t`Processing couldn’t be stopped`, error),
  });
  const active = isInProgress(file);
  const isAdmin = (useQuery(meQuery).data?.role ?? 'user') !== 'user';
  const quarantined = file.quarantine !== null;
  const can = { edit: file.my_permission !== 'viewer', own: file.my_permission === 'owner' };
  // Only administrators do anything with it.
  if (quarantined && !isAdmin) return null;
  return (
    <>
      <Menu width={230}>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for ${file.title}`} size="md">
            <Icon name="more" size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {can.edit && (
            <Menu.Item leftSection={<Icon name="edit" size={17} />} onClick={() => setDialog('rename')}>
              {t`Rename`}
            </Menu.Item>
          )}
          {can.own && (
            <Menu.Item leftSection={<Icon name="users" size={17} />} onClick={() => setDialog('share')}>
              {t`Share`}
            </Menu.Item>
          )}
          {hasRecording(file) && <DownloadItem file={file} label={t`Download recording`} />}
          {!file.has_media && <ImportedFileItem file={file} />}
          {can.own && active && (
            <Menu.Item leftSection={<Icon name="close" size={17} />} onClick={() => stop.mutate()}>
              {t`Stop processing`}
            </Menu.Item>
          )}
          {can.edit && !active && !quarantined && (
            <Menu.Item leftSection={<Icon name="file" size={17} />} onClick={() => setDialog('import')}>
              {t`Import transcript`}
            </Menu.Item>
          )}
          {can.own && !active && !quarantined && file.has_media && file.recording_removed_at === null && (
            <Menu.Item leftSection={<Icon name="retry" size={17} />} onClick={() => setDialog('again')}>
              {t`Transcribe again`}
            </Menu.Item>
          )}
          {isAdmin && !active && (
            <Menu.Item
              leftSection={<Icon name="shield" size={17} />}
              onClick={() => setDialog(quarantined ? 'release' : 'quarantine')}
            >
              {quarantined ? t`Release from quarantine` : t`Put in quarantine`}
            </Menu.Item>
          )}
          {can.own && (
            <>
              <Menu.Divider />
              <Menu.Item c="red" leftSection={<Icon name="trash" size={17} />} onClick={() => setDialog('delete')}>
                {t`Delete`}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {dialog === 'import' && <ImportDialog file={file} onClose={() => setDialog(null)} onDone={refresh} />}
        {dialog === 'rename' && <RenameDialog file={file} onClose={() => setDialog(null)} onDone={refresh} />}
        {dialog === 'share' && <ShareDialog file={file} onClose={() => setDialog(null)} />}
        {dialog === 'again' && <AgainDialog file={file} onClose={() => setDialog(null)} onDone={refresh} />}
        {dialog === 'quarantine' && <QuarantineDialog file={file} onClose={() => setDialog(null)} onDone={refresh} />}
        {dialog === 'release' && <ReleaseDialog file={file} onClose={() => setDialog(null)} onDone={refresh} />}
        {dialog === 'delete' && (
          <DeleteDialog
            file={file}
            onClose={() => setDialog(null)}
            onDone={() => {
              void client.invalidateQueries({ queryKey: ['files'] });
              onDeleted?.();
            }}
          />
        )}
      </Suspense>
    </>
  );
}

function DownloadItem({ file, label }: Pick<Props, 'file'> & { readonly label: string }) {
  return (
    <Menu.Item
      leftSection={<Icon name="download" size={17} />}
      component="a"
      href={urlOf('GET /api/files/{uuid}/content', { params: { uuid: file.uuid }, query: { download: true } })}
      download={file.filename}
    >
      {label}
    </Menu.Item>
  );
}

/** The server does not send an imported file of which something is masked. */
function ImportedFileItem({ file }: Pick<Props, 'file'>) {
  const { data } = useQuery(fileRedactionQuery(file.uuid));
  if (!data || [...data.policy_kinds, ...data.account_kinds, ...data.masked_kinds].length > 0) return null;
  return <DownloadItem file={file} label={t`Download imported file`} />;
}

// The dialogs are loaded on demand, so that the library loads faster.
function dialogs() {
  return import('./file-dialogs.tsx');
}

function quarantineDialogs() {
  return import('./quarantine-dialogs.tsx');
}
