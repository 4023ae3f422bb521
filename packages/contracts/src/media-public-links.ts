import { z } from 'zod';
import { routesOf, text, time } from './http.ts';
import { segmentObject, speakerObject } from './media-objects.ts';
import { defineSettings, setting, settingChanges, settingsAnswer } from './settings.ts';
import { word } from './transcription.ts';

const route = routesOf('media');

/** What a public link shows of a recording. */
export const publicParts = ['recording', 'text', 'summary'] as const;
export type PublicPart = (typeof publicParts)[number];

/** Links to one recording for people without an account. Switching them off ends all of them permanently. */
export const publicLinksGroup = defineSettings('public_links', {
  enabled: setting.flag({ default: false }),
  /** The longest time a new link is valid. */
  max_days: setting.count({ default: 90, range: [1, 3_650] }),
  password_required: setting.flag({ default: false }),
});

const settingsOfLinks = settingsAnswer.extend({ active_links: z.int() });

export const publicLinkStates = ['active', 'expired', 'revoked'] as const;
/** A link as those see it who may share the file; its address is shown once, when it is created. */
export const publicLinkObject = z.object({
  uuid: z.uuid(),
  parts: z.array(z.enum(publicParts)),
  has_password: z.boolean(),
  state: z.enum(publicLinkStates),
  created_by: z.uuid(),
  /** null: the account was deleted, or identity does not respond. */
  created_by_name: z.string().nullable(),
  created_at: time,
  expires_at: time,
  revoked_at: time.nullable(),
  /** How often it was opened, with the right password if it has one. */
  views: z.int(),
  last_viewed_at: time.nullable(),
});
export type PublicLink = z.infer<typeof publicLinkObject>;

/** Passwords of links have the lengths of those of accounts. */
export const publicPasswordLengths = { min: 8, max: 128 } as const;

const linkToken = text(64).min(1);

const publicSpeaker = speakerObject.omit({ uuid: true });
/** A shared recording for a person without an account, without ids of this installation. */
export const publicView = z.object({
  uuid: z.uuid().describe('of the link'),
  title: z.string(),
  duration: z.number().nullable(),
  language: z.string().nullable(),
  recorded_date: time.nullable(),
  expires_at: time,
  /** Those that the link shows and the file still has. */
  parts: z.array(z.enum(publicParts)),
  has_video: z.boolean(),
  /** `pending`: its masked parts are being removed; null: the link does not show the recording. */
  recording: z.enum(['ready', 'pending', 'failed']).nullable(),
  speakers: z.array(publicSpeaker),
});
export type PublicView = z.infer<typeof publicView>;

/** Statements with the seconds where they were said. */
const statement = z.object({ text: z.string(), starts: z.array(z.number()) });
const publicSummary = z.object({
  language: z.string().nullable(),
  made_without_model: z.boolean(),
  out_of_date: z.boolean(),
  brief: z.array(statement),
  key_decisions: z.array(statement),
  action_items: z.array(statement.extend({ owner: z.string().nullable(), due_date: z.string().nullable() })),
  topics: z.array(z.object({ title: z.string(), start: z.number(), end: z.number() })),
  follow_ups: z.array(statement),
});
export type PublicSummary = z.infer<typeof publicSummary>;

export const publicSegment = segmentObject
  .pick({ start_time: true, end_time: true, text: true, withheld: true })
  .extend({
    /** Label of the diarization, as in `speakers`. */
    speaker: z.string().nullable(),
    words: z.array(word.pick({ word: true, start: true, end: true })),
    redactions: z.array(segmentObject.shape.redactions.element.omit({ uuid: true })),
  });
export type PublicSegment = z.infer<typeof publicSegment>;

const partial = { 206: 'The part that Range names', 304: 'The caller has this version' };

/**
 * Links for people without an account. The public routes answer 404 alike for links that are unknown, expired, revoked or
 * switched off, and for files in the bin or in quarantine. What they answer is masked as for the reader who sees least.
 */
export const publicLinkRoutes = {
  publicLinkSettings: route('GET', '/api/admin/public-links', 'super_admin', {
    summary: 'Whether public links are allowed, and their limits',
    answer: settingsOfLinks,
  }),
  updatePublicLinkSettings: route('PUT', '/api/admin/public-links', 'super_admin', {
    summary: 'Allow public links or set their limits; switching them off ends all of them permanently',
    body: settingChanges(publicLinksGroup),
    answer: settingsOfLinks,
  }),
  listPublicLinks: route('GET', '/api/files/{uuid}/public-links', 'user', {
    summary: 'The public links of a file (its owner and administrators)',
    answer: z.object({
      enabled: z.boolean(),
      max_days: z.int(),
      password_required: z.boolean(),
      links: z.array(publicLinkObject),
    }),
    errors: ['permission_required'],
  }),
  createPublicLink: route('POST', '/api/files/{uuid}/public-links', 'user', {
    summary: 'Create a public link of a file; the answer has its token, which is not stored',
    body: z.object({
      parts: z.array(z.enum(publicParts)).min(1).max(publicParts.length),
      expires_at: time,
      password: text(publicPasswordLengths.max).min(publicPasswordLengths.min).optional(),
    }),
    answer: publicLinkObject.extend({ token: z.string().describe('the page of the link is /public#token') }),
    status: 201,
    errors: ['permission_required', 'public_links_disabled', 'too_many_public_links', 'no_recording'],
  }),
  revokePublicLink: route('DELETE', '/api/files/{uuid}/public-links/{link_uuid}', 'user', {
    summary: 'Revoke a public link of a file; it ends at once',
    answer: publicLinkObject,
    errors: ['permission_required'],
  }),
  openPublicLink: route('POST', '/api/public/links/open', 'public', {
    summary: 'Open a public link, or say that it needs a password; the cookie gives access for an hour',
    body: z.strictObject({ token: linkToken }),
    answer: z.object({
      /** The link. With the cookie of an earlier visit it is shown without the password. */
      uuid: z.uuid(),
      password_required: z.boolean(),
      view: publicView.nullable(),
    }),
    csrfExempt: true,
    setsCookies: true,
    errors: ['not_found'],
  }),
  unlockPublicLink: route('POST', '/api/public/links/unlock', 'public', {
    summary: 'Open a public link with its password',
    body: z.strictObject({ token: linkToken, password: text(publicPasswordLengths.max) }),
    answer: publicView,
    csrfExempt: true,
    setsCookies: true,
    errors: ['not_found', 'public_link_password_wrong'],
  }),
  publicLink: route('GET', '/api/public/links/{uuid}', 'public', {
    summary: 'What an opened link shows; the cookie is renewed',
    answer: publicView,
    setsCookies: true,
  }),
  publicSegments: route('GET', '/api/public/links/{uuid}/segments', 'public', {
    summary: 'A page of the masked transcript',
    query: z.object({
      segment_limit: z.coerce.number().int().min(1).max(1_000).default(500),
      segment_offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
    }),
    answer: z.object({ segments: z.array(publicSegment), total_segments: z.int() }),
  }),
  publicSummary: route('GET', '/api/public/links/{uuid}/summary', 'public', {
    summary: 'The summary; null: there is none',
    answer: z.object({ summary: publicSummary.nullable() }),
  }),
  publicRecording: route('GET', '/api/public/links/{uuid}/recording', 'public', {
    summary: 'The recording without its masked parts; Range is honoured',
    answerType: 'audio/*',
    otherAnswers: { 'video/*': z.string() },
    status: 200,
    otherStatuses: partial,
    errors: ['range_not_satisfiable', 'storage_unavailable', 'audio_masking_pending', 'audio_masking_failed'],
  }),
};

/** The cookie of an opened link; its path is that of the link, so that several can be open. */
export const publicLinkCookie = 'public_link';
export const publicLinkPath = '/api/public/links/';
