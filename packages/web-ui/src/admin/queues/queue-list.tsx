import { t } from '@lingui/core/macro';
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { ago, moment, formatNumber } from '../../lib/format.ts';
import { PauseDialog } from './pause-dialog.tsx';
import type { Overview, QueueItem } from './queue-queries.ts';
import css from './queues.module.css';
import { age, barOf, queueHints, queueText } from './labels.ts';

/** Every queue with its bar, its counts, and the button that pauses or resumes it. */
export function QueueList({ overview }: { overview: Overview }) {
  const [pausing, setPausing] = useState<QueueItem['queue'] | null>(null);
  return (
    <>
      <div className={css['legend']} aria-hidden="true">
        <span data-part="running">{t`running`}</span>
        <span data-part="waiting">{t`waiting`}</span>
        <span data-part="orphaned">{t`worker lost`}</span>
      </div>
      <ul className={css['queues']} data-testid="queues">
        {overview.queues.map((queue) => (
          <Row key={queue.queue} queue={queue} all={overview.queues} onPause={() => setPausing(queue.queue)} />
        ))}
      </ul>
      {pausing !== null && <PauseDialog queue={pausing} onClose={() => setPausing(null)} />}
    </>
  );
}

type RowProps = { queue: QueueItem; all: readonly QueueItem[]; onPause: () => void };

function Row({ queue, all, onPause }: RowProps) {
  const bar = barOf(queue, all);
  return (
    <li className={css['queue']} data-queue={queue.queue} data-paused={queue.paused !== null}>
      <div className={css['name']}>
        <Text fw={650}>{queueHints[queue.queue] ?? queue.queue}</Text>
        <Text size="xs" c="dimmed">
          {queue.queue}
        </Text>
      </div>
      <div className={css['bar']} role="img" aria-label={queueText(queue)}>
        <span data-part="running" style={{ width: `${bar.running}%` }} />
        <span data-part="waiting" style={{ width: `${bar.waiting}%` }} />
        <span data-part="orphaned" style={{ width: `${bar.orphaned}%` }} />
      </div>
      <Figures queue={queue} />
      <div className={css['switch']}>
        {queue.paused ? (
          <Resume queue={queue.queue} />
        ) : (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="pause" size={14} />}
            aria-label={t`Pause ${queue.queue}`}
            onClick={onPause}
          >
            {t`Pause`}
          </Button>
        )}
      </div>
      {queue.paused && <PausedNote paused={queue.paused} />}
    </li>
  );
}

function Figures({ queue }: { queue: QueueItem }) {
  return (
    <dl className={css['figures']}>
      <Figure name={t`Waiting`} value={queue.depth} />
      <Figure name={t`Running`} value={queue.reserved} />
      <Figure name={t`Worker lost`} value={queue.orphaned} bad />
      <Figure name={t`Retrying`} value={queue.retrying} />
      <Figure name={t`Failed`} value={queue.dead} bad />
      <div>
        <dt>{t`Oldest running`}</dt>
        <dd data-none={queue.oldest_unacked_seconds === 0}>
          {queue.oldest_unacked_seconds === 0 ? t`none` : age(queue.oldest_unacked_seconds)}
        </dd>
      </div>
    </dl>
  );
}

function Figure({ name, value, bad = false }: { name: string; value: number; bad?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-none={value === 0} data-bad={bad && value > 0}>
        {formatNumber(value)}
      </dd>
    </div>
  );
}

function PausedNote({ paused }: { paused: NonNullable<QueueItem['paused']> }) {
  return (
    <p className={css['paused']}>
      <Icon name="pause" size={15} />
      <span>
        <b>{t`Paused:`}</b> {paused.reason}{' '}
        <span className={css['dim']} title={moment(paused.at)}>
          ({paused.by_name ?? t`an administrator`}, {ago(paused.at)})
        </span>
      </span>
    </p>
  );
}

function Resume({ queue }: { queue: QueueItem['queue'] }) {
  const client = useQueryClient();
  const resume = useMutation({
    mutationFn: () => call('POST /api/admin/queues/{queue}/resume', { params: { queue } }),
    onSuccess: () => {
      notify(t`Resumed ${queue}.`);
      void client.invalidateQueries({ queryKey: ['queues'] });
    },
    onError: (error) => notifyError(t`The queue wasn’t resumed`, error),
  });
  return (
    <Button
      size="xs"
      leftSection={<Icon name="play" size={14} />}
      aria-label={t`Resume ${queue}`}
      loading={resume.isPending}
      onClick={() => resume.mutate()}
    >
      {t`Resume`}
    </Button>
  );
}
