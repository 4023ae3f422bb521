import { z } from 'zod';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';

const route = routesOf('insights');

/** What a conversation is about: one recording, a collection, or everything that its owner may read. */
export const askScopes = ['file', 'collection', 'library'] as const;
export type AskScope = (typeof askScopes)[number];

/**
 * answering: a service works on it; declined: the recordings do not say; failed: `error_code` says why, and the question can
 * be asked again; removed: a recording that the answer rests on was deleted, or more of it is masked now.
 */
export const askStatuses = ['answering', 'answered', 'declined', 'failed', 'removed'] as const;
export type AskStatus = (typeof askStatuses)[number];

/** model: a language model; extractive: sentences of the recordings; count: the search index; summary: a stored summary. */
export const answerMakers = ['model', 'extractive', 'count', 'summary'] as const;
export type AnswerMaker = (typeof answerMakers)[number];

/** `perMinute` and `atOnce`: questions of one person. `messages`: questions of one conversation. */
export const askLimits = { questionLength: 2_000, titleLength: 200, messages: 200, perMinute: 10, atOnce: 2 } as const;

const sentenceObject = z.object({
  /** Plain text. Empty while `withheld`. */
  text: z.string(),
  /** The numbers of `citations` that it rests on. */
  citations: z.array(z.int()),
  /** False: no passage that was found says this. */
  supported: z.boolean(),
  /** The reader may not read what the sentence rests on. */
  withheld: z.boolean(),
});

const citationObject = z.object({
  /** From 1, in the order in which the sentences use them. */
  number: z.int(),
  /** The reader may not read the recording: its fields are null. */
  withheld: z.boolean(),
  /** The transcript was edited since the answer: it may say something else now. */
  edited: z.boolean(),
  file_uuid: z.uuid().nullable(),
  file_title: z.string().nullable(),
  /** Seconds. */
  start: z.number().nullable(),
  end: z.number().nullable(),
  speaker: z.string().nullable(),
  quote: z.string().nullable(),
});

export const askMessage = z.object({
  uuid: z.uuid(),
  question: z.string(),
  status: z.enum(askStatuses),
  made_by: z.enum(answerMakers).nullable(),
  /** The language model that wrote the answer. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  sentences: z.array(sentenceObject),
  citations: z.array(citationObject),
  /** One of the two kinds of search did not work: the answer may miss something. */
  search_partial: z.boolean(),
  error_code: z.string().nullable(),
  asked_at: time,
  answered_at: time.nullable(),
});
export type AskMessage = z.infer<typeof askMessage>;

const conversationFields = {
  uuid: z.uuid(),
  title: z.string(),
  scope: z.enum(askScopes),
  /** The file or the collection; null for the library. */
  scope_uuid: z.uuid().nullable(),
  /** Null for the library, and when the reader may not read it. */
  scope_title: z.string().nullable(),
  is_owner: z.boolean(),
  owner_name: z.string().nullable(),
  messages_total: z.int(),
  created_at: time,
  updated_at: time,
};
export const conversationItem = z.object(conversationFields);
export type ConversationItem = z.infer<typeof conversationItem>;
export const conversationObject = z.object({ ...conversationFields, messages: z.array(askMessage) });
export type ConversationObject = z.infer<typeof conversationObject>;

export const conversationShare = z.object({
  uuid: z.uuid(),
  group_uuid: z.uuid().nullable(),
  user_uuid: z.uuid().nullable(),
  user_name: z.string().nullable(),
  shared_by: z.uuid(),
  created_at: time,
});
export type ConversationShare = z.infer<typeof conversationShare>;

/** The events of an answer in the order of their arrival; the last one is `message`. */
export const askEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('stage'), data: z.object({ stage: z.enum(['searching', 'writing']) }) }),
  /** The text so far, without citations. */
  z.object({ event: z.literal('text'), data: z.object({ text: z.string() }) }),
  z.object({ event: z.literal('message'), data: askMessage }),
]);
export type AskEvent = z.infer<typeof askEvent>;

const events = {
  answer: z.string(),
  answerType: 'text/event-stream',
  errors: ['answer_in_progress', 'permission_required', 'scope_unavailable'],
} as const;

export const askRoutes = {
  listConversations: route('GET', '/api/ask/conversations', 'user', {
    summary: 'Your conversations and those shared with you, the latest first',
    query: z.object({ ...pageQuery, scope: z.enum(askScopes).optional(), scope_uuid: z.uuid().optional() }),
    answer: pageOf(conversationItem),
  }),
  createConversation: route('POST', '/api/ask/conversations', 'user', {
    summary: 'Begin a conversation about a recording, a collection or the library',
    body: z
      .strictObject({
        scope: z.enum(askScopes).default('library'),
        scope_uuid: z.uuid().nullable().default(null),
        title: text(askLimits.titleLength).default(''),
      })
      .refine(({ scope, scope_uuid: id }) => (scope === 'library') === (id === null), {
        message: 'Give scope_uuid for a file or a collection, and only then',
      }),
    answer: conversationObject,
    status: 201,
    errors: ['not_found'],
  }),
  deleteConversations: route('DELETE', '/api/ask/conversations', 'user', {
    summary: 'Delete all your conversations',
    answer: z.object({ deleted: z.int() }),
  }),
  readConversation: route('GET', '/api/ask/conversations/{uuid}', 'user', {
    summary: 'A conversation. Answers are withheld as far as the reader may not read their recordings',
    answer: conversationObject,
  }),
  renameConversation: route('PUT', '/api/ask/conversations/{uuid}', 'user', {
    summary: 'Rename a conversation (its owner)',
    body: z.strictObject({
      title: text(askLimits.titleLength).refine((title) => title.trim() !== '', 'must not be empty'),
    }),
    answer: conversationObject,
    errors: ['permission_required'],
  }),
  deleteConversation: route('DELETE', '/api/ask/conversations/{uuid}', 'user', {
    summary: 'Delete a conversation (its owner)',
    errors: ['permission_required'],
  }),
  ask: route('POST', '/api/ask/conversations/{uuid}/messages', 'user', {
    summary: 'Ask a question (the owner). The answer is a stream of the events stage, text and message',
    body: z.strictObject({
      question: text(askLimits.questionLength).refine((question) => question.trim() !== '', 'must not be empty'),
      /** Answer with sentences of the recordings even when a language model is configured. */
      without_model: z.boolean().default(false),
    }),
    ...events,
    errors: [...events.errors, 'conversation_full'],
  }),
  askAgain: route('POST', '/api/ask/conversations/{uuid}/messages/{message_uuid}/retry', 'user', {
    summary: 'Answer a question again whose answer failed, was declined or was removed (the owner)',
    body: z.strictObject({ without_model: z.boolean().default(false) }),
    ...events,
    errors: [...events.errors, 'answer_complete'],
  }),
  exportConversation: route('GET', '/api/ask/conversations/{uuid}/export', 'user', {
    summary: 'A conversation as a file, as the reader may read it',
    query: z.object({ export_format: z.enum(['markdown', 'json']).default('markdown') }),
    answerType: 'text/markdown',
    otherAnswers: { 'application/json': conversationObject },
    status: 200,
  }),
  listConversationShares: route('GET', '/api/ask/conversations/{uuid}/shares', 'user', {
    summary: 'Those a conversation is shared with (its owner)',
    answer: z.array(conversationShare),
    errors: ['permission_required'],
  }),
  shareConversation: route('PUT', '/api/ask/conversations/{uuid}/shares', 'user', {
    summary: 'Share a conversation with a group of yours or with a person (its owner)',
    body: z
      .strictObject({ group_uuid: z.uuid().optional(), user_uuid: z.uuid().optional() })
      .refine((value) => (value.group_uuid === undefined) !== (value.user_uuid === undefined), {
        message: 'Give either group_uuid or user_uuid',
      }),
    answer: conversationShare,
    errors: ['permission_required'],
  }),
  unshareConversation: route('DELETE', '/api/ask/conversations/{uuid}/shares/{share_uuid}', 'user', {
    summary: 'End a share of a conversation: its owner ends any, others the one with themselves',
    errors: ['permission_required'],
  }),
};
