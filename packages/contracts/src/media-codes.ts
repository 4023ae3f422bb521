import { z } from 'zod';
import { line, pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { collectionShareObject } from './media-collections.ts';
import { sharePermissions } from './media-objects.ts';

const route = routesOf('media');

export const codeColors = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink', 'gray'] as const;
export type CodeColor = (typeof codeColors)[number];
export const codeLimits = { lists: 100, codes: 500, codings: 2_000, seconds: 3_600 } as const;

const second = z.number().min(0).max(2_000_000);
const description = text(2000).trim();

/** A label for passages. `parent_uuid`: the code that it belongs to; a code with a parent has no codes below it. */
export const codeObject = z.object({
  uuid: z.uuid(),
  name: z.string(),
  color: z.enum(codeColors),
  description: z.string(),
  parent_uuid: z.uuid().nullable(),
  /** Passages with this code that the caller may read. */
  passages: z.int(),
});
export type CodeObject = z.infer<typeof codeObject>;

export const codeListObject = z.object({
  uuid: z.uuid(),
  name: z.string(),
  description: z.string(),
  user_id: z.uuid(),
  /** Name of the owner; null: the caller owns it, or identity does not respond. */
  owner_name: z.string().nullable(),
  /** The caller's permission; administrators have the owner's. Editors change the codes and give them to passages. */
  my_permission: z.enum(['owner', ...sharePermissions]),
  is_shared: z.boolean(),
  /** By name, each parent followed by its codes. */
  codes: z.array(codeObject),
  created_at: time,
  updated_at: time,
});
export type CodeListObject = z.infer<typeof codeListObject>;

/** A place of a recording that has a code. */
const coding = z.object({
  uuid: z.uuid(),
  code_uuid: z.uuid(),
  list_uuid: z.uuid(),
  name: z.string(),
  color: z.enum(codeColors),
  start_time: z.number(),
  end_time: z.number(),
  /** The words there, as the caller may read it, shortened; null: nothing. */
  quote: z.string().nullable(),
  /** null: the account was erased. */
  author: z.object({ uuid: z.uuid(), name: z.string().nullable() }).nullable(),
  created_at: time,
  can_delete: z.boolean(),
});
export type CodingObject = z.infer<typeof coding>;

export const codedPassage = coding.extend({
  file_uuid: z.uuid(),
  title: z.string(),
  /** Of the first passage there, as the caller may read it. */
  speaker: z.string().nullable(),
});
export type CodedPassage = z.infer<typeof codedPassage>;

const list = { name: line(120).min(1), description };
const code = {
  name: line(120).min(1),
  color: z.enum(codeColors),
  description,
  parent_uuid: z.uuid().nullable(),
};
const permission = z.enum(sharePermissions);

export const codeRoutes = {
  listCodeLists: route('GET', '/api/code-lists', 'user', {
    summary: "The caller's lists of codes and those shared with the caller, by name; all for an administrator",
    query: z.object({ ...pageQuery, ownership: z.enum(['mine', 'shared', 'all']).default('all') }),
    answer: pageOf(codeListObject),
  }),
  createCodeList: route('POST', '/api/code-lists', 'user', {
    summary: 'Create a list of codes',
    body: z.strictObject({ name: list.name, description: list.description.default('') }),
    answer: codeListObject,
    status: 201,
    errors: ['code_list_exists', 'code_lists_full'],
  }),
  codeList: route('GET', '/api/code-lists/{uuid}', 'user', {
    summary: 'A list of codes',
    answer: codeListObject,
  }),
  updateCodeList: route('PUT', '/api/code-lists/{uuid}', 'user', {
    summary: 'Rename or describe a list of codes (its owner, editors and administrators)',
    body: z.strictObject({ name: list.name.optional(), description: list.description.optional() }),
    answer: codeListObject,
    errors: ['permission_required', 'code_list_exists'],
  }),
  deleteCodeList: route('DELETE', '/api/code-lists/{uuid}', 'user', {
    summary: 'Delete a list with its codes, and remove them from all passages (its owner and administrators)',
    errors: ['permission_required', 'legal_hold'],
  }),
  addCode: route('POST', '/api/code-lists/{uuid}/codes', 'user', {
    summary: 'Add a code to a list (its owner, editors and administrators)',
    body: z.strictObject({
      ...code,
      description: code.description.default(''),
      parent_uuid: code.parent_uuid.default(null),
    }),
    answer: codeObject,
    status: 201,
    errors: ['permission_required', 'code_exists', 'codes_full'],
  }),
  editCode: route('PUT', '/api/code-lists/{uuid}/codes/{code_uuid}', 'user', {
    summary: 'Change a code (the owner of the list, editors and administrators)',
    body: z.strictObject(code).partial(),
    answer: codeObject,
    errors: ['permission_required', 'code_exists', 'legal_hold'],
  }),
  deleteCode: route('DELETE', '/api/code-lists/{uuid}/codes/{code_uuid}', 'user', {
    summary:
      'Delete a code with the codes below it, and remove them from all passages (the owner of the list, editors and administrators)',
    errors: ['permission_required', 'legal_hold'],
  }),
  codeListShares: route('GET', '/api/code-lists/{uuid}/shares', 'user', {
    summary: 'The shares of a list of codes (its owner and administrators)',
    answer: z.array(collectionShareObject),
    errors: ['permission_required'],
  }),
  shareCodeList: route('POST', '/api/code-lists/{uuid}/shares', 'user', {
    summary:
      'Share a list of codes with a group or a person, or change what they may do (its owner and administrators)',
    body: z.strictObject({
      target_type: z.enum(['group', 'user']),
      target_uuid: z.uuid(),
      permission: permission.default('viewer'),
    }),
    answer: collectionShareObject,
    status: 201,
    errors: ['permission_required'],
  }),
  unshareCodeList: route('DELETE', '/api/code-lists/{uuid}/shares/{share_uuid}', 'user', {
    summary: 'Remove a share of a list of codes (its owner and administrators)',
    errors: ['permission_required'],
  }),
  codedPassages: route('GET', '/api/code-lists/{uuid}/passages', 'user', {
    summary: 'Passages with codes of a list in all recordings that the caller may read, by recording and time',
    query: z.object({
      ...pageQuery,
      code_uuid: z.uuid().optional().describe('Only passages with this code or one below it'),
    }),
    answer: pageOf(codedPassage),
  }),
  exportPassages: route('GET', '/api/code-lists/{uuid}/export', 'user', {
    summary:
      'Download all passages with codes of a list that the caller may read: as a table, or with the transcripts around them as a REFI-QDA project',
    query: z.object({
      format: z.enum(['csv', 'qdpx']).default('csv'),
      code_uuid: z.uuid().optional().describe('Only passages with this code or one below it'),
    }),
    answerType: 'text/csv',
    otherAnswers: { 'application/zip': z.string() },
    status: 200,
  }),
  listCodings: route('GET', '/api/files/{uuid}/codings', 'user', {
    summary: 'Passages of a transcript with codes of lists that the caller may read, in order of their times',
    answer: z.object({ codings: z.array(coding) }),
  }),
  addCoding: route('POST', '/api/files/{uuid}/codings', 'user', {
    summary: 'Give a code to a part of a transcript; the caller may read the file and edit the list of the code',
    body: z
      .strictObject({ code_uuid: z.uuid(), start_time: second, end_time: second })
      .refine(({ start_time: start, end_time: end }) => end > start && end - start <= codeLimits.seconds, {
        path: ['end_time'],
        message: `must be after the start, by at most ${codeLimits.seconds} seconds`,
      }),
    answer: coding,
    status: 201,
    errors: ['permission_required', 'codings_full'],
  }),
  deleteCoding: route('DELETE', '/api/files/{uuid}/codings/{coding_uuid}', 'user', {
    summary: 'Remove a code from a passage: an own one, or any as the owner of the recording or of the list',
    errors: ['permission_required', 'legal_hold'],
  }),
};
