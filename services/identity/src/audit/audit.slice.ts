import { mediaEvents, operationsEvents, type fileActions, type operationActions } from '@overtone/contracts';
import { consumer, periodic, type Delivery, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createAuditTrail } from './audit-trail.service.ts';
import { auditLogRoutes } from './audit.routes.ts';
import { toAuditRow, type AuditRecord } from './audit.ts';

const operationAuditEvents: Record<(typeof operationActions)[number], AuditRecord['event']> = {
  queue_paused: 'admin.queue.pause',
  queue_resumed: 'admin.queue.resume',
  jobs_retried: 'admin.jobs.retry',
  jobs_discarded: 'admin.jobs.discard',
  stuck_recovered: 'admin.jobs.recover',
  backup_settings_changed: 'admin.backup.settings',
  backup_run: 'admin.backup.run',
  mirror_settings_changed: 'admin.mirror.settings',
  mirror_run: 'admin.mirror.run',
  directory_sync_settings_changed: 'admin.directory_sync.settings',
  directory_sync_started: 'admin.directory_sync.start',
  directory_sync_approved: 'admin.directory_sync.approve',
  directory_sync_undone: 'admin.directory_sync.undo',
  engine_settings_changed: 'admin.engine.settings',
  asr_providers_changed: 'admin.asr.providers',
  model_pulled: 'admin.model.pull',
  model_verified: 'admin.model.verify',
  model_removed: 'admin.model.remove',
  retention_settings_changed: 'admin.retention.settings',
  retention_rule_created: 'admin.retention.rule.create',
  retention_rule_changed: 'admin.retention.rule.update',
  retention_rule_deleted: 'admin.retention.rule.delete',
  retention_rules_ordered: 'admin.retention.rule.order',
  retention_run: 'admin.retention.run',
  retention_approved: 'admin.retention.approve',
  legal_hold_placed: 'admin.hold.place',
  legal_hold_released: 'admin.hold.release',
  redaction_policy_changed: 'admin.redaction.policy',
  voice_settings_changed: 'admin.voices.settings',
  public_link_settings_changed: 'admin.public_links.settings',
  speaker_profile_created: 'speaker_profile.create',
  speaker_profile_changed: 'speaker_profile.change',
  speaker_profile_deleted: 'speaker_profile.delete',
  speaker_verified: 'speaker.verify',
  speakers_separated: 'speaker.separate',
  speakers_separation_undone: 'speaker.separate.undo',
  voices_exported: 'speaker.export',
  voices_allowed: 'speaker.allow',
  speaker_index_migrated: 'admin.speaker_index.migrate',
  speaker_index_stopped: 'admin.speaker_index.stop',
  speaker_index_switched: 'admin.speaker_index.switch',
  speaker_index_dropped: 'admin.speaker_index.drop',
  failed_voices_retried: 'admin.speaker_index.retry',
  search_reindex_started: 'admin.search.reindex',
  search_reindex_stopped: 'admin.search.stop',
  search_index_repaired: 'admin.search.repair',
  label_settings_changed: 'admin.labels.settings',
  watch_source_created: 'admin.watch.create',
  watch_source_changed: 'admin.watch.change',
  watch_source_deleted: 'admin.watch.delete',
  model_provider_created: 'model.provider.create',
  model_provider_changed: 'model.provider.change',
  model_provider_deleted: 'model.provider.delete',
  model_provider_activated: 'model.provider.activate',
  insights_settings_changed: 'admin.insights.settings',
  code_list_deleted: 'code_list.delete',
  code_list_shared: 'code_list.share',
  code_list_unshared: 'code_list.unshare',
  export_template_deleted: 'export_template.delete',
  export_template_shared: 'export_template.share',
  export_template_unshared: 'export_template.unshare',
  word_template_added: 'admin.word_template.add',
  word_template_changed: 'admin.word_template.change',
  word_template_deleted: 'admin.word_template.delete',
  collection_deleted: 'collection.delete',
  collection_shared: 'collection.share',
  collection_unshared: 'collection.unshare',
  collection_files_added: 'collection.files_add',
  collection_files_removed: 'collection.files_remove',
  organisation_context_changed: 'admin.organisation.context',
};
const fileAuditEvents: Record<(typeof fileActions)[number], AuditRecord['event']> = {
  file_uploaded: 'file.upload',
  file_shared: 'file.share',
  file_unshared: 'file.unshare',
  public_link_created: 'file.public_link.create',
  public_link_revoked: 'file.public_link.revoke',
  file_deleted: 'file.delete',
  file_restored: 'file.restore',
  file_purged: 'file.purge',
  file_quarantined: 'file.quarantine',
  file_released: 'file.release',
  comment_deleted: 'file.comment.delete',
  coding_deleted: 'file.coding.delete',
  file_exported: 'file.export',
  recording_removed: 'file.recording.remove',
  redaction_changed: 'file.redaction.change',
  text_revealed: 'file.redaction.reveal',
  clip_requested: 'file.clip.request',
  transcript_imported: 'file.import_transcript',
  labels_applied: 'file.labels.apply',
  labels_removed: 'file.labels.remove',
  speakers_named: 'file.speakers.name',
};

/** The audit trail: records the actions of other services, and lists, exports and deletes records. */
export function createAuditSlice({ db }: { db: Db }): Slice {
  const trail = createAuditTrail({ db });
  /** Exactly once, with the time of the event. */
  const record = async (action: AuditRecord, { id, time }: Delivery): Promise<void> =>
    void (await db.auditLog.createMany({ data: [{ ...toAuditRow(action), id, time }], skipDuplicates: true }));
  return {
    routes: auditLogRoutes({ db, trail }),
    consumers: [
      // What administrators do to queues, dead jobs, backups and the mirror.
      consumer(operationsEvents.performed, 'record-operations', ({ action, actorId, details, client }, delivery) =>
        record({ event: operationAuditEvents[action], outcome: 'success', userId: actorId, client, details }, delivery),
      ),
      // Uploads, shares, deletions and similar actions on files, with the owner.
      consumer(mediaEvents.actionPerformed, 'record-file-actions', (performed, delivery) => {
        const { action, fileId, ownerId, actorId, client, details } = performed;
        const actor = actorId ?? 'media';
        const described = { userId: ownerId, client, details: { file: fileId, ...details } };
        return record({ event: fileAuditEvents[action], outcome: 'success', actor, ...described }, delivery);
      }),
    ],
    periodics: [
      periodic('delete old audit records', 3_600_000, async (signal) => void (await trail.deleteOld(signal))),
    ],
  };
}
