import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CSSProperties } from 'react';
import { call } from '../api/client.ts';
import { meQuery, timelineQuery, type FileDetail, type Timeline } from '../api/queries.ts';
import { CodeDetails } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { hasRecording, stageNames, stageText, toneOf } from '../library/status.ts';
import { timeLeft } from '../lib/format.ts';
import { useProgress } from '../live/progress-store.ts';
import type { Progress } from '../live/push.ts';
import css from './file.module.css';

/** The stages of a file in progress, or the reason of a failure and what to do about it. */
export function ProcessingNote({ file }: { file: FileDetail }) {
  const tone = toneOf(file);
  if (tone === 'done') return <Warnings file={file} />;
  if (tone === 'failed') return <FailedNote file={file} />;
  if (file.status === 'cancelled') return <StoppedNote file={file} />;
  if (file.status === 'downloading') return <DownloadNote file={file} />;
  return <StagesNote file={file} />;
}

function DownloadNote({ file }: { file: FileDetail }) {
  const live = useProgress(file.uuid);
  return (
    <Stack gap={4} p="md" className="ot-card" mb="md" data-testid="downloading">
      <Group justify="space-between" gap="xs">
        <Text fw={600} aria-live="polite">
          {file.display_status}
        </Text>
        <Text size="sm" c="dimmed" className="ot-tabular">
          {live === null
            ? ''
            : live.percent === null
              ? live.message
              : `${live.message} · ${Math.round(live.percent)} %`}
        </Text>
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {file.source_url}
      </Text>
      <Text size="sm" c="dimmed">{t`You can leave this page.`}</Text>
    </Stack>
  );
}

const stageList = Object.keys(stageNames) as (keyof typeof stageNames)[];

function StagesNote({ file }: { file: FileDetail }) {
  const live = useProgress(file.uuid);
  const timeline = useQuery({ ...timelineQuery(file.uuid), refetchInterval: 5000 }).data ?? null;
  const isAdmin = (useQuery(meQuery).data?.role ?? 'user') !== 'user';
  const status = stageText(file, live);
  const tone = toneOf(file);
  return (
    <Stack
      gap="xs"
      p="md"
      className="ot-card"
      mb="md"
      data-testid="processing"
      data-stage={live?.stage ?? file.stage ?? ''}
    >
      <Group justify="space-between" gap="xs">
        <Text fw={600} aria-live="polite">
          {status}
        </Text>
        <Text size="sm" c="dimmed" className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
          {live?.percent != null && tone !== 'waiting'
            ? `${Math.round(live.percent)} % · ${timeLeft(live.etaSeconds)}`
            : ''}
        </Text>
      </Group>
      <ol className={css['stages']} aria-label={t`Stages`}>
        {stageList.map((stage) => (
          <li
            key={stage}
            className={css['stage']}
            data-state={stageStateOf(stage, file, live, timeline)}
            style={progressStyle(stage, live)}
          >
            <span>{stageNames[stage]}</span>
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        {hintFor(file, timeline)}
        {file.waiting_for === 'engine' && isAdmin && (
          <>
            {' '}
            <Link to="/admin" className="ot-link">{t`Engines and models`}</Link>
          </>
        )}
      </Text>
    </Stack>
  );
}

function stageStateOf(
  stage: keyof typeof stageNames,
  file: FileDetail,
  live: Progress | null,
  timeline: Timeline | null,
): string {
  const liveStage = live?.stage === 'download' ? null : live?.stage;
  const current = file.next_stage === null ? (liveStage ?? file.stage) : null;
  if (current !== null) {
    const distance = stageList.indexOf(stage) - stageList.indexOf(current);
    return distance < 0 ? 'completed' : distance === 0 ? 'running' : 'pending';
  }
  return timeline?.stages.find((known) => known.stage === stage)?.status ?? 'pending';
}

/** The bar of the running stage shows the progress of the whole run. */
function progressStyle(stage: string, live: Progress | null): CSSProperties {
  return live?.stage === stage ? ({ '--done': `${Math.max(6, live.percent ?? 0)}%` } as CSSProperties) : {};
}

function hintFor(file: FileDetail, timeline: Timeline | null): string {
  if (file.waiting_for === 'paused')
    return timeline?.paused_reason
      ? t`Reason: ${timeline.paused_reason}. Resumes automatically once an administrator resumes the queue.`
      : t`Resumes automatically once an administrator resumes the queue.`;
  const fetched = timeline?.speech_model_percent ?? null;
  if (file.waiting_for === 'engine' && fetched !== null)
    return t`The speech model is being fetched (${fetched} %). Starts automatically once it is there.`;
  if (file.waiting_for === 'engine')
    return t`No speech engine is available. Resumes automatically once an administrator adds one.`;
  if (file.waiting_for === 'worker') return t`Waiting in line. Starts automatically.`;
  if (file.next_stage !== null) return t`Next: ${stageNames[file.next_stage].toLowerCase()}. Starts automatically.`;
  if (file.total_segments > 0) return t`You can already read the transcript. Speakers and search follow.`;
  return t`You can leave this page.`;
}

function useReprocess(file: FileDetail) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /api/files/{uuid}/reprocess', { params: { uuid: file.uuid }, body: {} }),
    onSuccess: () => {
      for (const key of ['file', 'timeline', 'segments']) void client.invalidateQueries({ queryKey: [key, file.uuid] });
      void client.invalidateQueries({ queryKey: ['files'] });
    },
    onError: (error) => notifyError(t`The transcription couldn’t be started`, error),
  });
}

function FailedNote({ file }: { file: FileDetail }) {
  const reprocess = useReprocess(file);
  const { error } = file;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      mb="md"
      icon={<Icon name="alert" />}
      title={error?.message ?? file.display_status}
      data-testid="failure"
    >
      <Text size="sm">{error?.what_to_do ?? t`Try again. If it fails again, contact your administrator.`}</Text>
      <Group gap="sm" mt="sm">
        {file.my_permission === 'owner' && (error?.retryable ?? true) && (
          <Button
            size="xs"
            leftSection={<Icon name="retry" size={16} />}
            loading={reprocess.isPending}
            onClick={() => reprocess.mutate()}
          >
            {t`Try again`}
          </Button>
        )}
        {error?.duplicate_file_uuid && (
          <Link to="/files/$uuid" params={{ uuid: error.duplicate_file_uuid }}>
            {t`Open the recording`}
          </Link>
        )}
        {error && <CodeDetails code={error.code} />}
      </Group>
    </Alert>
  );
}

function StoppedNote({ file }: { file: FileDetail }) {
  const reprocess = useReprocess(file);
  return (
    <Alert color="gray" variant="light" mb="md" icon={<Icon name="info" />} title={t`Processing was stopped`}>
      <Group justify="space-between">
        <Text size="sm">
          {hasRecording(file)
            ? t`The recording and everything transcribed so far are kept.`
            : t`The download was stopped. Nothing of the recording was kept.`}
        </Text>
        {file.my_permission === 'owner' && (
          <Button size="xs" variant="default" loading={reprocess.isPending} onClick={() => reprocess.mutate()}>
            {hasRecording(file) ? t`Transcribe again` : t`Download again`}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function Warnings({ file }: { file: FileDetail }) {
  return file.warnings.length === 0 ? null : (
    <Alert color="yellow" variant="light" mb="md" icon={<Icon name="info" />} data-testid="warnings">
      {file.warnings.map((warning) => (
        <Text key={warning} size="sm">
          {warning}
        </Text>
      ))}
    </Alert>
  );
}
