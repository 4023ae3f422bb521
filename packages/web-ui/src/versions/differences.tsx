import { plural, t } from '@lingui/core/macro';
import { Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import type { VersionDifference } from '@overtone/contracts';
import { clock, formatNumber } from '../lib/format.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { differencesQuery } from './version-queries.ts';
import css from './versions.module.css';

type Props = { readonly fileId: string; readonly versionId: string | null; readonly name: string };
type Side = VersionDifference['before'];
type Comparison = ResponseBody<'GET /api/files/{uuid}/transcript/differences'>;

/** An earlier version beside the present text: the passages that differ, with their changed words marked. */
export function Differences({ fileId, versionId, name }: Props) {
  const query = useQuery(differencesQuery(fileId, versionId));
  if (query.isError)
    return (
      <ErrorNote
        error={query.error}
        title={t`The versions couldn’t be compared`}
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Loader size="sm" aria-label={t`Comparing`} />;
  const { differences, complete } = query.data;
  return (
    <section aria-label={t`Differences from “${name}”`} data-testid="differences">
      <Text size="sm" role="status" mb="xs">
        {summaryText(query.data)}
      </Text>
      {differences.length > 0 && (
        <div className={css['heads']} aria-hidden>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="xs" c="dimmed">{t`Present text`}</Text>
        </div>
      )}
      <ol className={css['differences']}>
        {differences.map(({ before, after }, i) => (
          <li key={i} className={css['pair']}>
            <Passages side={before} marks="del" label={name} />
            <Passages side={after} marks="ins" label={t`Present text`} />
          </li>
        ))}
      </ol>
      {!complete && (
        <Text size="sm" c="dimmed">
          {t`These are the first ${formatNumber(differences.length)} places that differ.`}
        </Text>
      )}
    </section>
  );
}

function summaryText({ differences, words, words_removed, words_added }: Comparison): string {
  if (differences.length === 0) return t`There is no difference.`;
  if (words_removed + words_added === 0) return t`No word differs. Speakers, times or the borders of passages do.`;
  const places = plural(differences.length, { one: '# place differs', other: '# places differ' });
  return t`${places}: ${formatNumber(words_removed)} of ${formatNumber(words)} words are not in the present text, ${formatNumber(words_added)} are new.`;
}

function Passages({ side, marks: Mark, label }: { side: Side; marks: 'del' | 'ins'; label: string }) {
  return (
    <div role="group" aria-label={label} className={css['side']}>
      {side.length === 0 && (
        <Text size="sm" c="dimmed" fs="italic">
          {t`No passage`}
        </Text>
      )}
      {side.map(({ start_time, end_time, speaker, pieces }, i) => (
        <p key={i} className={css['passage']}>
          <Text span size="xs" c="dimmed" className="ot-tabular">
            {clock(start_time)}–{clock(end_time)} {speaker ?? t`No speaker`}
          </Text>
          <br />
          <bdi>
            {pieces.map(({ text, changed }, piece) => (
              <span key={piece}>
                {piece > 0 && ' '}
                {changed ? <Mark>{text}</Mark> : text}
              </span>
            ))}
          </bdi>
        </p>
      ))}
    </div>
  );
}
