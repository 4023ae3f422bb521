import { plural, t } from '@lingui/core/macro';
import { Portal, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Icon } from '../ui/icons.tsx';
import { uploads } from '../state/services.ts';
import { notify, notifyError } from '../ui/notify.ts';
import { isTranscriptFile } from '../transcript-import/labels.ts';
import { entriesOf, readFolders } from './dropped-files.ts';
import css from './drop-anywhere.module.css';
import { addDialog, fileInputId, intake } from './upload-intake.ts';

const UploadDialog = lazy(() => import('./upload-dialog.tsx').then((result) => ({ default: result.UploadDialog })));

const UrlImportDialog = lazy(() =>
  import('./url-import-dialog.tsx').then((result) => ({ default: result.UrlImportDialog })),
);

const ImportDialog = lazy(() =>
  import('../transcript-import/import-dialog.tsx').then((result) => ({ default: result.ImportDialog })),
);

const RecordDialog = lazy(() =>
  import('../recording/record-dialog.tsx').then((result) => ({ default: result.RecordDialog })),
);

/** Accepts recordings dropped anywhere on the page, and contains the only file chooser. */
export function DropAnywhere() {
  const over = useFileDrag(addDropped);
  const waiting = useSyncExternalStore(intake.subscribe, intake.get);
  const dialog = useSyncExternalStore(addDialog.subscribe, addDialog.get);
  const closeDialog = (): void => addDialog.set(null);
  return (
    <>
      <input
        id={fileInputId}
        data-testid="file-input"
        type="file"
        multiple
        accept="audio/*,video/*"
        hidden
        aria-label={t`Choose recordings`}
        onChange={(event) => {
          addFiles(Array.from(event.currentTarget.files ?? []));
          event.currentTarget.value = '';
        }}
      />
      {over && (
        <Portal>
          <div className={css['veil']} data-testid="drop-veil">
            <Stack align="center" gap="xs">
              <Icon name="upload" size={48} />
              <Title order={2}>{t`Drop to transcribe`}</Title>
              <Text c="dimmed">{t`Audio or video, files or a whole folder. Or one transcript, to import it.`}</Text>
            </Stack>
          </div>
        </Portal>
      )}
      {waiting.length > 0 && (
        <Suspense>
          <UploadDialog files={waiting} onClose={() => intake.set([])} />
        </Suspense>
      )}
      {dialog?.kind === 'record' && (
        <Suspense>
          <RecordDialog onClose={closeDialog} />
        </Suspense>
      )}
      {dialog?.kind === 'url' && (
        <Suspense>
          <UrlImportDialog onClose={closeDialog} />
        </Suspense>
      )}
      {dialog?.kind === 'import' && (
        <Suspense>
          <ImportDialog chosen={dialog.file} onClose={closeDialog} />
        </Suspense>
      )}
    </>
  );
}

/** Reads dropped folders completely before their recordings are added. */
function addDropped(transfer: DataTransfer): void {
  const { files, folders } = entriesOf(transfer);
  if (folders.length === 0) return addFiles(files);
  void readFolders(folders).then(({ files: found, skipped, unreadable }) => {
    addFiles([...files, ...found]);
    for (const name of unreadable) notifyError(t`Not added`, new Error(t`“${name}” couldn’t be read.`));
    if (found.length === 0) notify(t`There are no recordings in this folder.`);
    else if (skipped > 0)
      notify(t`${plural(skipped, { one: '# file', other: '# files' })} skipped: not audio or video.`);
  });
}

/** Resumes unfinished uploads immediately; the other files wait for their options. A single transcript is imported. */
function addFiles(files: readonly File[]): void {
  const [first] = files;
  if (first && files.length === 1 && isTranscriptFile(first)) return addDialog.set({ kind: 'import', file: first });
  const rest = uploads.resumeWith(files);
  if (rest.length > 0) intake.set([...intake.get(), ...rest]);
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function useFileDrag(onDrop: (transfer: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  useEffect(() => {
    const abort = new AbortController();
    const on = (name: 'dragenter' | 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void): void =>
      window.addEventListener(
        name,
        (event) => {
          if (!holdsFiles(event)) return;
          event.preventDefault();
          handle(event);
        },
        { signal: abort.signal },
      );
    on('dragenter', () => {
      depth.current += 1;
      setOver(true);
    });
    on('dragover', (event) => {
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    });
    on('dragleave', () => {
      depth.current -= 1;
      if (depth.current <= 0) setOver(false);
    });
    on('drop', (event) => {
      depth.current = 0;
      setOver(false);
      if (event.dataTransfer) onDrop(event.dataTransfer);
    });
    return () => abort.abort();
  }, [onDrop]);
  return over;
}
