import type { Client } from '@overtone/service-kit';
import type { Tx } from '../database.ts';

/** The events of the audit log; names as an auditor filters them. Labels: `event-labels.ts` of the web UI. */
export type AuditEvent =
  | 'auth.login.success'
  | 'auth.login.failure'
  | 'auth.logout'
  | 'auth.logout.all'
  | 'auth.account.lockout'
  | 'auth.account.linked'
  | 'auth.account.unlinked'
  | 'auth.password.change'
  | 'auth.session.terminated'
  | 'auth.session.limit_exceeded'
  | 'auth.account.unlock'
  | 'auth.register'
  | 'admin.user.create'
  | 'admin.user.update'
  | 'admin.user.delete'
  | 'admin.role.change'
  | 'admin.password.reset'
  | 'admin.user.invite'
  | 'admin.user.invite.withdraw'
  | 'auth.invitation.accept'
  | 'admin.audit.export'
  | 'admin.user.approve'
  | 'auth.account.enabled'
  | 'auth.account.disabled'
  | 'admin.user.reject'
  | 'admin.settings.change'
  | 'admin.settings.test'
  | 'admin.issuer.test'
  | 'admin.issuer.move'
  | 'admin.sessions.end'
  | 'admin.queue.pause'
  | 'admin.queue.resume'
  | 'admin.jobs.recover'
  | 'admin.jobs.retry'
  | 'admin.jobs.discard'
  | 'admin.engine.settings'
  | 'admin.asr.providers'
  | 'admin.backup.settings'
  | 'admin.backup.run'
  | 'admin.mirror.settings'
  | 'admin.mirror.run'
  | 'admin.directory_sync.settings'
  | 'admin.directory_sync.start'
  | 'admin.directory_sync.approve'
  | 'admin.directory_sync.undo'
  | 'admin.model.pull'
  | 'admin.model.verify'
  | 'admin.model.remove'
  | 'admin.retention.settings'
  | 'admin.retention.rule.create'
  | 'admin.retention.rule.update'
  | 'admin.retention.rule.delete'
  | 'admin.retention.rule.order'
  | 'admin.retention.run'
  | 'admin.retention.approve'
  | 'admin.hold.place'
  | 'admin.hold.release'
  | 'admin.erasure.order'
  | 'admin.erasure.retry'
  | 'admin.erasure.complete'
  | 'admin.redaction.policy'
  | 'admin.voices.settings'
  | 'admin.public_links.settings'
  | 'speaker_profile.create'
  | 'speaker_profile.change'
  | 'speaker_profile.delete'
  | 'speaker.verify'
  | 'speaker.separate'
  | 'speaker.separate.undo'
  | 'speaker.export'
  | 'speaker.allow'
  | 'admin.speaker_index.migrate'
  | 'admin.speaker_index.stop'
  | 'admin.speaker_index.switch'
  | 'admin.speaker_index.drop'
  | 'admin.speaker_index.retry'
  | 'admin.search.reindex'
  | 'admin.search.stop'
  | 'admin.search.repair'
  | 'admin.labels.settings'
  | 'admin.word_template.add'
  | 'admin.word_template.change'
  | 'admin.word_template.delete'
  | 'admin.watch.create'
  | 'admin.watch.change'
  | 'admin.watch.delete'
  | 'model.provider.create'
  | 'model.provider.change'
  | 'model.provider.delete'
  | 'model.provider.activate'
  | 'admin.insights.settings'
  | 'collection.delete'
  | 'collection.share'
  | 'collection.unshare'
  | 'code_list.delete'
  | 'code_list.share'
  | 'code_list.unshare'
  | 'export_template.delete'
  | 'export_template.share'
  | 'export_template.unshare'
  | 'collection.files_add'
  | 'collection.files_remove'
  | 'admin.organisation.context'
  // The specification's name ("Events" 1).
  | 'ADMIN_ROLE_CHANGE'
  | 'group.create'
  | 'group.update'
  | 'group.delete'
  | 'group.member.add'
  | 'group.member.update'
  | 'group.member.remove'
  // A directory sync run changed the memberships of an account.
  | 'group.member.reconcile'
  | 'file.upload'
  | 'file.share'
  | 'file.unshare'
  | 'file.public_link.create'
  | 'file.public_link.revoke'
  | 'file.delete'
  | 'file.restore'
  | 'file.purge'
  | 'file.quarantine'
  | 'file.release'
  | 'file.comment.delete'
  | 'file.coding.delete'
  | 'file.export'
  | 'file.recording.remove'
  | 'file.redaction.change'
  | 'file.redaction.reveal'
  | 'file.clip.request'
  | 'file.import_transcript'
  | 'file.labels.apply'
  | 'file.labels.remove'
  | 'file.speakers.name';

export type AuditErrorCode =
  | 'INVALID_CREDENTIALS'
  | 'ACCOUNT_LOCKED'
  | 'INACTIVE_USER'
  | 'INSECURE_ORIGIN'
  | 'REFRESH_REUSED'
  | 'EMAIL_TAKEN'
  | 'INVITATION_INVALID'
  | 'NOT_ADMITTED'
  | 'AMBIGUOUS_NAME'
  | 'METHOD_OFF'
  | 'DIRECTORY_UNAVAILABLE'
  | 'DIRECTORY_CHECK_PENDING'
  // the account of a person whom a source has authenticated
  | 'ACCOUNT_LINK_REFUSED'
  | 'IDENTITY_CONFLICT'
  | 'INVALID_EMAIL'
  | 'INVALID_IDENTITY'
  | 'ACCOUNT_PENDING_APPROVAL'
  | 'ACCOUNT_REJECTED'
  // identity provider
  | 'INVALID_STATE'
  | 'PROVIDER_ERROR'
  | 'PROVIDER_UNAVAILABLE'
  | 'TOKEN_EXCHANGE_FAILED'
  | 'INVALID_TOKEN'
  // headers of a proxy
  | 'UNTRUSTED_PROXY'
  | 'INVALID_HEADER'
  | 'INVALID_PROXY_SECRET'
  | 'INVALID_CERTIFICATE';

export type AuditRecord = {
  event: AuditEvent;
  outcome: 'success' | 'failure';
  /** A person's id, or the name of the component that acted. */
  actor?: string | undefined;
  userId?: string | undefined;
  username?: string | undefined;
  errorCode?: AuditErrorCode;
  client: Client;
  details?: Record<string, string | number | boolean>;
};

const maxNameLength = 320;
const maxDetailLength = 4_000;

/** A stored record. */
export function toAuditRow(record: AuditRecord) {
  return {
    eventType: record.event,
    outcome: record.outcome,
    actor: record.actor ?? record.userId ?? null,
    userId: record.userId ?? null,
    username: record.username === undefined ? null : bounded(record.username, maxNameLength),
    sourceIp: record.client.ip,
    userAgent: record.client.userAgent,
    requestId: record.client.requestId,
    errorCode: record.errorCode ?? null,
    details: detailsOf(record.details),
  };
}

/** Writes one record in the transaction of the change that it reports. It must contain no password, token or key. */
export async function writeAudit(tx: Tx, record: AuditRecord): Promise<void> {
  await tx.auditLog.create({ data: toAuditRow(record) });
}

/** External text in a form that PostgreSQL can store, with a limited length. */
function bounded(text: string, max: number): string {
  return text.replaceAll('\0', '\uFFFD').slice(0, max).toWellFormed();
}

function detailsOf(details: AuditRecord['details'] = {}): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      key,
      typeof value === 'string' ? bounded(value, maxDetailLength) : value,
    ]),
  );
}
