import { z } from 'zod';
import { routesOf, time } from './http.ts';
import { defineSettings, setting, settingChanges, settingsAnswer, type SettingValues } from './settings.ts';

const route = routesOf('media');

/** Kinds of personal data that can be masked. */
export const redactionKinds = [
  'name',
  'email',
  'phone',
  'address',
  'card',
  'account',
  'id_number',
  'birth_date',
  'secret',
] as const;
export type RedactionKind = (typeof redactionKinds)[number];

/**
 * What is masked in a file for at least one reader: kinds, and `unscanned` while text that was not scanned is withheld. What was
 * made of its text may be shown while this contains nothing more. Null: a media of the previous release, which does not reply it.
 */
export const fileMasks = z.array(z.string()).nullable().default(null);
export type FileMasks = z.infer<typeof fileMasks>;
/** Readers of a file: by the share, its owner, and administrators who do not own it. */
export const redactionAudiences = ['viewer', 'editor', 'owner', 'administrator'] as const;
export type RedactionAudience = (typeof redactionAudiences)[number];

/** What is played in masked parts of a recording to readers without the right to reveal them. */
export const audioMaskings = ['off', 'silence', 'beep'] as const;
export type AudioMasking = (typeof audioMaskings)[number];

const kinds = z.array(z.enum(redactionKinds)).max(redactionKinds.length);

/** What is masked in every file, whatever its owner chose. */
export const redactionGroup = defineSettings('redaction', {
  masked_kinds: setting.choices({ default: [], choices: redactionKinds }),
  masked_for: setting.choices({ default: redactionAudiences, choices: redactionAudiences }),
  /** Masked readers do not see a text before it was scanned. A text whose scan failed is always withheld from them. */
  withhold_unscanned: setting.flag({ default: true }),
  /** Who may reveal a masked part; every use is in the audit log. */
  reveal_for: setting.choices({ default: ['owner'], choices: redactionAudiences }),
  audio_masking: setting.choice({ default: 'off', choices: audioMaskings }),
});
export type RedactionPolicy = SettingValues<typeof redactionGroup>;

const policyAnswer = settingsAnswer.extend({
  /** Transcripts, and how many of them were scanned, failed, or wait for the search index. */
  files: z.int(),
  scanned_files: z.int(),
  failed_files: z.int(),
  outdated_files: z.int(),
});
const choice = z.object({ masked_kinds: kinds });
export const scanStatuses = ['none', 'pending', 'scanned', 'failed'] as const;
const fileRedaction = z.object({
  /** The owner's choice for this file; it applies to all of its readers. */
  masked_kinds: kinds,
  /** The owner's choice for all files. */
  account_kinds: kinds,
  /** What the policy masks for the caller. */
  policy_kinds: kinds,
  scan_status: z.enum(scanStatuses),
  /** The part of the passages that was scanned, from 0 to 1. */
  coverage: z.number(),
  scanned_at: time.nullable(),
  /** Number of found parts by kind, whether they are masked or not. */
  found: z.partialRecord(z.enum(redactionKinds), z.int()),
  can_reveal: z.boolean(),
});

export const redactionRoutes = {
  redactionPolicy: route('GET', '/api/admin/redaction-policy', 'super_admin', {
    summary: 'What is masked in every transcript, for whom, and how many transcripts were scanned',
    answer: policyAnswer,
  }),
  updateRedactionPolicy: route('PUT', '/api/admin/redaction-policy', 'super_admin', {
    summary: 'Change what is masked in every transcript',
    body: settingChanges(redactionGroup),
    answer: policyAnswer,
  }),
  redactionPreference: route('GET', '/api/redaction', 'user', {
    summary: "What is masked in all of the caller's files, in addition to the policy",
    answer: choice,
  }),
  updateRedactionPreference: route('PUT', '/api/redaction', 'user', {
    summary: "Change what is masked in all of the caller's files",
    body: choice,
    answer: choice,
  }),
  fileRedaction: route('GET', '/api/files/{uuid}/redaction', 'user', {
    summary: 'What is masked in a file, and whether its transcript was scanned',
    answer: fileRedaction,
  }),
  updateFileRedaction: route('PUT', '/api/files/{uuid}/redaction', 'user', {
    summary: 'Change what is masked in a file, in addition to the policy',
    body: choice,
    answer: fileRedaction,
    errors: ['permission_required'],
  }),
  revealRedaction: route('POST', '/api/files/{uuid}/redactions/{redaction_uuid}/reveal', 'user', {
    summary: 'The text of one masked part; recorded in the audit log',
    answer: z.object({ kind: z.enum(redactionKinds), text: z.string() }),
    errors: ['permission_required'],
  }),
};
