import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { ago, bytes, soon } from '../lib/format.ts';
import { session } from '../state/services.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { chunkStore } from './chunk-store.ts';
import { createRecordingSender } from './recording-sender.ts';
import { createRecordingTransfer } from './recording-transfer.adapter.ts';

type OpenRecording = ResponseBody<'GET /api/files/recordings'>['items'][number];

const openRecordingsQuery = queryOptions({
  queryKey: ['files', 'recordings'],
  queryFn: async ({ signal }) => {
    const { items } = await call('GET /api/files/recordings', { signal });
    await chunkStore.removeOld(new Set(items.map(({ upload_id }) => upload_id))).catch(() => undefined);
    return items;
  },
  refetchInterval: (query) => ((query.state.data?.length ?? 0) > 0 ? 10_000 : false),
});

/** Recordings whose page was closed or crashed, with what can be done with them. */
export function UnfinishedRecordings() {
  const interrupted = (useQuery(openRecordingsQuery).data ?? []).filter((recording) => !recording.is_active);
  return interrupted.map((recording) => <Unfinished key={recording.upload_id} recording={recording} />);
}

function Unfinished({ recording }: { recording: OpenRecording }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = () => client.invalidateQueries({ queryKey: ['files'] });
  const keep = useMutation({
    mutationFn: () => keepRecording(recording.upload_id),
    onSuccess: async () => {
      await refresh();
      await navigate({ to: '/files/$uuid', params: { uuid: recording.upload_id } });
    },
    onError: (error) => notifyError(t`The recording couldn’t be kept`, error),
  });
  const [asking, setAsking] = useState(false);
  const discard = async (): Promise<void> => {
    await createRecordingTransfer(session.renew).cancel(recording.upload_id);
    await chunkStore.remove(recording.upload_id).catch(() => undefined);
  };
  return (
    <Alert
      mb="md"
      color="yellow"
      variant="light"
      icon={<Icon name="audio" />}
      title={t`Unfinished recording: ${recording.title}`}
      data-testid="unfinished-recording"
    >
      <Text size="sm">
        {t`Started ${ago(recording.started_at)}, ${bytes(recording.received_bytes)} arrived. It is kept automatically on ${soon(recording.finishes_at)}.`}
      </Text>
      <Group gap="sm" mt="xs">
        <Button size="compact-sm" loading={keep.isPending} onClick={() => keep.mutate()}>
          {t`Keep what arrived`}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          {t`Delete`}
        </Button>
      </Group>
      {asking && (
        <Confirm
          title={t`Delete this recording?`}
          action={t`Delete`}
          run={discard}
          onDone={() => void refresh()}
          onClose={() => setAsking(false)}
        >
          {t`What arrived of “${recording.title}” is deleted permanently.`}
        </Confirm>
      )}
    </Alert>
  );
}

/** Sends first what this browser still has of the recording. */
async function keepRecording(upload: string): Promise<void> {
  const chunks = await chunkStore.list(upload).catch(() => []);
  if (chunks.length > 0) {
    const transfer = createRecordingTransfer(session.renew);
    const { offset } = await transfer.progress(upload);
    await createRecordingSender({ upload, transfer, store: chunkStore, offset, chunks }).finish();
    return;
  }
  await call('POST /api/files/recordings/{upload_id}/finish', { params: { upload_id: upload } });
}
