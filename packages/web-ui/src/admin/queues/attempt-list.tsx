import { t } from '@lingui/core/macro';
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
          <b>{t`Attempt ${attempt.number}`}</b>{' '}
          {attempt.ended_at === null
            ? outcomeTexts[attempt.outcome]
            : t`${outcomeTexts[attempt.outcome]} after ${ageSince(attempt.started_at, attempt.ended_at)}`}
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
