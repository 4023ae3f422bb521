import { t } from '@lingui/core/macro';
import { Button, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { LostStream } from '../lib/event-stream.ts';
import { drafts } from '../state/services.ts';
import { useDraft } from '../state/use-draft.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { conversationQuery, type AskScope } from './ask-queries.ts';
import css from './ask.module.css';
import { MessageView, PendingView } from './message-view.tsx';
import type { Asking } from './use-asking.ts';

const maxQuestion = 2_000;

type Props = {
  /** Null: begins with the first question. */
  readonly uuid: string | null;
  readonly scope: AskScope;
  readonly asking: Asking;
  /** Shown before the first question. */
  readonly invitation: string;
  readonly autoFocus?: boolean;
};

/** The questions and answers of a conversation, and the field for the next question. */
export function ConversationView({ uuid, scope, asking, invitation, autoFocus = false }: Props) {
  const isOwner = useIsOwner(uuid);
  return (
    <Stack gap="md">
      {uuid === null ? (
        asking.pending === null && <Empty>{invitation}</Empty>
      ) : (
        <Messages uuid={uuid} asking={asking} isOwner={isOwner} />
      )}
      {asking.pending?.messageId === null && <PendingView pending={asking.pending} />}
      <AskingError error={asking.error} />
      {isOwner ? (
        <QuestionForm uuid={uuid} scope={scope} asking={asking} autoFocus={autoFocus} />
      ) : (
        <Text size="sm" c="dimmed">
          {t`Only the owner of the conversation can ask in it.`}
        </Text>
      )}
    </Stack>
  );
}

function AskingError({ error }: { error: unknown }) {
  if (error === null) return null;
  if (!(error instanceof LostStream)) return <ErrorNote error={error} title={t`The question wasn’t answered`} />;
  // The server completes the answer also without a reader, and the conversation is loaded again.
  const next = new Error(t`If the server completes the answer, it appears here. Otherwise ask again.`);
  return <ErrorNote error={next} title={t`The connection was lost`} />;
}

function useIsOwner(uuid: string | null): boolean {
  const conversation = useQuery({ ...conversationQuery(uuid ?? ''), enabled: uuid !== null });
  return conversation.data?.is_owner ?? true;
}

function Messages({ uuid, asking, isOwner }: { uuid: string; asking: Asking; isOwner: boolean }) {
  const conversation = useQuery(conversationQuery(uuid));
  const end = useRef<HTMLDivElement>(null);
  const { pending, ask } = asking;
  const count = conversation.data?.messages.length ?? 0;
  const isBusy =
    pending !== null || (conversation.data?.messages.some(({ status }) => status === 'answering') ?? false);
  useEffect(() => {
    if (pending !== null || count > 1) end.current?.scrollIntoView({ block: 'nearest' });
  }, [count, pending]);
  return (
    <div data-testid="conversation">
      <QueryStatus of={conversation} failure={t`The conversation couldn’t be loaded`} />
      {conversation.data?.messages
        // A new question is shown by its pending answer.
        .filter(({ status }, i) => !(status === 'answering' && i === count - 1 && pending?.messageId === null))
        .map((message) =>
          pending?.messageId === message.uuid ? (
            <PendingView key={message.uuid} pending={pending} />
          ) : (
            <MessageView
              key={message.uuid}
              message={message}
              onRetry={
                isOwner && !isBusy
                  ? ({ withoutModel }) =>
                      void ask({ question: message.question, messageId: message.uuid, withoutModel })
                  : null
              }
            />
          ),
        )}
      <div ref={end} />
    </div>
  );
}

type FormProps = Pick<Props, 'uuid' | 'scope' | 'asking'> & { readonly autoFocus: boolean };

function QuestionForm({ uuid, scope, asking: { ask, pending }, autoFocus }: FormProps) {
  const draftKey = (id: string | null): string => `ask:${id ?? scope.scope_uuid ?? 'library'}`;
  const { value: question, set: setQuestion } = useDraft(draftKey(uuid), '', { askToLeave: false });
  const ready = question.trim() !== '' && pending === null;
  const submit = async (): Promise<void> => {
    if (!ready) return;
    setQuestion('');
    const refused = await ask({ question: question.trim() });
    // A refused question is given back, in the conversation that it may have begun.
    if (refused) drafts.write(draftKey(refused.refusedIn), question);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <form
      className={css['form']}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Textarea
        label={t`Question`}
        placeholder={t`What was decided about …?`}
        autoFocus={autoFocus}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={maxQuestion}
        value={question}
        onChange={(event) => setQuestion(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Button type="submit" leftSection={<Icon name="send" size={17} />} disabled={!ready} loading={pending !== null}>
        {t`Ask`}
      </Button>
    </form>
  );
}
