import { z } from 'zod';
import { defineEvent } from './define.ts';
import { queueRoutes } from './operations-queues.ts';
import { taskRoutes } from './operations-tasks.ts';

/** All routes of the dispatcher, in the order of their description. */
export const dispatcherRoutes = { ...taskRoutes, ...queueRoutes };

/**
 * An administrator's action on queues, dead jobs, backups, the mirror, the directory sync, models, engines, retention, watch
 * sources and the redaction policy; identity's `audit.slice.ts` names it in the audit trail.
 */
export const operationActions = [
  'queue_paused',
  'queue_resumed',
  'jobs_retried',
  'jobs_discarded',
  'stuck_recovered',
  'backup_settings_changed',
  'backup_run',
  'mirror_settings_changed',
  'mirror_run',
  'directory_sync_settings_changed',
  'directory_sync_started',
  'directory_sync_approved',
  'directory_sync_undone',
  'engine_settings_changed',
  'asr_providers_changed',
  'model_pulled',
  'model_verified',
  'model_removed',
  'retention_settings_changed',
  'retention_rule_created',
  'retention_rule_changed',
  'retention_rule_deleted',
  'retention_rules_ordered',
  'retention_run',
  'retention_approved',
  'legal_hold_placed',
  'legal_hold_released',
  'redaction_policy_changed',
  'label_settings_changed',
  'voice_settings_changed',
  'public_link_settings_changed',
  'speaker_profile_created',
  'speaker_profile_changed',
  'speaker_profile_deleted',
  'speaker_verified',
  'speakers_separated',
  'speakers_separation_undone',
  'voices_exported',
  'voices_allowed',
  'speaker_index_migrated',
  'speaker_index_stopped',
  'speaker_index_switched',
  'speaker_index_dropped',
  'failed_voices_retried',
  'search_reindex_started',
  'search_reindex_stopped',
  'search_index_repaired',
  'watch_source_created',
  'watch_source_changed',
  'watch_source_deleted',
  'model_provider_created',
  'model_provider_changed',
  'model_provider_deleted',
  'model_provider_activated',
  'insights_settings_changed',
  'code_list_deleted',
  'code_list_shared',
  'code_list_unshared',
  'export_template_deleted',
  'export_template_shared',
  'export_template_unshared',
  'word_template_added',
  'word_template_changed',
  'word_template_deleted',
  'collection_deleted',
  'collection_shared',
  'collection_unshared',
  'collection_files_added',
  'collection_files_removed',
  'organisation_context_changed',
] as const;
export const operationsEvents = {
  performed: defineEvent(
    'evt.transcription.operation.performed.v1',
    z.object({
      action: z.enum(operationActions),
      actorId: z.uuid(),
      details: z.record(z.string(), z.union([z.string(), z.number()])),
      client: z.object({
        ip: z.string().nullable(),
        userAgent: z.string().nullable(),
        requestId: z.string().nullable(),
      }),
    }),
  ),
};
