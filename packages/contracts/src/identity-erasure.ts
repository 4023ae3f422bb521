import { z } from 'zod';
import { defineEvent, defineRpc } from './define.ts';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';

const route = routesOf('identity');

/** The services that store data of persons, each of which answers an ordered erasure. */
export const erasureServices = [
  'identity',
  'media',
  'search-indexer',
  'transcription-dispatcher',
  'directory-sync',
  'operations',
  'insights',
] as const;
export type ErasureService = (typeof erasureServices)[number];

/** What was erased, by kind, e.g. `{files: 3, objects: 14}`. */
const counts = z.record(z.string(), z.int());

/** Part of a service's answer to an ordered erasure. Several may follow one another; the last one is complete. */
const erasureReport = z.object({
  erasureId: z.uuid(),
  round: z.int(),
  counts,
  /** SHA-256 of the erased recordings. */
  objectHashes: z.array(z.string()).max(500),
  /** The erased files, for the mirror; the ledger does not store them. */
  fileIds: z.array(z.uuid()).max(500),
  /** Files that a legal hold keeps; they are erased in a later attempt. */
  held: z.int(),
  /** Nothing that can be erased now is left. */
  complete: z.boolean(),
});
export type ErasureReport = z.infer<typeof erasureReport>;

/** Sent again until every service has answered; services answer each time. */
export const userErasureOrdered = defineEvent(
  'evt.identity.user.erasure-ordered.v1',
  z.object({ erasureId: z.uuid(), round: z.int(), userId: z.uuid() }),
);

/** The answers, one subject for each service, because its rights on the bus name its own. */
export const erasureEvents = {
  media: defineEvent('evt.media.user.erased.v1', erasureReport),
  'search-indexer': defineEvent('evt.search.user.erased.v1', erasureReport),
  'transcription-dispatcher': defineEvent('evt.transcription.user.erased.v1', erasureReport),
  'directory-sync': defineEvent('evt.directory.user.erased.v1', erasureReport),
  operations: defineEvent('evt.operations.user.erased.v1', erasureReport),
  insights: defineEvent('evt.insights.user.erased.v1', erasureReport),
};

export const erasureRpc = {
  /** What media would erase, and what a legal hold keeps. */
  describeOwner: defineRpc('media', 'describe-owner', {
    request: z.object({ userId: z.uuid() }),
    reply: z.object({
      files: z.int(),
      bytes: z.int(),
      uploads: z.int(),
      tags: z.int(),
      shares: z.int(),
      heldFiles: z.int(),
      /** A hold on the person, also without any file. */
      isHeld: z.boolean(),
    }),
  }),
};

export const erasureBlockers = [
  'last_super_admin',
  'own_account',
  'legal_hold',
  'only_manager',
  'already_ordered',
] as const;
/** What an erasure leaves, and why. */
export const erasureRemains = ['audit_records', 'backups', 'earlier_mirrors', 'mentions'] as const;

const erasurePreview = z.object({
  user_uuid: z.uuid(),
  email: z.string(),
  erases: counts,
  bytes: z.int(),
  blockers: z.array(z.object({ code: z.enum(erasureBlockers), detail: z.string() })),
  remains: z.array(z.enum(erasureRemains)),
});

const serviceState = z.object({
  service: z.enum(erasureServices),
  /** pending: has not answered; held: files under a legal hold are left. */
  status: z.enum(['pending', 'held', 'done']),
  counts,
  held: z.int(),
  reported_at: time.nullable(),
});
const erasureObject = z.object({
  uuid: z.uuid(),
  /** running until every service has answered; held while a legal hold keeps files. */
  status: z.enum(['running', 'held', 'done']),
  /** 1, and one more for every restore that brought the person back. */
  round: z.int(),
  ordered_at: time,
  ordered_by: z.uuid(),
  /** The last time at which the order was sent to the services. */
  sent_at: time,
  finished_at: time.nullable(),
  /** HMAC-SHA-256 of the account's id and address with the key `key_id`. */
  subject_hash: z.string(),
  address_hash: z.string(),
  key_id: z.string(),
  services: z.array(serviceState),
  rounds: z.array(z.object({ round: z.int(), counts, finished_at: time.nullable() })),
  object_hashes: z.int(),
});
export type ErasureObject = z.infer<typeof erasureObject>;

export const erasureRoutes = {
  previewErasure: route('GET', '/api/admin/users/{uuid}/erasure', 'super_admin', {
    summary: 'What an erasure of this person would delete, what blocks it, and what remains',
    answer: erasurePreview,
    errors: ['account_out_of_reach'],
  }),
  orderErasure: route('POST', '/api/admin/users/{uuid}/erasure', 'super_admin', {
    summary: 'Erase a person: the account, its files and everything that names it. It cannot be undone',
    body: z.strictObject({ confirm_email: text(320) }),
    answer: erasureObject,
    status: 202,
    errors: ['account_out_of_reach', 'erasure_blocked', 'confirmation_mismatch', 'own_account', 'last_super_admin'],
  }),
  erasures: route('GET', '/api/admin/erasures', 'super_admin', {
    summary: 'The ledger of erasures, the latest first',
    query: z.object({ ...pageQuery }),
    answer: pageOf(erasureObject),
  }),
  findErasure: route('POST', '/api/admin/erasures/find', 'super_admin', {
    summary: 'The erasures of an address; proves that a person was erased without storing the address',
    body: z.strictObject({ email: text(320).min(1) }),
    answer: z.array(erasureObject),
  }),
  erasureHashes: route('GET', '/api/admin/erasures/{uuid}/objects', 'super_admin', {
    summary: 'SHA-256 of the erased recordings',
    query: z.object({ ...pageQuery }),
    answer: pageOf(z.object({ sha256: z.string(), round: z.int() })),
  }),
  retryErasure: route('POST', '/api/admin/erasures/{uuid}/retry', 'super_admin', {
    summary: 'Send the order again to the services that have not finished',
    answer: erasureObject,
    status: 202,
    errors: ['erasure_done'],
  }),
};
