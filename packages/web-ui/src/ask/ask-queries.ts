import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { RequestBody, ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type ConversationItem = ResponseBody<'GET /api/ask/conversations'>['items'][number];
export type Conversation = ResponseBody<'GET /api/ask/conversations/{uuid}'>;
export type AskMessage = Conversation['messages'][number];
export type Citation = AskMessage['citations'][number];
/** What a new conversation is about. */
export type AskScope = Pick<RequestBody<'POST /api/ask/conversations'>, 'scope' | 'scope_uuid'>;

const pollMs = 2_000;
export const conversationsPageSize = 20;

/** @param about only conversations about this file or collection */
export function conversationsQuery(page: number, about?: { scope: 'file' | 'collection'; uuid: string }) {
  return queryOptions({
    queryKey: ['conversations', about?.uuid ?? null, page],
    queryFn: ({ signal }) =>
      call('GET /api/ask/conversations', {
        signal,
        query: { page, page_size: conversationsPageSize, scope: about?.scope, scope_uuid: about?.uuid },
      }),
    placeholderData: keepPreviousData,
  });
}

/** Polled while an answer is being written that this page does not receive itself. */
export function conversationQuery(uuid: string) {
  return queryOptions({
    queryKey: ['conversation', uuid],
    queryFn: ({ signal }) => call('GET /api/ask/conversations/{uuid}', { params: { uuid }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.messages.some(({ status }) => status === 'answering') ? pollMs : false,
  });
}

/** Puts a message into the shown conversation, in its place or at the end. */
export function showMessage(client: QueryClient, uuid: string, message: AskMessage): void {
  client.setQueryData(conversationQuery(uuid).queryKey, (shown) => {
    if (!shown) return shown;
    const isKnown = shown.messages.some((other) => other.uuid === message.uuid);
    const messages = isKnown
      ? shown.messages.map((other) => (other.uuid === message.uuid ? message : other))
      : [...shown.messages, message];
    return { ...shown, messages };
  });
}
