import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { urlOf } from '@overtone/client';
import { download } from '../api/client.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FailureNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { ExportChoiceFields, useExportChoice } from './export-options.tsx';

type Props = {
  /** The recordings, or all of a collection. */
  readonly source: { readonly file_uuids: readonly string[] } | { readonly collection_uuid: string };
  readonly count: number;
  readonly onClose: () => void;
};

/** The transcripts of several recordings as one ZIP file. */
export function ArchiveDialog({ source, count, onClose }: Props) {
  const [choice, setChoice] = useExportChoice();
  const { format, options } = choice;
  const files = 'file_uuids' in source ? { file_uuids: source.file_uuids.join(',') } : source;
  const save = useMutation({
    mutationFn: () => download(urlOf('GET /api/transcripts/export', { query: { format, ...options, ...files } })),
    onSuccess: onClose,
  });
  return (
    <Dialog
      onClose={onClose}
      title={<b>{t`Export ${plural(count, { one: '# transcript', other: '# transcripts' })}`}</b>}
    >
      <Stack gap="md">
        <ExportChoiceFields choice={choice} hasSummary onChange={setChoice} />
        <Text size="sm" c="dimmed">
          {t`One ZIP file with a file for each recording and a table of contents.`}
        </Text>
        {save.error && <FailureNote error={save.error} title={t`The transcripts couldn’t be exported`} />}
        <Group justify="flex-end" className="ot-dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button
            leftSection={<Icon name="download" size={17} />}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t`Download`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
