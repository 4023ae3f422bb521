import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { timelineQuery, type Timeline } from '../api/queries.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { moment } from '../lib/format.ts';
import { stageNames } from '../library/status.ts';
import { axisOf, spanOf, took, type Axis } from './run-axis.ts';
import css from './run-timeline.module.css';

type Stage = Timeline['stages'][number];
type Try = Stage['tries'][number];
const liveMs = 3_000;

const outcomeWords: Record<Try['outcome'], string> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  released: 'given back, its worker stopped',
  lost: 'lost, its worker went away',
  cancelled: 'stopped',
};
const stageWords: Record<Stage['status'], string> = {
  pending: 'to come',
  running: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'left out',
};
const runWords: Record<Timeline['status'], string> = {
  running: 'Under way',
  waiting: 'Waiting',
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Stopped',
};

/** How the last run of a recording went: a bar for each try of each stage. */
export const RunTimeline = ({ uuid }: { uuid: string }) => {
  const timeline = useQuery({
    ...timelineQuery(uuid),
    refetchInterval: ({ state }) => (['running', 'waiting'].includes(state.data?.status ?? '') ? liveMs : false),
  });
  if (timeline.isError)
    return (
      <ErrorNote
        error={timeline.error}
        title="The stages cannot be read just now"
        onRetry={() => void timeline.refetch()}
      />
    );
  if (timeline.isPending) return <Skeleton h={160} role="status" aria-label="Loading" />;
  if (!timeline.data)
    return (
      <Text size="sm" c="dimmed">
        Nothing has been done with this recording yet.
      </Text>
    );
  return <Chart timeline={timeline.data} now={timeline.dataUpdatedAt} />;
};

const Chart = ({ timeline, now }: { timeline: Timeline; now: number }) => {
  const axis = axisOf(timeline.stages.flatMap((stage) => stage.tries.map((one) => spanOf(one, now))));
  const ended = timeline.completed_at === null ? now : Date.parse(timeline.completed_at);
  return (
    <div data-testid="timeline">
      <Text size="xs" c="dimmed" title={moment(timeline.created_at)}>
        {runWords[timeline.status]} · {took(Math.max(0, ended - Date.parse(timeline.created_at)))} since it was ordered
      </Text>
      <ol className={css['stages']} aria-label="Stages of the last run">
        {timeline.stages.map((stage) => (
          <StageRow key={stage.stage} stage={stage} axis={axis} now={now} />
        ))}
      </ol>
      {axis.pieces.some((p) => p.cut) && (
        <Text size="xs" c="dimmed">
          Long pauses, in which nothing was tried, are drawn shorter.
        </Text>
      )}
    </div>
  );
};

type RowProps = { stage: Stage; axis: Axis; now: number };
const StageRow = ({ stage, axis, now }: RowProps) => {
  const eventful = stage.tries.length > 1 || stage.tries.some((one) => one.error_message !== null);
  return (
    <li className={css['stage']} data-stage={stage.stage} data-status={stage.status}>
      <div className={css['head']}>
        <span className={css['name']}>{stageNames[stage.stage]}</span>
        <span className={css['time']}>{timeWords(stage)}</span>
      </div>
      <div className={css['track']} aria-hidden="true">
        {axis.pieces
          .filter((p) => p.cut)
          .map((p) => (
            <span key={p.from} className={css['cut']} style={styleOf(axis, p)} />
          ))}
        {stage.tries.map((one) => (
          <span
            key={one.number}
            className={css['bar']}
            data-outcome={one.outcome}
            title={`Try ${one.number}: ${outcomeWords[one.outcome]}`}
            style={styleOf(axis, spanOf(one, now))}
          />
        ))}
      </div>
      {eventful && (
        <ol className={css['tries']} aria-label={`Tries of ${stageNames[stage.stage]}`}>
          {stage.tries.map((one) => (
            <TryLine key={one.number} one={one} now={now} />
          ))}
        </ol>
      )}
    </li>
  );
};

const styleOf = (axis: Axis, span: { from: number; to: number }) => {
  const { left, width } = axis.placeOf(span);
  return { left: `${left}%`, width: `max(3px, ${width}%)` };
};

const timeWords = (stage: Stage): string => {
  if (stage.seconds === null) return stageWords[stage.status];
  const engine = stage.engine_seconds ? `, engine ${took(stage.engine_seconds * 1000)}` : '';
  return `${stage.status === 'completed' ? '' : `${stageWords[stage.status]}, `}${took(stage.seconds * 1000)}${engine}`;
};

const TryLine = ({ one, now }: { one: Try; now: number }) => {
  const { from, to } = spanOf(one, now);
  return (
    <li data-outcome={one.outcome} title={moment(one.started_at)}>
      <b>Try {one.number}</b> {outcomeWords[one.outcome]}, {took(to - from)}
      {one.error_message === null ? '' : `: ${one.error_message}`}
      {one.worker !== null && <span className={css['worker']}> ({one.worker})</span>}
    </li>
  );
};
