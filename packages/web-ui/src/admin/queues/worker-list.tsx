import { t } from '@lingui/core/macro';
import { Badge, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { stageNames } from '../../library/status.ts';
import { moment } from '../../lib/format.ts';
import { Empty } from '../../ui/query-status.tsx';
import type { Overview, WorkerItem } from './queue-queries.ts';
import css from './queues.module.css';
import { ageSince, workerStatusOf } from './labels.ts';

/** Workers with their current tasks. A worker without heartbeats stays listed for ten minutes. */
export function WorkerList({ overview }: { overview: Overview }) {
  if (overview.workers.length === 0) return <Empty>{t`No worker is running. Recordings wait until one starts.`}</Empty>;
  return (
    <ul className={css['workers']} data-testid="workers">
      {overview.workers.map((worker) => (
        <Worker key={worker.id} worker={worker} now={overview.at} />
      ))}
    </ul>
  );
}

function Worker({ worker, now }: { worker: WorkerItem; now: string }) {
  const { label, color } = workerStatusOf(worker);
  return (
    <li className={css['worker']} data-state={worker.state}>
      <div className={css['workerHead']}>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
        <Text fw={600} size="sm" className={css['service'] ?? ''}>
          {worker.service}
        </Text>
        <Text size="xs" c="dimmed" className={css['id'] ?? ''}>
          {worker.id}
        </Text>
        <Text
          size="xs"
          c="dimmed"
          ml="auto"
          title={moment(worker.state === 'online' ? worker.since : worker.last_seen)}
        >
          {worker.state === 'online'
            ? t`up for ${ageSince(worker.since, now)}`
            : t`last seen ${ageSince(worker.last_seen, now)} ago`}
        </Text>
      </div>
      <Text size="xs" c="dimmed">
        {t`Queues: ${worker.pulls.join(', ')}`}
        {worker.engine ? ` · ${worker.engine.provider}, ${worker.engine.model}` : ''}
      </Text>
      {worker.note !== null && <Text size="xs">{worker.note}</Text>}
      {worker.doing.length > 0 && (
        <ul className={css['doing']} aria-label={t`Tasks of ${worker.id}`}>
          {worker.doing.map((task) => (
            <CurrentTask key={task.task_uuid} task={task} now={now} />
          ))}
        </ul>
      )}
    </li>
  );
}

function CurrentTask({ task, now }: { task: WorkerItem['doing'][number]; now: string }) {
  return (
    <li>
      <span className={css['doingWords']}>
        {stageNames[task.stage]}:{' '}
        <Link className="ot-row-link" dir="auto" to="/files/$uuid" params={{ uuid: task.media_file_id }}>
          {task.file_title ?? task.media_file_id.slice(0, 8)}
        </Link>
      </span>
      <Progress
        className={css['doingBar'] ?? ''}
        value={Math.max(2, Math.round(task.progress * 100))}
        aria-label={t`${stageNames[task.stage]}, ${Math.round(task.progress * 100)} percent`}
      />
      <span className={css['dim']}>
        {Math.round(task.progress * 100)} % · {ageSince(task.since, now)}
      </span>
    </li>
  );
}
