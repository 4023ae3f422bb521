import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import type { FileDetail } from '../api/queries.ts';
import { moment } from '../lib/format.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { Differences } from './differences.tsx';
import { versionsKey, versionsQuery } from './version-queries.ts';
import css from './versions.module.css';

type Version = ResponseBody<'GET /api/files/{uuid}/transcript/versions'>['items'][number];
type Props = { readonly file: FileDetail; readonly editable: boolean; readonly onClose: () => void };
/** The automatic transcript has no id. */
type Row = { readonly uuid: string | null; readonly name: string; readonly about: string; readonly available: boolean };

/** The named versions of a transcript and the automatic one. */
export function VersionsDialog({ file, editable, onClose }: Props) {
  const client = useQueryClient();
  const query = useQuery({ ...versionsQuery(file.uuid), staleTime: 0 });
  const [compared, setCompared] = useState<string | null | undefined>();
  const [removing, setRemoving] = useState<Row | null>(null);
  const restore = useMutation({
    mutationFn: ({ uuid }: Row) =>
      call('POST /api/files/{uuid}/transcript/restore', {
        params: { uuid: file.uuid },
        body: { uuid: crypto.randomUUID(), ...(uuid !== null && { version_uuid: uuid }) },
      }),
    onSuccess: (_, { name }) => {
      for (const queryKey of [['segments', file.uuid], ['file', file.uuid], versionsKey(file.uuid)])
        void client.invalidateQueries({ queryKey });
      onClose();
      notify(t`“${name}” is restored. Undo (Ctrl+Z) returns to the text before it.`);
    },
    onError: (error) => notifyError(t`The version wasn’t restored`, error),
  });
  if (removing)
    return (
      <Confirm
        title={t`Remove the version “${removing.name}”?`}
        action={t`Remove`}
        run={() =>
          call('DELETE /api/files/{uuid}/transcript/versions/{version_uuid}', {
            params: { uuid: file.uuid, version_uuid: removing.uuid ?? '' },
          })
        }
        onDone={() => void client.invalidateQueries({ queryKey: versionsKey(file.uuid) })}
        onClose={onClose}
      >
        <Text size="sm">{t`It can’t be compared or restored any more. The transcript doesn’t change.`}</Text>
      </Confirm>
    );
  const rows = query.data ? rowsOf(query.data) : [];
  return (
    <Dialog size="60rem" onClose={onClose} title={<b>{t`Versions of the transcript`}</b>}>
      <Stack gap="md">
        {query.isError && (
          <ErrorNote
            error={query.error}
            title={t`The versions couldn’t be loaded`}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.data && rows.length === 0 && (
          <Text size="sm" c="dimmed">
            {t`The transcript was not corrected yet, and no version has a name. “Name this version” keeps the present text.`}
          </Text>
        )}
        <ul className={css['versions']}>
          {rows.map((row) => (
            <li key={row.uuid ?? 'automatic'} className={css['version']} aria-current={compared === row.uuid}>
              <div className={css['name']}>
                <Text size="sm" fw={600}>
                  {row.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {row.about}
                </Text>
              </div>
              <Group gap="xs">
                {row.available && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t`Compare “${row.name}” with the present text`}
                    onClick={() => setCompared(row.uuid)}
                  >
                    {t`Compare`}
                  </Button>
                )}
                {row.available && editable && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t`Restore “${row.name}”`}
                    loading={restore.isPending && restore.variables === row}
                    disabled={restore.isPending}
                    onClick={() => restore.mutate(row)}
                  >
                    {t`Restore`}
                  </Button>
                )}
                {row.uuid !== null && editable && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={t`Remove “${row.name}”`}
                    onClick={() => setRemoving(row)}
                  >
                    {t`Remove`}
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </ul>
        {compared !== undefined && (
          <Differences
            fileId={file.uuid}
            versionId={compared}
            name={rows.find(({ uuid }) => uuid === compared)?.name ?? ''}
          />
        )}
      </Stack>
    </Dialog>
  );
}

function rowsOf({ items, corrections }: ResponseBody<'GET /api/files/{uuid}/transcript/versions'>): Row[] {
  const named = items.map((version): Row => {
    const { uuid, name, available } = version;
    return { uuid, name, available, about: aboutVersion(version) };
  });
  if (corrections === 0) return named;
  const about = plural(corrections, { one: '# correction since', other: '# corrections since' });
  return [...named, { uuid: null, name: t`Automatic transcript`, about, available: true }];
}

function aboutVersion({ created_at, user_name, corrections_since: since, available }: Version): string {
  const when = moment(created_at);
  const by = user_name === null ? when : t`${when} by ${user_name}`;
  if (!available) return t`${by} · The transcript was replaced since: this version can’t be shown`;
  return `${by} · ${since === 0 ? t`the present text` : plural(since, { one: '# correction since', other: '# corrections since' })}`;
}
