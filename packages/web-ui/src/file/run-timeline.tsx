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
  released: 'returned, its worker stopped',
  lost: 'lost, its worker failed',
  cancelled: 'stopped',
};
const stageWords: Record<Stage['status'], string> = {
  pending: 'pending',
  running: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'skipped',
};
const runWords: Record<Timeline['status'], string> = {
  running: 'In progress',
  waiting: 'Waiting',
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Stopped',
};

/** The last run of a recording: a bar for each attempt of each stage. */
export const RunTimeline = ({ uuid }: { uuid: string }) => {
  const timeline = useQuery({
    ...timelineQuery(uuid),
    refetchInterval: ({ state }) => (['running', 'waiting'].includes(state.data?.status ?? '') ? liveMs : false),
  });
  if (timeline.isError)
    return (
      <ErrorNote error={timeline.error} title="The stages couldn’t be loaded" onRetry={() => void timeline.refetch()} />
    );
  if (timeline.isPending) return <Skeleton h={160} role="status" aria-label="Loading" />;
  if (!timeline.data)
    return (
      <Text size="sm" c="dimmed">
        This recording hasn’t been processed yet.
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
        {totalWords(timeline.status, took(Math.max(0, ended - Date.parse(timeline.created_at))))}
      </Text>
      <ol className={css['stages']} aria-label="Stages of the last run">
        {timeline.stages.map((stage) => (
          <StageRow key={stage.stage} stage={stage} axis={axis} now={now} />
        ))}
      </ol>
      {axis.pieces.some((p) => p.cut) && (
        <Text size="xs" c="dimmed">
          Long pauses are drawn shorter.
        </Text>
      )}
    </div>
  );
};

const totalWords = (status: Timeline['status'], time: string): string =>
  status === 'completed' ? `Finished in ${time}` : `${runWords[status]} · ${time}`;

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
            title={`Attempt ${one.number}: ${outcomeWords[one.outcome]}`}
            style={styleOf(axis, spanOf(one, now))}
          />
        ))}
      </div>
      {eventful && (
        <ol className={css['tries']} aria-label={`Attempts of ${stageNames[stage.stage]}`}>
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
  const engine = stage.engine_seconds ? ` (${took(stage.engine_seconds * 1000)} processing)` : '';
  return `${stage.status === 'completed' ? '' : `${stageWords[stage.status]}, `}${took(stage.seconds * 1000)}${engine}`;
};

const TryLine = ({ one, now }: { one: Try; now: number }) => {
  const { from, to } = spanOf(one, now);
  return (
    <li data-outcome={one.outcome} title={moment(one.started_at)}>
      <b>Attempt {one.number}</b> {outcomeWords[one.outcome]}, {took(to - from)}
      {one.error_message === null ? '' : `: ${one.error_message}`}
      {one.worker !== null && <span className={css['worker']}> ({one.worker})</span>}
    </li>
  );
};
