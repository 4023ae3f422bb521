import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { urlOf } from '@overtone/client';
import { download } from '../api/client.ts';
import { searchedBy, type SearchInput } from '../api/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FailureNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import type { ExportChoice } from './export-choice.ts';
import { ExportChoiceFields, useExportChoice } from './export-options.tsx';

/** The recordings, all of a collection, or all that a search finds. */
type Source =
  | { readonly file_uuids: readonly string[] }
  | { readonly collection_uuid: string }
  | { readonly search: Omit<SearchInput, 'page'>; readonly endsAt?: number };

type Props = {
  readonly source: Source;
  readonly count: number;
  readonly onClose: () => void;
};

/** The transcripts of several recordings as one ZIP file. */
export function ArchiveDialog({ source, count, onClose }: Props) {
  const [choice, setChoice] = useExportChoice();
  const endsAt = 'search' in source ? source.endsAt : undefined;
  const save = useMutation({
    mutationFn: () => download(addressOf(source, choice)),
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
        {endsAt !== undefined && (
          <Text size="sm" role="status">
            {t`The search finds more than can be exported at once (at most ${endsAt} recordings). Narrow it to export all that it finds.`}
          </Text>
        )}
        {save.error && <FailureNote error={save.error} title={t`The transcripts couldn’t be exported`} />}
        <Group justify="flex-end" className="ot-dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button
            leftSection={<Icon name="download" size={17} />}
            loading={save.isPending}
            disabled={endsAt !== undefined}
            onClick={() => save.mutate()}
          >
            {t`Download`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function addressOf(source: Source, { format, options }: ExportChoice): string {
  const query = { format, ...options };
  if ('search' in source)
    return urlOf('GET /api/transcripts/export/search', { query: { ...query, ...searchedBy(source.search) } });
  const files = 'file_uuids' in source ? { file_uuids: source.file_uuids.join(',') } : source;
  return urlOf('GET /api/transcripts/export', { query: { ...query, ...files } });
}
