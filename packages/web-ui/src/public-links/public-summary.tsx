import { t } from '@lingui/core/macro';
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PublicSummary } from '@overtone/contracts';
import type { ReactNode } from 'react';
import { QueryStatus } from '../ui/query-status.tsx';
import { SeekButton, type Seek } from './seek-button.tsx';
import { publicSummaryQuery } from './queries.ts';
import css from './public-links.module.css';

/** The summary of a shared recording. Everything is shown as text. */
export function PublicSummaryPart({ uuid, onSeek }: { uuid: string; onSeek: Seek }) {
  const query = useQuery(publicSummaryQuery(uuid));
  const summary = query.data?.summary;
  return (
    <section aria-labelledby="public-summary">
      <Title order={2} size="h4" mb="sm" id="public-summary">
        {t`Summary`}
      </Title>
      <QueryStatus of={query} failure={t`The summary couldn’t be loaded`} height={120} />
      {query.data && !summary && (
        <Text size="sm" c="dimmed">
          {t`There is no summary.`}
        </Text>
      )}
      {summary && <Statements summary={summary} onSeek={onSeek} />}
    </section>
  );
}

function Statements({ summary, onSeek }: { summary: PublicSummary; onSeek: Seek }) {
  const { brief, key_decisions, action_items, topics, follow_ups } = summary;
  const statement = ({ text, starts }: { text: string; starts: readonly number[] }): ReactNode => (
    <>
      {text}{' '}
      {starts.map((start) => (
        <SeekButton key={start} seconds={start} onSeek={onSeek} />
      ))}
    </>
  );
  return (
    <div className={css['summary']}>
      {brief.map((item, i) => (
        <p key={i}>{statement(item)}</p>
      ))}
      <Part title={t`Key decisions`} items={key_decisions.map(statement)} />
      <Part
        title={t`Action items`}
        items={action_items.map((item) => (
          <>
            {statement(item)}
            <Text size="xs" c="dimmed">
              {[item.owner && t`Owner: ${item.owner}`, item.due_date && t`Due: ${item.due_date}`]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </>
        ))}
      />
      <Part
        title={t`Topics`}
        items={topics.map(({ title, start }) => (
          <>
            {title} <SeekButton seconds={start} onSeek={onSeek} />
          </>
        ))}
      />
      <Part title={t`Follow-ups`} items={follow_ups.map(statement)} />
      <Text size="xs" c="dimmed">
        {[
          summary.made_without_model ? t`Made of sentences of the transcript, without a language model.` : '',
          summary.out_of_date ? t`The transcript was edited since.` : '',
        ].join(' ')}
      </Text>
    </div>
  );
}

function Part({ title, items }: { title: string; items: readonly ReactNode[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      <ul>
        {items.map((item, i) => (
          <li key={i}>{item}</li>
        ))}
      </ul>
    </section>
  );
}
