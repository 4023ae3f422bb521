import { t } from '@lingui/core/macro';
import { Alert, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ago, moment } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Pane } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { DecisionsDialog } from './decisions-dialog.tsx';
import { countsText, placeOf, stateOf } from './labels.ts';
import { SourceDialog } from './source-dialog.tsx';
import { watchSourcesQuery, type WatchSource } from './watch-queries.ts';

type Dialog = { kind: 'change' | 'remove' | 'decisions'; source: WatchSource } | { kind: 'add' } | null;

/** Administration > Watch sources: folders and buckets whose recordings are imported. */
export function WatchSourcesPage() {
  const client = useQueryClient();
  const sources = useQuery(watchSourcesQuery);
  const [dialog, setDialog] = useState<Dialog>(null);
  const refresh = () => client.invalidateQueries({ queryKey: ['watch-sources'] });
  const scan = useMutation({
    mutationFn: (uuid: string) => call('POST /api/admin/watch-sources/{uuid}/scan', { params: { uuid } }),
    onSuccess: () => {
      notify(t`The scan starts.`);
      void refresh();
    },
    onError: (error) => notifyError(t`The scan wasn’t started`, error),
  });
  const close = (): void => setDialog(null);
  const roots = sources.data?.roots ?? [];
  return (
    <Pane
      title={t`Watch sources`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setDialog({ kind: 'add' })}>
          {t`Add source`}
        </Button>
      }
    >
      <Text size="sm" mb="md">
        {t`New recordings in these folders and buckets are imported automatically. Each recording is imported once, after it has stopped changing.`}
      </Text>
      <QueryStatus of={sources} failure={t`The watch sources couldn’t be loaded`} />
      {sources.data?.items.length === 0 && <Empty>{t`No folder or bucket is watched yet.`}</Empty>}
      {sources.data && sources.data.items.length > 0 && (
        <Sheet testId="watch-sources" card heads={[t`Source`, t`State`, t`Files`, t`Actions`]}>
          {sources.data.items.map((source) => (
            <SourceRow
              key={source.uuid}
              source={source}
              onOpen={(kind) => setDialog({ kind, source })}
              onScan={() => scan.mutate(source.uuid)}
            />
          ))}
        </Sheet>
      )}
      {dialog?.kind === 'add' && <SourceDialog source={null} roots={roots} onDone={refresh} onClose={close} />}
      {dialog?.kind === 'change' && (
        <SourceDialog
          // The whole source is sent: what others change in the meantime must be in it.
          source={sources.data?.items.find(({ uuid }) => uuid === dialog.source.uuid) ?? dialog.source}
          roots={roots}
          onDone={refresh}
          onClose={close}
        />
      )}
      {dialog?.kind === 'decisions' && <DecisionsDialog source={dialog.source} onClose={close} />}
      {dialog?.kind === 'remove' && (
        <Confirm
          title={t`Stop watching ${dialog.source.name}?`}
          action={t`Stop watching`}
          run={() => call('DELETE /api/admin/watch-sources/{uuid}', { params: { uuid: dialog.source.uuid } })}
          onDone={() => {
            notify(t`The source is no longer watched.`);
            void refresh();
          }}
          onClose={close}
        >
          <Text size="sm">{t`Imported recordings stay in the library, and the files stay in the source.`}</Text>
        </Confirm>
      )}
    </Pane>
  );
}

type RowProps = {
  source: WatchSource;
  onOpen: (kind: 'change' | 'remove' | 'decisions') => void;
  onScan: () => void;
};

function SourceRow({ source, onOpen, onScan }: RowProps) {
  const state = stateOf(source);
  return (
    <Table.Tr data-source={source.name}>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm" fw={600}>
          {source.name}
        </Text>
        <Text size="xs" c="dimmed">
          {placeOf(source)}
        </Text>
      </Table.Td>
      <Table.Td data-wide>
        <Stack gap={4} align="flex-start">
          <Badge variant="light" color={state.color}>
            {state.text}
          </Badge>
          {source.enabled && source.status === 'unavailable' && (
            <Alert color="red" variant="light" p="xs">
              <Text size="xs">{source.error}</Text>
            </Alert>
          )}
          {source.scanned_at !== null && (
            <Text size="xs" c="dimmed" title={moment(source.scanned_at)}>
              {t`Scanned ${ago(source.scanned_at)}`}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td data-wide>{countsText(source)}</Table.Td>
      <Table.Td data-wide>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => onOpen('decisions')}>
            {t`Decisions`}
          </Button>
          {source.enabled && (
            <Button size="compact-sm" variant="default" onClick={onScan}>
              {t`Scan now`}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={() => onOpen('change')}>
            {t`Change`}
          </Button>
          <Button size="compact-sm" variant="light" color="red" onClick={() => onOpen('remove')}>
            {t`Remove`}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
