import { z } from 'zod';
import { defineRpc, roles } from './define.ts';
import { line, pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { fileListQuery } from './media-files.ts';
import { fileObject, sharePermissions } from './media-objects.ts';

const route = routesOf('media');

/** Who made a collection, or put a file into it: a person, a suggestion, or the grouping of one upload. */
export const collectionSources = ['manual', 'auto_ai', 'bulk_group'] as const;
export type CollectionSource = (typeof collectionSources)[number];

export const collectionObject = z.object({
  uuid: z.uuid(),
  name: z.string(),
  description: z.string(),
  source: z.enum(collectionSources),
  user_id: z.uuid(),
  /** Name of the owner; null: the caller owns it, or identity does not respond. */
  owner_name: z.string().nullable(),
  /** The caller's permission; administrators have the owner's. */
  my_permission: z.enum(['owner', ...sharePermissions]),
  /** Files that the caller may read. */
  media_count: z.int(),
  /** Shares of the collection; 0 for all but its owner and administrators. */
  share_count: z.int(),
  is_shared: z.boolean(),
  created_at: time,
  updated_at: time,
});
export type CollectionObject = z.infer<typeof collectionObject>;

/** A share of a collection with the members of a group or with one user. */
export const collectionShareObject = z.object({
  uuid: z.uuid(),
  target_type: z.enum(['group', 'user']),
  target_uuid: z.uuid(),
  /** Name (or address) of the user; null for a group, and while identity does not respond. */
  target_name: z.string().nullable(),
  permission: z.enum(sharePermissions),
  shared_by: z.uuid(),
  created_at: time,
});

const collectionName = line(120).min(1);
const description = text(2000).trim();
const mediaFiles = z.object({ media_file_ids: z.array(z.uuid()).min(1).max(200) });
/** A result for each given file; null: succeeded. */
const fileResults = z.object({
  results: z.array(
    z.object({ file_uuid: z.uuid(), error: z.object({ code: z.string(), message: z.string() }).nullable() }),
  ),
});

export const collectionRoutes = {
  listCollections: route('GET', '/api/collections', 'user', {
    summary: "The caller's collections and those shared with the caller, by name; all for an administrator",
    query: z.object({
      ...pageQuery,
      ownership: z.enum(['mine', 'shared', 'all']).default('all'),
      search: text(200).optional(),
      file_uuid: z.uuid().optional().describe('Only collections with this file'),
    }),
    answer: pageOf(collectionObject),
  }),
  createCollection: route('POST', '/api/collections', 'user', {
    summary: 'Create a collection',
    body: z.object({ name: collectionName, description: description.default('') }),
    answer: collectionObject,
    status: 201,
    errors: ['collection_exists'],
  }),
  collection: route('GET', '/api/collections/{uuid}', 'user', {
    summary: 'A collection',
    answer: collectionObject,
  }),
  updateCollection: route('PUT', '/api/collections/{uuid}', 'user', {
    summary: 'Rename or describe a collection (its owner, editors and administrators)',
    body: z.object({ name: collectionName.optional(), description: description.optional() }),
    answer: collectionObject,
    errors: ['permission_required', 'collection_exists'],
  }),
  deleteCollection: route('DELETE', '/api/collections/{uuid}', 'user', {
    summary: 'Delete a collection with its shares; its files stay (its owner and administrators)',
    errors: ['permission_required'],
  }),
  collectionFiles: route('GET', '/api/collections/{uuid}/media', 'user', {
    summary: 'Files of a collection that the caller may read',
    query: z.object(fileListQuery),
    answer: pageOf(fileObject),
  }),
  addToCollection: route('POST', '/api/collections/{uuid}/media', 'user', {
    summary:
      'Add files that the caller may read; shares of the collection give only files that its owner owns and adds',
    body: mediaFiles,
    answer: fileResults,
    errors: ['permission_required', 'collection_full'],
  }),
  removeFromCollection: route('DELETE', '/api/collections/{uuid}/media', 'user', {
    summary: 'Remove files from a collection; the files stay',
    body: mediaFiles,
    answer: fileResults,
    errors: ['permission_required'],
  }),
  collectionShares: route('GET', '/api/collections/{uuid}/shares', 'user', {
    summary: 'The shares of a collection (its owner and administrators)',
    answer: z.array(collectionShareObject),
    errors: ['permission_required'],
  }),
  shareCollection: route('POST', '/api/collections/{uuid}/shares', 'user', {
    summary: 'Share a collection with a group or a person, or change what they may do (its owner and administrators)',
    body: z.object({
      target_type: z.enum(['group', 'user']),
      target_uuid: z.uuid(),
      permission: z.enum(sharePermissions).default('viewer'),
    }),
    answer: collectionShareObject,
    status: 201,
    errors: ['permission_required'],
  }),
  updateCollectionShare: route('PUT', '/api/collections/{uuid}/shares/{share_uuid}', 'user', {
    summary: 'Change the permission of a share (the owner of the collection and administrators)',
    body: z.object({ permission: z.enum(sharePermissions) }),
    answer: collectionShareObject,
    errors: ['permission_required'],
  }),
  unshareCollection: route('DELETE', '/api/collections/{uuid}/shares/{share_uuid}', 'user', {
    summary: 'Remove a share of a collection (its owner and administrators)',
    errors: ['permission_required'],
  }),
};

/** Maximum number of files in a collection: the ids of all are sent with a search. */
export const maxCollectionFiles = 10_000;
/** Maximum number of files whose collections are counted in one call; a search finds at most 800 files. */
export const maxCountedFiles = 1_000;
/** Maximum number of collections with counts; more would not be readable. */
export const maxCountedCollections = 20;

export const collectionRpc = {
  /** Files of a collection that the reader may read; null when the reader may not see the collection. */
  filesOf: defineRpc('media', 'collection-files', {
    request: z.object({ collectionId: z.uuid(), reader: z.object({ userId: z.uuid(), role: z.enum(roles) }) }),
    reply: z.object({ fileIds: z.array(z.uuid()).max(maxCollectionFiles).nullable() }),
    timeoutMs: 3_000,
  }),
  /** Files of all collections with this name, in any case, that the reader may read; null when the reader sees none. */
  filesNamed: defineRpc('media', 'named-collection-files', {
    request: z.object({
      name: z.string().min(1).max(500),
      reader: z.object({ userId: z.uuid(), role: z.enum(roles) }),
    }),
    reply: z.object({ fileIds: z.array(z.uuid()).max(maxCollectionFiles).nullable() }),
    timeoutMs: 3_000,
  }),
  /** How many of the files that the reader may read are in each collection that the reader may see, most frequent first. */
  countFiles: defineRpc('media', 'collection-file-counts', {
    request: z.object({
      fileIds: z.array(z.uuid()).max(maxCountedFiles),
      reader: z.object({ userId: z.uuid(), role: z.enum(roles) }),
    }),
    reply: z.object({
      collections: z
        .array(z.object({ collectionId: z.uuid(), name: z.string(), count: z.int().positive() }))
        .max(maxCountedCollections),
    }),
    // A search waits for it, and is complete without it.
    timeoutMs: 1_000,
  }),
};
