import type { AskEvent } from '@overtone/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, callStream } from '../api/client.ts';
import { readEvents } from '../lib/event-stream.ts';
import { conversationQuery, showMessage, type AskScope } from './ask-queries.ts';

/** A question whose answer this page receives. */
export type PendingAnswer = {
  readonly question: string;
  /** The message that is answered again; null: a new question. */
  readonly messageId: string | null;
  readonly stage: 'sending' | 'searching' | 'writing';
  /** The text so far, without citations. */
  readonly text: string;
};
type Question = { readonly question: string; readonly messageId?: string; readonly withoutModel?: boolean };
export type Asking = {
  readonly pending: PendingAnswer | null;
  readonly error: unknown;
  /** @returns whether the question was accepted. */
  readonly ask: (question: Question) => Promise<boolean>;
};

/** Asks in a conversation, or begins one with the first question. */
export function useAsking(uuid: string | null, scope: AskScope, onBegun: (uuid: string) => void): Asking {
  const client = useQueryClient();
  const [pending, setPending] = useState<PendingAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const receive = (id: string, { event, data }: AskEvent): void => {
    if (event === 'message') showMessage(client, id, data);
    else setPending((shown) => shown && { ...shown, ...data });
  };
  const ask = async ({ question, messageId, withoutModel = false }: Question): Promise<boolean> => {
    setError(null);
    setPending({ question, messageId: messageId ?? null, stage: 'sending', text: '' });
    try {
      const id = uuid ?? (await begin());
      const stream = await open(id, { question, messageId, withoutModel });
      void readEvents(stream, ({ event, data }) => receive(id, { event, data: JSON.parse(data) } as AskEvent))
        .catch(setError)
        .finally(() => {
          setPending(null);
          void client.invalidateQueries({ queryKey: ['conversation', id] });
          void client.invalidateQueries({ queryKey: ['conversations'] });
        });
      return true;
    } catch (failure) {
      setPending(null);
      setError(failure);
      return false;
    }
  };
  const begin = async (): Promise<string> => {
    const conversation = await call('POST /api/ask/conversations', { body: scope });
    client.setQueryData(conversationQuery(conversation.uuid).queryKey, conversation);
    onBegun(conversation.uuid);
    return conversation.uuid;
  };
  return { pending, error, ask };
}

function open(
  uuid: string,
  { question, messageId, withoutModel }: { question: string; messageId: string | undefined; withoutModel: boolean },
): Promise<ReadableStream<string>> {
  if (messageId === undefined)
    return callStream('POST /api/ask/conversations/{uuid}/messages', {
      params: { uuid },
      body: { question, without_model: withoutModel },
    });
  return callStream('POST /api/ask/conversations/{uuid}/messages/{message_uuid}/retry', {
    params: { uuid, message_uuid: messageId },
    body: { without_model: withoutModel },
  });
}
