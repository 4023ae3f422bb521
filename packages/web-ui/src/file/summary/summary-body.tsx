import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { clock } from '../../lib/format.ts';
import { useFile } from '../file-context.ts';
import type { Statement, Summary } from './summary-queries.ts';
import { secondsOf, taskFacts } from './summary-text.ts';
import css from './summary.module.css';

export type JumpTo = (seconds: number) => void;
type Jump = { readonly onJump: JumpTo };

/** The statements of a summary, each with links to the seconds it rests on. Everything is shown as text. */
export function SummaryBody({ summary, onJump }: { summary: Summary['summary'] } & Jump) {
  const { brief, key_decisions, action_items, topics, follow_ups } = summary;
  if (Object.values(summary).every((statements) => statements.length === 0))
    return (
      <Text size="sm" c="dimmed" data-testid="summary-empty">
        {t`There is nothing to summarise in this recording.`}
      </Text>
    );
  return (
    <Stack gap="md" data-testid="summary-body">
      <Text component="div" size="sm" className={css['brief'] ?? ''}>
        {brief.map((statement, i) => (
          <p key={i}>
            <StatementText statement={statement} onJump={onJump} />
          </p>
        ))}
      </Text>
      <Part title={t`Key decisions`} items={key_decisions}>
        {(statement) => <StatementText statement={statement} onJump={onJump} />}
      </Part>
      <Part title={t`Action items`} items={action_items}>
        {(item) => (
          <>
            <StatementText statement={item} onJump={onJump} />
            {taskFacts(item).length > 0 && (
              <Text size="xs" c="dimmed">
                {taskFacts(item).join(' · ')}
              </Text>
            )}
          </>
        )}
      </Part>
      <Part title={t`Topics`} items={topics}>
        {({ title, start, end }) => (
          <>
            {title} <SourceLink seconds={start} label={`${clock(start)}–${clock(end)}`} onJump={onJump} />
          </>
        )}
      </Part>
      <Part title={t`Follow-ups`} items={follow_ups}>
        {(statement) => <StatementText statement={statement} onJump={onJump} />}
      </Part>
    </Stack>
  );
}

type PartProps<T> = { title: string; items: readonly T[]; children: (item: T) => ReactNode };

function Part<T>({ title, items, children }: PartProps<T>) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2 className={css['heading']}>{title}</h2>
      <Text component="ul" size="sm" className={css['statements'] ?? ''}>
        {items.map((item, i) => (
          <li key={i}>{children(item)}</li>
        ))}
      </Text>
    </section>
  );
}

function StatementText({ statement, onJump }: { statement: Statement } & Jump) {
  return (
    <>
      <bdi>{statement.text}</bdi>
      {secondsOf(statement.segments).map((second) => (
        <SourceLink key={second} seconds={second} label={clock(second)} onJump={onJump} />
      ))}
    </>
  );
}

/** A link to a second of the recording, which can be copied and opened in another tab. */
export function SourceLink({ seconds, label, onJump }: { seconds: number; label: string } & Jump) {
  const { file } = useFile();
  const jump = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onJump(seconds);
  };
  return (
    <Link
      to="/files/$uuid"
      params={{ uuid: file.uuid }}
      search={{ t: seconds }}
      className={css['source']}
      aria-label={t`Go to ${label}`}
      onClick={jump}
    >
      {label}
    </Link>
  );
}
