import { moment } from '../../lib/format.ts';
import type { TryItem } from './queue-queries.ts';
import css from './queues.module.css';
import { ageSince, outcomeWords } from './words.ts';

/** Every try of a task in words. */
export const TryList = ({ tries }: { tries: readonly TryItem[] }) => (
  <ol className={css['tries']}>
    {tries.map((one) => (
      <li key={one.number} data-outcome={one.outcome}>
        <b>Try {one.number}</b> {outcomeWords[one.outcome]}
        {one.ended_at === null ? '' : ` after ${ageSince(one.started_at, one.ended_at)}`}
        {one.error_message === null ? '' : `: ${one.error_message}`}
        <span className={css['dim']}>
          {' '}
          ({moment(one.started_at)}
          {one.worker === null ? '' : `, ${one.worker}`})
        </span>
      </li>
    ))}
  </ol>
);
