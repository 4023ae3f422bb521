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
  /** @returns the conversation in which the question was refused; undefined: it was accepted */
  readonly ask: (question: Question) => Promise<{ readonly refusedIn: string | null } | undefined>;
};

type State = Pick<Asking, 'pending' | 'error'>;
const idle: State = { pending: null, error: null };

/**
 * Asks in a conversation, or begins one with the first question. What was asked stays with its conversation, also while
 * the page shows another one.
 */
export function useAsking(uuid: string | null, scope: AskScope, onBegun: (uuid: string) => void): Asking {
  const client = useQueryClient();
  /** By conversation; null: the one that begins. */
  const [states, setStates] = useState<ReadonlyMap<string | null, State>>(new Map());
  const change = (id: string | null, next: (state: State) => State): void =>
    setStates((all) => new Map(all).set(id, next(all.get(id) ?? idle)));
  const receive = (id: string, { event, data }: AskEvent): void => {
    if (event === 'message') showMessage(client, id, data);
    else change(id, (state) => ({ ...state, pending: state.pending && { ...state.pending, ...data } }));
  };
  const ask = async ({ question, messageId, withoutModel = false }: Question) => {
    const pending = { question, messageId: messageId ?? null, stage: 'sending', text: '' } as const;
    let id = uuid;
    change(id, () => ({ pending, error: null }));
    try {
      id ??= await begin();
      const asked = id;
      const stream = await open(asked, { question, messageId, withoutModel });
      void readEvents(stream, ({ event, data }) => receive(asked, { event, data: JSON.parse(data) } as AskEvent))
        .catch((error: unknown) => change(asked, (state) => ({ ...state, error })))
        .finally(() => {
          change(asked, (state) => ({ ...state, pending: null }));
          void client.invalidateQueries({ queryKey: ['conversation', asked] });
          void client.invalidateQueries({ queryKey: ['conversations'] });
        });
      return undefined;
    } catch (error) {
      change(id, () => ({ pending: null, error }));
      return { refusedIn: id };
    }
  };
  const begin = async (): Promise<string> => {
    const conversation = await call('POST /api/ask/conversations', { body: scope });
    client.setQueryData(conversationQuery(conversation.uuid).queryKey, conversation);
    setStates((all) => new Map(all).set(conversation.uuid, all.get(null) ?? idle).set(null, idle));
    onBegun(conversation.uuid);
    return conversation.uuid;
  };
  return { ...(states.get(uuid) ?? idle), ask };
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
