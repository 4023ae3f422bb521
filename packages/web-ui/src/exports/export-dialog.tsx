import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { urlOf } from '@overtone/client';
import { exportFormats, formatTakes, type ExportFormat, type ExportOptions } from '@overtone/contracts/export-formats';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { call, fetchBlob, fetchText } from '../api/client.ts';
import type { FileDetail } from '../api/queries.ts';
import { summaryStatusQuery } from '../file/summary/summary-queries.ts';
import { saveFile } from '../lib/save-file.ts';
import { copyText } from '../ui/copy-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify } from '../ui/notify.ts';
import { ExportChoiceFields, useExportChoice } from './export-options.tsx';
import css from './exports.module.css';
import { SubtitleCheck } from './subtitle-check.tsx';

type Props = { readonly file: FileDetail; readonly onClose: () => void; readonly onCopyLink: () => void };

/** The transcript as a file or on the clipboard, with a look at its beginning. */
export function ExportDialog({ file, onClose, onCopyLink }: Props) {
  const [choice, setChoice] = useExportChoice();
  const { format, options } = choice;
  const status = useQuery(summaryStatusQuery(file.uuid)).data;
  const hasSummary = status !== undefined && status.shown_version !== null && !status.withheld;
  const query = { format, ...options, summary: options.summary && hasSummary };
  const { extension, binary } = exportFormats[format];
  const address = (): string => urlOf('GET /api/files/{uuid}/export', { params: { uuid: file.uuid }, query });
  const save = useMutation({
    mutationFn: async () => saveFile(await fetchBlob(address()), `${file.title}.${extension}`),
    onSuccess: onClose,
  });
  const copy = useMutation({
    mutationFn: async () => copyText(await fetchText(address())),
    onSuccess: () => {
      notify(t`Transcript copied.`);
      onClose();
    },
  });
  const error = save.error ?? copy.error;
  return (
    <Dialog onClose={onClose} size="60rem" title={<b>{t`Export the transcript`}</b>}>
      <div className={css['columns']}>
        <ExportChoiceFields choice={choice} hasSummary={hasSummary} hasPreview onChange={setChoice} />
        <Stack gap="xs">
          <Preview uuid={file.uuid} query={query} />
          {formatTakes(format, 'cues') && (
            <SubtitleCheck
              uuid={file.uuid}
              options={options}
              onRepair={() => setChoice({ format, options: { ...options, cues: 'reflowed' } })}
            />
          )}
        </Stack>
      </div>
      {error && <ErrorNote error={error} title={t`The transcript couldn’t be exported`} />}
      <Group justify="flex-end" gap="xs" className={css['actions'] ?? ''}>
        <Button
          variant="subtle"
          mr="auto"
          leftSection={<Icon name="link" size={17} />}
          onClick={() => {
            onCopyLink();
            onClose();
          }}
        >
          {t`Copy link to this moment`}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
        {!binary && (
          <Button
            variant="default"
            leftSection={<Icon name="copy" size={17} />}
            loading={copy.isPending}
            onClick={() => copy.mutate()}
          >
            {t`Copy`}
          </Button>
        )}
        <Button leftSection={<Icon name="download" size={17} />} loading={save.isPending} onClick={() => save.mutate()}>
          {t`Download`}
        </Button>
      </Group>
    </Dialog>
  );
}

type PreviewProps = { readonly uuid: string; readonly query: { readonly format: ExportFormat } & ExportOptions };

function Preview({ uuid, query }: PreviewProps) {
  const preview = useQuery({
    queryKey: ['export-preview', uuid, query],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/export/preview', { params: { uuid }, query, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  if (preview.error) return <ErrorNote error={preview.error} title={t`The preview couldn’t be loaded`} />;
  return (
    <section className={css['preview']} aria-label={t`Preview`} aria-busy={preview.isFetching} data-testid="preview">
      {preview.data?.type === 'html' ? (
        // Nothing in it can run or leave its frame.
        <iframe sandbox="" srcDoc={preview.data.text} title={t`Preview`} className={css['page']} />
      ) : (
        <pre className={css['text']} tabIndex={0} dir="auto">
          {preview.data?.text ?? ''}
        </pre>
      )}
      {preview.data?.complete === false && (
        <Text size="xs" c="dimmed">
          {t`The beginning of the transcript`}
        </Text>
      )}
    </section>
  );
}
