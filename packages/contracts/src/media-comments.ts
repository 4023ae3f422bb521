import { z } from 'zod';
import { pageQuery, routesOf, text, time } from './http.ts';

const route = routesOf('media');

export const highlightColors = ['yellow', 'green', 'blue', 'pink'] as const;
export type HighlightColor = (typeof highlightColors)[number];
/** Limits of one recording. */
export const commentLimits = { text: 2_000, mentions: 20, comments: 1_000, replies: 100, seconds: 3_600 } as const;

/** Limits of a search in the comments of all recordings: of what has the text, the newest threads are looked through. */
export const commentSearchLimits = { text: 200, threads: 500, page: 50 } as const;

const second = z.number().min(0).max(2_000_000);
const body = text(commentLimits.text).trim();
const written = {
  text: body.min(1),
  mentions: z.array(z.uuid()).max(commentLimits.mentions).default([]).describe('people who are notified'),
};

const comment = z.object({
  uuid: z.uuid(),
  /** null: the account was erased. */
  author: z.object({ uuid: z.uuid(), name: z.string().nullable() }).nullable(),
  /** As the caller may read it: with placeholders for masked parts. Empty: a highlight without a comment. */
  text: z.string(),
  /** The text was not scanned and is not shown to the caller. */
  withheld: z.boolean(),
  mentions: z.array(z.object({ uuid: z.uuid(), name: z.string().nullable() })),
  created_at: time,
  edited_at: time.nullable(),
  can_edit: z.boolean(),
  can_delete: z.boolean(),
});

/**
 * A highlight (a colour), a comment (a text), or both, with replies. Its place is a time of the recording, which stays true
 * when the transcript is corrected, split or made again; the quote is the current text there.
 */
export const commentThread = comment.extend({
  start_time: z.number(),
  /** Equal to `start_time`: a comment at a moment. */
  end_time: z.number(),
  /** The words there, as the caller may read it, shortened; null: nothing. */
  quote: z.string().nullable(),
  color: z.enum(highlightColors).nullable(),
  resolved: z.object({ at: time, by: z.string().nullable() }).nullable(),
  replies: z.array(comment),
});
export type CommentThread = z.infer<typeof commentThread>;
export type CommentObject = z.infer<typeof comment>;

/** With the recording that it is on. */
const foundThread = commentThread.extend({ file_uuid: z.uuid(), title: z.string() });
export type FoundThread = z.infer<typeof foundThread>;

export const commentRoutes = {
  listComments: route('GET', '/api/files/{uuid}/comments', 'user', {
    summary: 'Comments and highlights of a transcript, in order of their times',
    answer: z.object({ threads: z.array(commentThread) }),
  }),
  searchComments: route('GET', '/api/comments', 'user', {
    summary:
      'Comments with a text in all recordings that the caller may read, and threads with such a reply, newest first',
    query: z.object({
      text: text(commentSearchLimits.text)
        .trim()
        .min(1)
        .optional()
        .describe('in a comment or a reply, in any case, as the caller may read it: masked parts are not found'),
      author: z.uuid().optional().describe('who wrote the comment or the reply'),
      state: z.enum(['open', 'resolved', 'all']).default('all'),
      page: pageQuery.page,
    }),
    answer: z.object({
      threads: z.array(foundThread).describe(`up to ${commentSearchLimits.page}`),
      more: z.boolean().describe('there is a next page'),
    }),
  }),
  listCommentReaders: route('GET', '/api/files/{uuid}/comments/people', 'user', {
    summary: 'People who may be mentioned in comments: up to 200 of those who may read the file',
    answer: z.array(z.object({ uuid: z.uuid(), name: z.string() })),
  }),
  addComment: route('POST', '/api/files/{uuid}/comments', 'user', {
    summary: 'Comment on a part or a moment of a transcript, or highlight a part of it',
    body: z
      .strictObject({
        start_time: second,
        end_time: second,
        color: z.enum(highlightColors).nullable().default(null),
        text: body.default(''),
        mentions: written.mentions,
      })
      .refine(({ start_time: start, end_time: end }) => end >= start && end - start <= commentLimits.seconds, {
        path: ['end_time'],
        message: `must be at most ${commentLimits.seconds} seconds after the start`,
      })
      .refine((value) => value.text !== '' || value.color !== null, {
        path: ['text'],
        message: 'Give a text or a color',
      }),
    answer: commentThread,
    status: 201,
    errors: ['comments_full', 'person_cannot_read'],
  }),
  addReply: route('POST', '/api/files/{uuid}/comments/{comment_uuid}/replies', 'user', {
    summary: 'Reply to a comment or a highlight',
    body: z.strictObject(written),
    answer: commentThread,
    status: 201,
    errors: ['comments_full', 'thread_full', 'person_cannot_read'],
  }),
  editComment: route('PUT', '/api/files/{uuid}/comments/{comment_uuid}', 'user', {
    summary: 'Change an own comment, reply or highlight',
    body: z.strictObject({
      text: body.optional(),
      color: z.enum(highlightColors).nullable().optional(),
      mentions: written.mentions.optional(),
    }),
    answer: commentThread,
    errors: ['permission_required', 'person_cannot_read', 'legal_hold'],
  }),
  resolveComment: route('PUT', '/api/files/{uuid}/comments/{comment_uuid}/resolved', 'user', {
    summary: 'Mark a thread as resolved, or open it again',
    body: z.strictObject({ resolved: z.boolean() }),
    answer: commentThread,
  }),
  deleteComment: route('DELETE', '/api/files/{uuid}/comments/{comment_uuid}', 'user', {
    summary:
      'Delete an own comment, reply or highlight, or any as the owner of the recording; a thread with its replies',
    errors: ['permission_required', 'legal_hold'],
  }),
};
