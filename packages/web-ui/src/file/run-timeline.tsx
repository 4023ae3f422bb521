import { msg, t } from '@lingui/core/macro';
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { translateOnRead } from '../lib/language.ts';
import { timelineQuery, type Timeline } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { moment } from '../lib/format.ts';
import { stageNames } from '../library/status.ts';
import { axisOf, durationText, spanOf, type Axis } from './run-axis.ts';
import css from './run-timeline.module.css';

type Stage = Timeline['stages'][number];
type Attempt = Stage['tries'][number];
const refreshMs = 3_000;

const outcomeTexts: Record<Attempt['outcome'], string> = translateOnRead({
  running: msg`running`,
  completed: msg`done`,
  failed: msg`failed`,
  released: msg`returned: worker stopped`,
  lost: msg`worker lost`,
  cancelled: msg`stopped`,
});
const stageLabels: Record<Stage['status'], string> = translateOnRead({
  pending: msg`pending`,
  running: msg`running`,
  completed: msg`done`,
  failed: msg`failed`,
  cancelled: msg`skipped`,
});
const runLabels: Record<Timeline['status'], string> = translateOnRead({
  running: msg`In progress`,
  waiting: msg`Waiting`,
  completed: msg`Done`,
  failed: msg`Failed`,
  cancelled: msg`Stopped`,
});

/** The last run of a recording: a bar for each attempt of each stage. */
export function RunTimeline({ uuid }: { uuid: string }) {
  const timeline = useQuery({
    ...timelineQuery(uuid),
    refetchInterval: ({ state }) => (['running', 'waiting'].includes(state.data?.status ?? '') ? refreshMs : false),
  });
  if (timeline.isError)
    return (
      <ErrorNote
        error={timeline.error}
        title={t`The stages couldn’t be loaded`}
        onRetry={() => void timeline.refetch()}
      />
    );
  if (timeline.isPending) return <Skeleton h={160} role="status" aria-label={t`Loading`} />;
  if (!timeline.data)
    return (
      <Text size="sm" c="dimmed">
        {t`This recording hasn’t been processed yet.`}
      </Text>
    );
  return <Chart timeline={timeline.data} now={timeline.dataUpdatedAt} />;
}

function Chart({ timeline, now }: { timeline: Timeline; now: number }) {
  const axis = axisOf(timeline.stages.flatMap((stage) => stage.tries.map((attempt) => spanOf(attempt, now))));
  const ended = timeline.completed_at === null ? now : Date.parse(timeline.completed_at);
  return (
    <div data-testid="timeline">
      <Text size="xs" c="dimmed" title={moment(timeline.created_at)}>
        {totalText(timeline.status, durationText(Math.max(0, ended - Date.parse(timeline.created_at))))}
      </Text>
      <ol className={css['stages']} aria-label={t`Stages of the last run`}>
        {timeline.stages.map((stage) => (
          <StageRow key={stage.stage} stage={stage} axis={axis} now={now} />
        ))}
      </ol>
      {axis.sections.some(({ isShortened }) => isShortened) && (
        <Text size="xs" c="dimmed">
          {t`Long pauses are shortened.`}
        </Text>
      )}
    </div>
  );
}

function totalText(status: Timeline['status'], time: string): string {
  return status === 'completed' ? t`Finished in ${time}` : `${runLabels[status]} · ${time}`;
}

type RowProps = { stage: Stage; axis: Axis; now: number };

function StageRow({ stage, axis, now }: RowProps) {
  const showsAttempts = stage.tries.length > 1 || stage.tries.some(({ error_message }) => error_message !== null);
  return (
    <li className={css['stage']} data-stage={stage.stage} data-status={stage.status}>
      <div className={css['head']}>
        <span className={css['name']}>{stageNames[stage.stage]}</span>
        <span className={css['time']}>{timeText(stage)}</span>
      </div>
      <div className={css['track']} aria-hidden="true">
        {axis.sections
          .filter(({ isShortened }) => isShortened)
          .map((pause) => (
            <span key={pause.from} className={css['cut']} style={styleOf(axis, pause)} />
          ))}
        {stage.tries.map((attempt) => (
          <span
            key={attempt.number}
            className={css['bar']}
            data-outcome={attempt.outcome}
            title={t`Attempt ${attempt.number}: ${outcomeTexts[attempt.outcome]}`}
            style={styleOf(axis, spanOf(attempt, now))}
          />
        ))}
      </div>
      {showsAttempts && (
        <ol className={css['tries']} aria-label={t`Attempts of ${stageNames[stage.stage]}`}>
          {stage.tries.map((attempt) => (
            <AttemptLine key={attempt.number} attempt={attempt} now={now} />
          ))}
        </ol>
      )}
    </li>
  );
}

function styleOf(axis: Axis, span: { from: number; to: number }) {
  const { left, width } = axis.placementOf(span);
  return { left: `${left}%`, width: `max(3px, ${width}%)` };
}

function timeText(stage: Stage): string {
  if (stage.seconds === null) return stageLabels[stage.status];
  const total = durationText(stage.seconds * 1000);
  const time = stage.engine_seconds ? t`${total} (${durationText(stage.engine_seconds * 1000)} processing)` : total;
  return stage.status === 'completed' ? time : `${stageLabels[stage.status]}, ${time}`;
}

function AttemptLine({ attempt, now }: { attempt: Attempt; now: number }) {
  const { from, to } = spanOf(attempt, now);
  return (
    <li data-outcome={attempt.outcome} title={moment(attempt.started_at)}>
      <b>{t`Attempt ${attempt.number}`}</b> {outcomeTexts[attempt.outcome]}, {durationText(to - from)}
      {attempt.error_message === null ? '' : `: ${attempt.error_message}`}
      {attempt.worker !== null && <span className={css['worker']}> ({attempt.worker})</span>}
    </li>
  );
}
