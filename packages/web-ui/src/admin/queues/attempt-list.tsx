import { moment } from '../../lib/format.ts';
import type { AttemptItem } from './queue-queries.ts';
import css from './queues.module.css';
import { ageSince, outcomeTexts } from './labels.ts';

/** The attempts of a task, with outcome and worker. */
export function AttemptList({ attempts }: { attempts: readonly AttemptItem[] }) {
  return (
    <ol className={css['tries']}>
      {attempts.map((attempt) => (
        <li key={attempt.number} data-outcome={attempt.outcome}>
          <b>Attempt {attempt.number}</b> {outcomeTexts[attempt.outcome]}
          {attempt.ended_at === null ? '' : ` after ${ageSince(attempt.started_at, attempt.ended_at)}`}
          {attempt.error_message === null ? '' : `: ${attempt.error_message}`}
          <span className={css['dim']}>
            {' '}
            ({moment(attempt.started_at)}
            {attempt.worker === null ? '' : `, ${attempt.worker}`})
          </span>
        </li>
      ))}
    </ol>
  );
}
