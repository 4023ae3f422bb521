import { z } from 'zod';
import { line, routesOf, time } from './http.ts';
import { defineSettings, setting, settingChanges, settingsAnswer } from './settings.ts';

const route = routesOf('media');

/** Voice data is personal data: nothing is stored before a super administrator allows it. */
export const voiceSettings = defineSettings('voices', {
  profiles_enabled: setting.flag({ default: false }),
  /** Suggestions are made from this confidence. */
  suggestion_threshold: setting.measure({ default: 0.75, range: [0.5, 0.99] }),
});

const name = line(200).min(1);
const profileRef = z.object({ uuid: z.uuid(), name: z.string() });
export const speakerProfile = profileRef.extend({
  /** null: the profile of one person. */
  group_uuid: z.uuid().nullable(),
  /** Suggestions are applied without a question. */
  auto_apply: z.boolean(),
  speakers: z.int(),
  files: z.int(),
  seconds: z.number(),
  created_at: time,
});
export type SpeakerProfile = z.infer<typeof speakerProfile>;
/** A voice in one recording, with a part to listen to. */
export const voiceOccurrence = z.object({
  speaker_uuid: z.uuid(),
  label: z.string(),
  file_uuid: z.uuid(),
  file_title: z.string(),
  talk_time: z.number(),
  sample: z.object({ start: z.number(), end: z.number() }).nullable(),
});
export type VoiceOccurrence = z.infer<typeof voiceOccurrence>;
const suggestion = z.object({ voice: voiceOccurrence, profile: profileRef, confidence: z.number() });
export type VoiceSuggestion = z.infer<typeof suggestion>;
const speakers = z.array(z.uuid()).min(1).max(500);
const off = ['voices_disabled'] as const;

export const voiceRoutes = {
  voiceSettings: route('GET', '/api/admin/voice-profiles', 'super_admin', {
    summary: 'Whether voices are stored and recognised again in other recordings',
    answer: settingsAnswer,
  }),
  updateVoiceSettings: route('PUT', '/api/admin/voice-profiles', 'super_admin', {
    summary: 'Allow or forbid stored voices; forbidding deletes all profiles and embeddings',
    body: settingChanges(voiceSettings),
    answer: settingsAnswer,
    errors: ['settings_invalid'],
  }),
  listProfiles: route('GET', '/api/speaker-profiles', 'user', {
    summary: "The caller's speaker profiles and those of the caller's groups",
    answer: z.object({
      enabled: z.boolean(),
      profiles: z.array(speakerProfile),
      /** Profiles of groups that have no members: only administrators see them, and may only delete them. */
      without_members: z.array(speakerProfile),
    }),
  }),
  exportVoices: route('GET', '/api/speaker-profiles/export', 'user', {
    summary: "What is stored of voices in the caller's recordings and profiles, with the embeddings",
    answer: z.object({
      exported_at: time,
      profiles: z.array(speakerProfile),
      voices: z.array(
        voiceOccurrence.extend({
          profile_uuid: z.uuid().nullable(),
          rejected_profile_uuids: z.array(z.uuid()),
          not_same_person_as: z.array(z.uuid()),
          embeddings: z.array(z.object({ version: z.string(), model: z.string(), vector: z.array(z.number()) })),
        }),
      ),
    }),
    errors: [...off],
  }),
  createProfile: route('POST', '/api/speaker-profiles', 'user', {
    summary: 'Create a speaker profile from voices that are one person',
    body: z.object({ name, group_uuid: z.uuid().nullable().optional(), speaker_uuids: speakers }),
    answer: speakerProfile,
    status: 201,
    errors: [...off, 'not_found', 'permission_required', 'profile_exists', 'speaker_mismatch', 'voice_decided'],
  }),
  updateProfile: route('PUT', '/api/speaker-profiles/{uuid}', 'user', {
    summary:
      "Rename a speaker profile, move it to one of the caller's groups or back, allow that suggestions are applied without a question, or add voices",
    body: z.object({
      name: name.optional(),
      /** null: the caller's own profile. Suggestions of a group's profile are never applied without a question. */
      group_uuid: z.uuid().nullable().optional(),
      auto_apply: z.boolean().optional(),
      /** Voices that are this person, too: all of them are added, or none. */
      speaker_uuids: speakers.optional(),
    }),
    answer: speakerProfile,
    errors: [...off, 'not_found', 'permission_required', 'profile_exists', 'speaker_mismatch', 'voice_decided'],
  }),
  deleteProfile: route('DELETE', '/api/speaker-profiles/{uuid}', 'user', {
    summary: 'Delete a speaker profile with the embeddings of its voices; names in transcripts stay',
    errors: [...off],
  }),
  mergeProfile: route('POST', '/api/speaker-profiles/{uuid}/merge/{target_uuid}', 'user', {
    summary: 'Two profiles are one person: move all voices to the other profile',
    answer: speakerProfile,
    errors: [...off, 'speaker_mismatch'],
  }),
  splitProfile: route('POST', '/api/speaker-profiles/{uuid}/split', 'user', {
    summary:
      'Some voices of a profile are another person: give them a profile of their own, or move them to an existing one',
    body: z.object({
      /** Of a new profile, or of an existing one of the same owner or group. */
      name,
      speaker_uuids: speakers,
    }),
    answer: speakerProfile,
    status: 201,
    errors: [...off, 'profile_exists', 'speaker_mismatch', 'permission_required'],
  }),
  profileOccurrences: route('GET', '/api/speaker-profiles/{uuid}/occurrences', 'user', {
    summary: 'Where the person of a profile speaks, among the recordings that the caller may read',
    answer: z.array(voiceOccurrence),
  }),
  rejectedVoices: route('GET', '/api/speaker-profiles/{uuid}/rejected-voices', 'user', {
    summary: 'Unnamed voices that were rejected for a profile, in recordings that the caller may edit',
    answer: z.array(voiceOccurrence),
  }),
  excludedVoices: route('GET', '/api/speaker-profiles/excluded-voices', 'user', {
    summary: "Voices in the caller's recordings that are not stored, because their profile was deleted",
    answer: z.array(
      voiceOccurrence.extend({
        /** The name in the transcript. */
        name: z.string().nullable(),
      }),
    ),
  }),
  allowVoices: route('POST', '/api/speaker-profiles/excluded-voices/allow', 'user', {
    summary:
      "Store voices of deleted profiles in the caller's own recordings again: those with a name get a profile of that name",
    body: z.object({ speaker_uuids: speakers }),
    errors: [...off, 'not_found', 'permission_required'],
  }),
  listClusters: route('GET', '/api/speaker-clusters', 'user', {
    summary: "Voices without a name in the caller's recordings, likely one person each",
    answer: z.object({
      clusters: z.array(
        z.object({
          voices: z.array(voiceOccurrence),
          /** Other voices in the caller's recordings that are not the same person as one of these. */
          kept_apart: z.array(voiceOccurrence),
        }),
      ),
      /** Voices that are not compared: their recording waits, could not be read, or contains too little of them. */
      waiting: z.int(),
      failed: z.int(),
      too_short: z.int(),
    }),
    errors: [...off],
  }),
  separateVoices: route('POST', '/api/speaker-clusters/separate', 'user', {
    summary: 'These voices are not the same person: keep each of them apart from the others',
    body: z.object({ speaker_uuid: z.uuid(), other_uuids: speakers }),
    errors: [...off, 'not_found', 'permission_required', 'speaker_mismatch', 'voice_decided'],
  }),
  undoSeparation: route('POST', '/api/speaker-clusters/separate/undo', 'user', {
    summary: 'These voices can be the same person: do not keep the first ones apart from the others any more',
    body: z.object({ speaker_uuids: speakers, other_uuids: speakers }),
    errors: [...off, 'not_found', 'permission_required', 'voice_decided'],
  }),
  listVoiceSuggestions: route('GET', '/api/speaker-suggestions', 'user', {
    summary: "Open suggestions who speaks, in the caller's recordings or in one file",
    query: z.object({ file_uuid: z.uuid().optional() }),
    answer: z.object({ enabled: z.boolean(), suggestions: z.array(suggestion) }),
    errors: ['not_found'],
  }),
  decideSuggestion: route('POST', '/api/speakers/{uuid}/verify', 'user', {
    summary: 'Decide whether a speaker is the person of a profile; a rejection is remembered until it is taken back',
    body: z.object({
      /**
       * `remove` rejects the profile for a speaker that belongs to it; `undo_reject` suggests the profile again;
       * `accept_rejected` names the speaker, although that was rejected before.
       */
      action: z.enum(['accept', 'reject', 'remove', 'undo_reject', 'accept_rejected']),
      profile_uuid: z.uuid(),
    }),
    errors: [...off, 'permission_required', 'speaker_mismatch', 'voice_decided'],
  }),
};
