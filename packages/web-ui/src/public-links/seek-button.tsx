import { t } from '@lingui/core/macro';
import { clock } from '../lib/format.ts';
import css from './public-links.module.css';

/** Plays from a second; without a recording only the time is shown. */
export type Seek = ((seconds: number) => void) | undefined;

export function SeekButton({ seconds, onSeek }: { seconds: number; onSeek: Seek }) {
  const time = clock(seconds);
  if (!onSeek) return <span className={css['time']}>{time}</span>;
  return (
    <button type="button" className={css['time']} aria-label={t`Play from ${time}`} onClick={() => onSeek(seconds)}>
      {time}
    </button>
  );
}
