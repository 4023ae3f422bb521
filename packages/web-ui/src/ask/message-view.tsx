import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { assertNever } from '../lib/assert-never.ts';
import { clock } from '../lib/format.ts';
import { Icon } from '../ui/icons.tsx';
import type { AskMessage, Citation } from './ask-queries.ts';
import { failureText, isModelFailure, originText } from './labels.ts';
import css from './ask.module.css';
import type { PendingAnswer } from './use-asking.ts';

type Retry = (options: { withoutModel: boolean }) => void;
/** `onRetry` null: only the owner asks, and one question at a time. */
type Props = { readonly message: AskMessage; readonly onRetry: Retry | null };

/** A question with its answer, as far as the reader may read it. */
export function MessageView({ message, onRetry }: Props) {
  return (
    <article className={css['message']} data-testid="ask-message" data-status={message.status}>
      <h2 className={css['question']}>{message.question}</h2>
      <Answer message={message} onRetry={onRetry} />
    </article>
  );
}

function Answer({ message, onRetry }: Props) {
  const origin = originText(message);
  switch (message.status) {
    case 'answering':
      return <Writing text="" stage="writing" />;
    case 'declined':
      return <Outcome text={t`The recordings don’t say.`} onRetry={onRetry} />;
    case 'removed':
      return (
        <Outcome
          text={t`The answer was removed: a recording it rests on was deleted, or more of it is masked now.`}
          onRetry={onRetry}
        />
      );
    case 'failed':
      return <Failed message={message} onRetry={onRetry} />;
    case 'answered':
      return (
        <>
          <Sentences message={message} />
          <Citations citations={message.citations} />
          <Text size="xs" c="dimmed" mt="xs">
            {origin} {message.search_partial && t`Only a part could be searched, so something may be missing.`}
          </Text>
        </>
      );
    default:
      return assertNever(message.status);
  }
}

function Sentences({ message: { sentences, citations } }: { message: AskMessage }) {
  const withheld = sentences.filter((sentence) => sentence.withheld).length;
  return (
    <>
      <p dir="auto" className={css['answer']}>
        {sentences
          .filter((sentence) => !sentence.withheld)
          .map(({ text, citations: numbers, supported }, i) => (
            // Sentences have no id and never change their order.
            <span key={i} className={supported ? undefined : css['unsupported']}>
              {text}
              {numbers.map((number) => (
                <CitationMark key={number} citation={citations.find((citation) => citation.number === number)} />
              ))}
              {!supported && <span className={css['note']}> ({t`not found in the recordings`})</span>}{' '}
            </span>
          ))}
      </p>
      {withheld > 0 && (
        <Text size="sm" c="dimmed" data-testid="withheld">
          {t`Parts of the answer are hidden, because you may not read their recordings.`}
        </Text>
      )}
    </>
  );
}

function CitationMark({ citation }: { citation: Citation | undefined }) {
  if (!citation || citation.file_uuid === null || citation.start === null) return null;
  const { number, file_uuid: file, file_title: title, start } = citation;
  return (
    <Link
      to="/files/$uuid"
      params={{ uuid: file }}
      search={{ t: start, play: true }}
      className={css['mark']}
      aria-label={t`Source ${number}: ${title ?? ''}, ${clock(start)}`}
    >
      {number}
    </Link>
  );
}

function Citations({ citations }: { citations: readonly Citation[] }) {
  if (citations.length === 0) return null;
  return (
    <ol className={css['citations']} aria-label={t`Sources`}>
      {citations.map((citation) => (
        <CitationRow key={citation.number} citation={citation} />
      ))}
    </ol>
  );
}

function CitationRow({ citation }: { citation: Citation }) {
  const { number, file_uuid: file, file_title: title, start, speaker, quote, edited } = citation;
  if (file === null || start === null)
    return <li className={css['hidden']}>{t`${number}. A recording that you may not read`}</li>;
  return (
    <li>
      <Link
        to="/files/$uuid"
        params={{ uuid: file }}
        search={{ t: start, play: true }}
        className={css['citation']}
        data-testid="citation"
        data-start={start}
      >
        <span className={css['number']}>{number}</span>
        <span className={css['source']}>
          <b>{title}</b> <span className={css['when']}>{clock(start)}</span>
          {quote !== null && quote !== '' && (
            <span className={css['quote']}>
              {speaker !== null && `${speaker}: `}
              <bdi>“{quote}”</bdi>
            </span>
          )}
          {edited && <span className={css['note']}>{t`The transcript was edited since this answer.`}</span>}
        </span>
      </Link>
    </li>
  );
}

function Outcome({ text, onRetry }: { text: string; onRetry: Retry | null }) {
  return (
    <Group gap="sm" align="center">
      <Text>{text}</Text>
      {onRetry && (
        <Button size="compact-sm" variant="default" onClick={() => onRetry({ withoutModel: false })}>
          {t`Ask again`}
        </Button>
      )}
    </Group>
  );
}

function Failed({ message, onRetry }: Props) {
  return (
    <Alert color="red" variant="light" icon={<Icon name="alert" />} title={t`No answer`}>
      <Text size="sm">{failureText(message.error_code)}</Text>
      {onRetry && (
        <Group gap="sm" mt="xs">
          <Button size="xs" variant="default" onClick={() => onRetry({ withoutModel: false })}>
            {t`Ask again`}
          </Button>
          {isModelFailure(message.error_code) && (
            <Button size="xs" variant="default" onClick={() => onRetry({ withoutModel: true })}>
              {t`Answer without the language model`}
            </Button>
          )}
        </Group>
      )}
    </Alert>
  );
}

/** The answer while it is written. */
export function PendingView({ pending: { question, stage, text } }: { pending: PendingAnswer }) {
  return (
    <article className={css['message']} data-testid="ask-pending">
      <h2 className={css['question']}>{question}</h2>
      <Writing text={text} stage={stage} />
    </article>
  );
}

function Writing({ text, stage }: Pick<PendingAnswer, 'text' | 'stage'>) {
  return (
    <div role="status">
      <Group gap="xs">
        <Loader size="xs" type="dots" />
        <Text size="sm" c="dimmed">
          {stage === 'writing' ? t`Writing the answer` : t`Searching the recordings`}
        </Text>
      </Group>
      {/* Announced once it is complete: a growing text would be read again and again. */}
      {text !== '' && (
        <p dir="auto" className={css['answer']} aria-hidden="true">
          {text}
        </p>
      )}
    </div>
  );
}
