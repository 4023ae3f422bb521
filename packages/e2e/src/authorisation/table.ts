import { randomUUID } from 'node:crypto';
import { defaultExportOptions } from '@overtone/contracts/export-formats';
import type { Letters } from './outcomes.ts';
import type { Relation, FixtureIds } from './fixtures.ts';

type Sent = { query?: string; json?: unknown; form?: string; raw?: true };
/** The expected outcomes of one route: for each relation of the caller to the resource, a letter for each role. */
export type Entry = {
  expects: Partial<Record<Relation, Letters>>;
  send?: (ids: FixtureIds) => Sent;
  /** Path parameters that differ from the default fixture ids. */
  params?: (ids: FixtureIds) => Record<string, string>;
};

const everyone: Entry = { expects: { none: 'aaaa' } };
const signedIn: Entry = { expects: { none: 'saaa' } };
const admins: Entry = { expects: { none: 'sfaa' } };
const superAdmins: Entry = { expects: { none: 'sffa' } };
/** Users with the role get 404. */
const unknownToAdmins: Entry = { expects: { none: 'sfhh' }, params: () => ({ uuid: randomUUID() }) };
const unknownToAll: Entry = { expects: { none: 'shhh' }, params: () => ({ uuid: randomUUID() }) };
/** A session gives no access to a public link. */
const unknownLink: Entry = { expects: { none: 'hhhh' }, params: () => ({ uuid: randomUUID() }) };
/** Voices are not stored on the instance of the matrix. */
const unknownProfile: Entry = {
  ...signedIn,
  params: () => ({ uuid: randomUUID(), target_uuid: randomUUID() }),
};
const unknownToSuperAdmins: Entry = { expects: { none: 'sffh' }, params: () => ({ uuid: randomUUID() }) };

function sending(json: (ids: FixtureIds) => unknown) {
  return (entry: Entry): Entry => ({ ...entry, send: (ids) => ({ json: json(ids) }) });
}

function asking(query: (ids: FixtureIds) => string) {
  return (entry: Entry): Entry => ({ ...entry, send: (ids) => ({ ...entry.send?.(ids), query: query(ids) }) });
}

function raw(entry: Entry): Entry {
  return { ...entry, send: () => ({ raw: true }) };
}

/** A provider that needs neither network nor key. */
const matrixProvider = {
  id: '8d1f6a7e-57a4-4d4c-9d0b-0c6c7e3f5a11',
  name: 'Matrix',
  kind: 'pocketsphinx',
  enabled: true,
  selectable: false,
  languages: [],
  model: '',
  base_url: '',
  vocabulary: [],
  parallel_requests: 1,
  timeout_seconds: 60,
  max_audio_seconds: null,
};

/** A language model whose address is refused: nothing is created or contacted. */
const matrixModel = {
  name: 'Matrix',
  kind: 'openai-compatible',
  base_url: 'http://10.255.255.1/v1',
  model: 'matrix',
  context_tokens: null,
  max_parallel: 1,
  timeout_seconds: 60,
};

/** A folder that may not be watched: nothing is created. */
const watchSource = {
  name: 'Matrix',
  enabled: true,
  kind: 'folder',
  path: '/matrix',
  s3_endpoint_url: '',
  s3_region: '',
  s3_bucket: '',
  s3_prefix: '',
  s3_access_key_id: '',
  owner_rule: 'first_folder',
  owner: '',
  folders_as: 'tags',
  include: [],
  exclude: [],
  min_bytes: 0,
  max_bytes: null,
  max_age_days: null,
  stable_seconds: 30,
  poll_seconds: 60,
  polling_only: true,
  after: 'keep',
  move_to: '',
};

const empty = sending(() => ({}));

function at(params: (ids: FixtureIds) => Record<string, string>, entry: Entry): Entry {
  return { ...entry, params };
}

// The owner of the resource: the caller, a user who shared it with the caller, another user, a super_admin.
const reading: Entry = { expects: { own: '-aaa', viewer: '-aaa', editor: '-aaa', other: 'shaa' } };
const correcting: Entry = { expects: { own: '-aaa', viewer: '-faa', editor: '-aaa', other: 'shaa' } };
const owning: Entry = { expects: { own: '-aaa', viewer: '-faa', editor: '-faa', other: 'shaa' } };
// There is no such suggestion: those who may decide get 404.
const unknownVersion: Entry = {
  expects: { own: '-hhh', viewer: '-fhh', editor: '-hhh', other: 'shhh' },
  params: (ids) => ({ uuid: ids.file, version_uuid: randomUUID() }),
};
const unknownSuggestion: Entry = {
  expects: { own: '-hhh', viewer: '-fhh', editor: '-hhh', other: 'shhh' },
  send: () => ({ json: { suggestion_uuids: [randomUUID()] } }),
};
// There is no such comment: those who may read the file get 404. Who may do what with one is tested in comments.it.test.ts.
const unknownComment: Entry = {
  expects: { own: '-hhh', viewer: '-hhh', editor: '-hhh', other: 'shhh' },
  params: (ids) => ({ uuid: ids.file, comment_uuid: randomUUID() }),
};
// Only the person who requested a clip sees it: clips.it.test.ts.
const unknownClip: Entry = {
  expects: { own: '-hhh', viewer: '-hhh', editor: '-hhh', other: 'shhh' },
  params: (ids) => ({ uuid: ids.file, clip_uuid: randomUUID() }),
};
const binned: Entry = { expects: { own: '-aaa', other: 'shaa' } };
const mine: Entry = { expects: { own: '-aaa', other: 'shhh' } };
const managing: Entry = { expects: { manager: '-aaa', member: '-haa', other: 'shaa' } };

function account(own: Letters, other: Letters, above: Letters): Entry {
  return { expects: { own, other, above } };
}

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}

const password = 'Another-Battery-2026';

function address() {
  return `matrix-${randomUUID()}@example.org`;
}

function inCategory(category: string, entry: Entry): Entry {
  return at(() => ({ category }), entry);
}

// This queue has no jobs.
function inQueue(entry: Entry): Entry {
  return at(() => ({ queue: 'default' }), entry);
}

// No catalogue has it, and no folder.
function noModel(entry: Entry): Entry {
  return at(() => ({ name: 'matrix' }), entry);
}

function ofCodeList(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.codeList, code_uuid: ids.code, share_uuid: ids.codeListShare }), entry);
}

function ofTemplate(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.exportTemplate, share_uuid: ids.exportTemplateShare }), entry);
}

// There is no such passage with a code. Who may do what with one is tested in codes.it.test.ts.
const unknownCoding: Entry = {
  expects: { own: '-hhh', viewer: '-hhh', editor: '-hhh', other: 'shhh' },
  params: (ids) => ({ uuid: ids.file, coding_uuid: randomUUID() }),
};

function ofCollection(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.collection, share_uuid: ids.collectionShare }), entry);
}

function speakerOf(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.speaker, target_uuid: ids.otherSpeaker }), entry);
}

/** The summary belongs to the file of the path. */
function withSummary(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.file, summary: ids.summary }), entry);
}

function promptOf(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.prompt }), entry);
}

function savedSearchOf(entry: Entry): Entry {
  return at((ids) => ({ uuid: ids.savedSearch }), entry);
}

function conversationOf(entry: Entry): Entry {
  return at(
    (ids) => ({ uuid: ids.conversation, share_uuid: ids.conversationShare, message_uuid: ids.question }),
    entry,
  );
}
// Also administrators read only their own conversations and those shared with them.
const readingConversation = conversationOf({ expects: { own: '-aaa', viewer: '-aaa', other: 'shhh' } });
const owningConversation = conversationOf({ expects: { own: '-aaa', viewer: '-fff', other: 'shhh' } });

/** Every route of the API. The test fails for a route without an entry. */
export const table: Record<string, Entry> = {
  'POST /api/auth/token': { ...everyone, send: () => ({ form: 'username=unknown&password=nothing' }) },
  'POST /api/auth/token/refresh': sending(() => ({ refresh_token: 'none' }))(everyone),
  'POST /api/auth/logout': everyone,
  'POST /api/auth/logout/all': signedIn,
  'GET /api/auth/sessions': signedIn,
  'DELETE /api/auth/sessions/{uuid}': at((ids) => ({ uuid: ids.session }), mine),
  'GET /api/auth/methods': everyone,
  'GET /api/auth/oidc/login': everyone,
  'GET /api/auth/oidc/callback': everyone,
  'POST /api/auth/pki/authenticate': everyone,
  'POST /api/auth/proxy/authenticate': everyone,
  'POST /api/auth/register': sending(() => ({ email: address(), password }))(everyone),
  'POST /api/auth/invitation': sending(() => ({ token: 'none' }))(everyone),
  'POST /api/auth/invitation/accept': sending(() => ({ token: 'none', password }))(everyone),
  'GET /api/auth/password-policy': everyone,
  'GET /api/users/me': signedIn,
  'PUT /api/users/me': sending(() => ({ full_name: 'Renamed' }))(signedIn),
  'GET /api/notifications': signedIn,
  'GET /api/notifications/unread': signedIn,
  'POST /api/notifications/read': sending(() => ({}))(signedIn),

  'GET /api/admin/auth-config': superAdmins,
  'GET /api/admin/auth-config/status': superAdmins,
  'GET /api/admin/auth-config/audit/{category}': inCategory('ldap', superAdmins),
  'POST /api/admin/auth-config/migrate': superAdmins,
  'GET /api/admin/auth-config/{category}': inCategory('local', superAdmins),
  'PUT /api/admin/auth-config/{category}': empty(inCategory('local', superAdmins)),
  'GET /api/admin/auth-config/{category}/sessions': inCategory('proxy', superAdmins),
  'DELETE /api/admin/auth-config/{category}/sessions': inCategory('proxy', superAdmins),
  'POST /api/admin/auth-config/{category}/test': empty(inCategory('ldap', superAdmins)),
  'GET /api/admin/auth-config/oidc/issuers': superAdmins,
  'POST /api/admin/auth-config/oidc/issuers/test': sending(() => ({ from: 'https://matrix.invalid' }))(superAdmins),
  'POST /api/admin/auth-config/oidc/issuers/test/callback': empty(superAdmins),
  'POST /api/admin/auth-config/oidc/issuers/move': sending(() => ({
    proof: 'none',
    confirm_issuer: 'https://matrix.invalid',
    accounts: 0,
  }))(superAdmins),

  'GET /api/admin/users': admins,
  'POST /api/admin/users': sending(() => ({ email: address(), password }))(admins),
  'GET /api/users/search': asking(() => 'q=matrix')(signedIn),
  'GET /api/users/{uuid}': account('-faa', 'sfaa', 'sfaa'),
  'PUT /api/users/{uuid}': sending(() => ({ full_name: 'Renamed' }))(account('-faa', 'sfaa', 'sffa')),
  'DELETE /api/users/{uuid}': account('-foo', 'sfaa', 'sffa'),
  'PUT /api/admin/users/{uuid}/role': asking(() => 'new_role=user')(account('-ffo', 'sffa', 'sffa')),
  'POST /api/admin/users/{uuid}/reset-password': sending(() => ({ new_password: password }))(
    account('-ffo', 'sfaa', 'sffa'),
  ),
  'POST /api/admin/users/{uuid}/invitation': account('-ffo', 'sfaa', 'sffa'),
  'DELETE /api/admin/users/{uuid}/invitation': account('-faa', 'sfaa', 'sffa'),
  'POST /api/admin/users/{uuid}/unlock': account('-faa', 'sfaa', 'sffa'),
  'PUT /api/admin/users/{uuid}/certificate': sending(() => ({ subject: `CN=${randomUUID()}`, issuer: null }))(
    account('-ffa', 'sfaa', 'sffa'),
  ),
  'DELETE /api/admin/users/{uuid}/certificate': account('-ffa', 'sfaa', 'sffa'),
  'GET /api/admin/users/{uuid}/sessions': account('-faa', 'sfaa', 'sffa'),
  'DELETE /api/admin/users/{uuid}/sessions': account('-faa', 'sfaa', 'sffa'),
  'DELETE /api/admin/users/{uuid}/sessions/{session_uuid}': account('-faa', 'sfaa', 'sffa'),
  'GET /api/admin/user-approvals': admins,
  'POST /api/admin/user-approvals/{uuid}/approve': account('-faa', 'sfaa', 'sffa'),
  'POST /api/admin/user-approvals/{uuid}/reject': account('-faa', 'sfaa', 'sffa'),
  'GET /api/admin/audit-logs': superAdmins,
  'GET /api/admin/sign-in/explanation': asking(() => 'login=unknown')(superAdmins),
  'GET /api/admin/audit-logs/export': asking(() => 'event_type=matrix')(superAdmins),

  'GET /api/groups': signedIn,
  'POST /api/groups': sending(() => ({ name: address() }))(admins),
  'GET /api/groups/{uuid}': at((ids) => ({ uuid: ids.group }), {
    expects: { manager: '-aaa', member: '-aaa', other: 'shaa' },
  }),
  'PUT /api/groups/{uuid}': at((ids) => ({ uuid: ids.group }), sending(() => ({ description: 'x' }))(managing)),
  'DELETE /api/groups/{uuid}': at((ids) => ({ uuid: ids.group }), {
    expects: { manager: '-faa', member: '-faa', other: 'sfaa' },
  }),
  'POST /api/groups/{uuid}/members': at(
    (ids) => ({ uuid: ids.group }),
    sending((ids) => ({ user_uuid: ids.bystander }))(managing),
  ),
  'PUT /api/groups/{uuid}/members/{user_uuid}': at(
    (ids) => ({ uuid: ids.group, user_uuid: ids.owner }),
    sending(() => ({ role: 'manager' }))(managing),
  ),
  'DELETE /api/groups/{uuid}/members/{user_uuid}': at((ids) => ({ uuid: ids.group, user_uuid: ids.owner }), managing),
  'GET /api/admin/group-mappings': superAdmins,
  'POST /api/admin/group-mappings': sending(() => ({ source: 'oidc', claim_value: address(), grants_role: 'user' }))(
    superAdmins,
  ),
  'PUT /api/admin/group-mappings/{uuid}': at(
    (ids) => ({ uuid: ids.mapping }),
    sending(() => ({ description: 'x' }))(superAdmins),
  ),
  'DELETE /api/admin/group-mappings/{uuid}': at((ids) => ({ uuid: ids.mapping }), superAdmins),
  'POST /api/admin/group-mappings/test': sending(() => ({ source: 'oidc', claim_values: [] }))(superAdmins),

  'GET /api/admin/directory-sync': superAdmins,
  'PUT /api/admin/directory-sync': sending(() => ({ dry_run: true }))(superAdmins),
  'GET /api/admin/directory-sync/status': superAdmins,
  'POST /api/admin/directory-sync/run': sending(() => ({ dry_run: true }))(superAdmins),
  'GET /api/admin/directory-sync/passes': superAdmins,
  'GET /api/admin/directory-sync/passes/{uuid}': at((ids) => ({ uuid: ids.pass }), superAdmins),
  'POST /api/admin/directory-sync/passes/{uuid}/approve': at(
    (ids) => ({ uuid: ids.pass }),
    sending(() => ({ set_digest: 'none' }))(superAdmins),
  ),
  'POST /api/admin/directory-sync/passes/{uuid}/undo': at((ids) => ({ uuid: ids.pass }), superAdmins),
  'GET /api/admin/directory-sync/users/{uuid}': account('-ffa', 'sffa', 'sffa'),

  'GET /api/admin/backup/settings': superAdmins,
  'PUT /api/admin/backup/settings': sending(() => ({ retention_daily: 7 }))(superAdmins),
  'POST /api/admin/backup/test': sending(() => ({}))(superAdmins),
  'POST /api/admin/backup/run': superAdmins,
  'GET /api/admin/backup/runs': superAdmins,
  'GET /api/admin/backup/backups': superAdmins,
  'GET /api/admin/backup/status': superAdmins,
  'GET /api/admin/media-mirror/settings': superAdmins,
  'PUT /api/admin/media-mirror/settings': sending(() => ({ throttle_mb_per_second: null }))(superAdmins),
  'POST /api/admin/media-mirror/test': sending(() => ({}))(superAdmins),
  'POST /api/admin/media-mirror/run': superAdmins,
  'GET /api/admin/media-mirror/runs': superAdmins,
  'GET /api/admin/media-mirror/status': superAdmins,
  'GET /api/admin/media-mirror/report': superAdmins,

  'GET /api/admin/retention/settings': superAdmins,
  'PUT /api/admin/retention/settings': sending(() => ({ max_percent: 5 }))(superAdmins),
  'GET /api/admin/retention/rules': superAdmins,
  'POST /api/admin/retention/rules': sending(() => ({
    name: 'matrix',
    removes: 'recording',
    conditions: { older_than_days: 36_500 },
  }))(superAdmins),
  'PUT /api/admin/retention/rules': sending(() => ({ rule_uuids: [] }))(superAdmins),
  'PUT /api/admin/retention/rules/{uuid}': sending(() => ({ enabled: false }))(unknownToSuperAdmins),
  'DELETE /api/admin/retention/rules/{uuid}': unknownToSuperAdmins,
  'GET /api/admin/retention/rules/{uuid}/preview': unknownToSuperAdmins,
  'POST /api/admin/retention/runs': superAdmins,
  'GET /api/admin/retention/runs': superAdmins,
  'GET /api/admin/retention/runs/{uuid}/files': unknownToSuperAdmins,
  'POST /api/admin/retention/runs/{uuid}/approve': at(
    () => ({ uuid: randomUUID() }),
    sending(() => ({ rule_uuid: randomUUID(), set_digest: 'none' }))(superAdmins),
  ),
  'GET /api/admin/watch-sources': superAdmins,
  'POST /api/admin/watch-sources': sending(() => watchSource)(superAdmins),
  'PUT /api/admin/watch-sources/{uuid}': sending(() => watchSource)(unknownToSuperAdmins),
  'DELETE /api/admin/watch-sources/{uuid}': unknownToSuperAdmins,
  'POST /api/admin/watch-sources/test': sending(() => ({ source: watchSource }))(superAdmins),
  'POST /api/admin/watch-sources/{uuid}/scan': unknownToSuperAdmins,
  'GET /api/admin/watch-sources/{uuid}/decisions': unknownToSuperAdmins,
  'GET /api/admin/storage': admins,
  'GET /api/admin/legal-holds': admins,
  'POST /api/admin/legal-holds': sending(() => ({ user_uuid: randomUUID(), reason: 'matrix' }))(unknownToAdmins),
  'DELETE /api/admin/legal-holds/{uuid}': unknownToAdmins,

  'GET /api/admin/users/{uuid}/erasure': account('-ffa', 'sffa', 'sffa'),
  'POST /api/admin/users/{uuid}/erasure': sending(() => ({ confirm_email: 'unknown@example.org' }))(
    account('-ffa', 'sffa', 'sffa'),
  ),
  'GET /api/admin/erasures': superAdmins,
  'POST /api/admin/erasures/find': sending(() => ({ email: 'unknown@example.org' }))(superAdmins),
  'GET /api/admin/erasures/{uuid}/objects': unknownToSuperAdmins,
  'POST /api/admin/erasures/{uuid}/retry': unknownToSuperAdmins,
  'GET /api/admin/redaction-policy': superAdmins,
  'PUT /api/admin/redaction-policy': sending(() => ({ masked_kinds: [] }))(superAdmins),
  // Voices are not stored: users with the role get 409.
  'GET /api/admin/voice-profiles': superAdmins,
  'PUT /api/admin/voice-profiles': sending(() => ({ suggestion_threshold: 0.75 }))(superAdmins),
  'GET /api/speaker-profiles': signedIn,
  'POST /api/speaker-profiles': sending((ids) => ({ name: 'Matrix', speaker_uuids: [ids.speaker] }))(signedIn),
  'GET /api/speaker-profiles/export': signedIn,
  'GET /api/speaker-profiles/excluded-voices': signedIn,
  'POST /api/speaker-profiles/excluded-voices/allow': sending((ids) => ({ speaker_uuids: [ids.speaker] }))(signedIn),
  'PUT /api/speaker-profiles/{uuid}': sending(() => ({ auto_apply: false }))(unknownProfile),
  'DELETE /api/speaker-profiles/{uuid}': unknownProfile,
  'POST /api/speaker-profiles/{uuid}/merge/{target_uuid}': unknownProfile,
  'POST /api/speaker-profiles/{uuid}/split': sending((ids) => ({ name: 'Matrix', speaker_uuids: [ids.speaker] }))(
    unknownProfile,
  ),
  'GET /api/speaker-profiles/{uuid}/occurrences': unknownToAll,
  'GET /api/speaker-profiles/{uuid}/rejected-voices': unknownToAll,
  'GET /api/speaker-clusters': signedIn,
  'POST /api/speaker-clusters/separate': sending((ids) => ({
    speaker_uuid: ids.speaker,
    other_uuids: [ids.otherSpeaker],
  }))(signedIn),
  'POST /api/speaker-clusters/separate/undo': sending((ids) => ({
    speaker_uuids: [ids.speaker],
    other_uuids: [ids.otherSpeaker],
  }))(signedIn),
  'GET /api/speaker-suggestions': signedIn,
  'POST /api/speakers/{uuid}/verify': sending(() => ({ action: 'reject', profile_uuid: randomUUID() }))(unknownProfile),
  'GET /api/redaction': signedIn,
  'PUT /api/redaction': sending(() => ({ masked_kinds: [] }))(signedIn),
  'GET /api/vocabulary': signedIn,
  'POST /api/vocabulary': sending(() => ({ term: 'Matrix' }))(signedIn),
  'DELETE /api/vocabulary/{uuid}': unknownToAll,
  'GET /api/files/{uuid}/vocabulary-suggestions': reading,
  'GET /api/files/{uuid}/redaction': reading,
  'PUT /api/files/{uuid}/redaction': sending(() => ({ masked_kinds: [] }))(owning),
  // Nothing is masked with this id. By default only the owner may reveal.
  'POST /api/files/{uuid}/redactions/{redaction_uuid}/reveal': at(
    (ids) => ({ uuid: ids.file, redaction_uuid: ids.change }),
    { expects: { own: '-hhh', viewer: '-fff', editor: '-fff', other: 'shff' } },
  ),

  'POST /api/files': raw(signedIn),
  'POST /api/files/import-url': sending(() => ({ url: 'https://media.invalid/talk.wav' }))(signedIn),
  'GET /api/files': signedIn,
  'GET /api/files/upload-limits': signedIn,
  'GET /api/files/recordings': signedIn,
  'POST /api/files/recordings/{upload_id}/finish': raw(mine),
  'POST /api/transcripts/import': raw(signedIn),
  'POST /api/transcripts/import/preview': raw(signedIn),
  'POST /api/files/{uuid}/transcript/import': raw(correcting),
  'GET /api/files/bin': signedIn,
  'DELETE /api/files/bin/{uuid}': at((ids) => ({ uuid: ids.binned }), binned),
  'POST /api/files/{uuid}/restore': at((ids) => ({ uuid: ids.binned }), binned),
  'POST /api/files/bulk': sending((ids) => ({ action: 'delete', file_uuids: [ids.file] }))(signedIn),
  'POST /api/files/{uuid}/undo/{undo_uuid}': at((ids) => ({ uuid: ids.file, undo_uuid: ids.change }), {
    expects: { own: '-aaa', viewer: '-fhh', editor: '-hhh', other: 'shhh' },
  }),
  'OPTIONS /api/files/tus': everyone,
  'POST /api/files/tus': raw(signedIn),
  'HEAD /api/files/tus/{upload_id}': raw(mine),
  'PATCH /api/files/tus/{upload_id}': raw(mine),
  'DELETE /api/files/tus/{upload_id}': raw(mine),
  'GET /api/files/{uuid}': reading,
  'PUT /api/files/{uuid}': sending(() => ({ title: 'Renamed' }))(correcting),
  'DELETE /api/files/{uuid}': owning,
  'GET /api/files/{uuid}/segments': reading,
  'POST /api/files/{uuid}/reprocess': empty(owning),
  'POST /api/admin/files/{uuid}/quarantine': sending(() => ({ reason: 'matrix' }))(unknownToAdmins),
  'DELETE /api/admin/files/{uuid}/quarantine': unknownToAdmins,
  'POST /api/files/{uuid}/cancel': owning,
  'GET /api/files/{uuid}/shares': owning,
  'PUT /api/files/{uuid}/shares': sending((ids) => ({ user_uuid: ids.bystander }))(owning),
  'DELETE /api/files/{uuid}/shares/{share_uuid}': owning,
  'GET /api/files/{uuid}/public-links': owning,
  // Links are switched off on the instance of the matrix.
  'POST /api/files/{uuid}/public-links': sending(() => ({ parts: ['text'], expires_at: inAnHour() }))(owning),
  'DELETE /api/files/{uuid}/public-links/{link_uuid}': {
    expects: { own: '-hhh', viewer: '-fhh', editor: '-fhh', other: 'shhh' },
    params: (ids) => ({ uuid: ids.file, link_uuid: randomUUID() }),
  },
  'GET /api/admin/public-links': superAdmins,
  'PUT /api/admin/public-links': sending(() => ({ max_days: 90 }))(superAdmins),
  'POST /api/public/links/open': sending(() => ({ token: 'matrix' }))(unknownLink),
  'POST /api/public/links/unlock': sending(() => ({ token: 'matrix', password: 'matrix' }))(unknownLink),
  'GET /api/public/links/{uuid}': unknownLink,
  'GET /api/public/links/{uuid}/segments': unknownLink,
  'GET /api/public/links/{uuid}/summary': unknownLink,
  'GET /api/public/links/{uuid}/recording': unknownLink,
  'GET /api/files/{uuid}/content': reading,
  'HEAD /api/files/{uuid}/content': reading,
  'POST /api/files/{uuid}/clips': sending(() => ({ start_time: 0, end_time: 1, kind: 'sound' }))(reading),
  'GET /api/files/{uuid}/clips/{clip_uuid}': unknownClip,
  'GET /api/files/{uuid}/clips/{clip_uuid}/content': unknownClip,
  'GET /api/files/{uuid}/thumbnail': reading,
  'GET /api/files/{uuid}/waveform': reading,
  'GET /api/files/{uuid}/subtitles': reading,
  'GET /api/files/{uuid}/subtitles/validate': reading,
  'GET /api/files/{uuid}/export': asking(() => 'format=txt')(reading),
  // What a caller may not read is missing in the archive.
  'GET /api/transcripts/export/search': asking(() => 'format=txt&q=matrix')(signedIn),
  'GET /api/transcripts/export': asking((ids) => `format=txt&file_uuids=${ids.file}`)(signedIn),
  'GET /api/files/{uuid}/export/preview': asking(() => 'format=txt')(reading),
  'POST /api/files/{uuid}/presence': sending(() => ({ visit_uuid: randomUUID() }))(reading),
  'GET /api/comments': signedIn,
  'GET /api/files/{uuid}/comments': reading,
  'GET /api/files/{uuid}/comments/people': reading,
  'POST /api/files/{uuid}/comments': sending(() => ({ start_time: 0, end_time: 1, color: 'yellow' }))(reading),
  'POST /api/files/{uuid}/comments/{comment_uuid}/replies': sending(() => ({ text: 'x' }))(unknownComment),
  'PUT /api/files/{uuid}/comments/{comment_uuid}': sending(() => ({ text: 'x' }))(unknownComment),
  'PUT /api/files/{uuid}/comments/{comment_uuid}/resolved': sending(() => ({ resolved: true }))(unknownComment),
  'DELETE /api/files/{uuid}/comments/{comment_uuid}': unknownComment,
  'PUT /api/files/{uuid}/transcript/segments/{segment_uuid}': sending(() => ({ text: 'x' }))(correcting),
  'DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}': correcting,
  'POST /api/files/{uuid}/transcript/operations': sending((ids) => ({
    uuid: randomUUID(),
    operations: [{ segments: [{ uuid: ids.segment }], replacement: [{ uuid: ids.segment, text: 'x' }] }],
  }))(correcting),
  'GET /api/files/{uuid}/transcript/operations': reading,
  'POST /api/files/{uuid}/transcript/undo': sending(() => ({ uuid: randomUUID() }))(correcting),
  'POST /api/files/{uuid}/transcript/redo': sending(() => ({ uuid: randomUUID() }))(correcting),
  'GET /api/files/{uuid}/transcript/versions': reading,
  'POST /api/files/{uuid}/transcript/versions': sending(() => ({ name: 'Matrix' }))(correcting),
  'DELETE /api/files/{uuid}/transcript/versions/{version_uuid}': unknownVersion,
  'GET /api/files/{uuid}/transcript/differences': reading,
  'GET /api/files/{uuid}/transcript/accuracy': reading,
  'POST /api/files/{uuid}/transcript/restore': sending(() => ({ uuid: randomUUID() }))(correcting),
  // What a caller may not read or edit is in the answer, file by file.
  'POST /api/transcripts/find': sending((ids) => ({ find: 'x', file_uuids: [ids.file] }))(signedIn),
  'POST /api/transcripts/replace': sending((ids) => ({
    uuid: randomUUID(),
    find: 'x',
    files: [{ file_uuid: ids.file, segments: [{ uuid: ids.segment, version: 1, starts: [0] }] }],
  }))(signedIn),
  'POST /api/transcripts/replace/{uuid}/undo': sending((ids) => ({ file_uuids: [ids.file] }))(signedIn),
  'PUT /api/transcripts/segments/{uuid}/speaker': at(
    (ids) => ({ uuid: ids.segment }),
    sending((ids) => ({ speaker_uuid: ids.speaker }))(correcting),
  ),
  'GET /api/speakers': asking((ids) => `file_uuid=${ids.file}`)(reading),
  'POST /api/speakers': asking((ids) => `media_file_uuid=${ids.file}`)(
    sending(() => ({ display_name: 'x' }))(correcting),
  ),
  'PUT /api/speakers/{uuid}': speakerOf(sending(() => ({ display_name: 'x' }))(correcting)),
  'POST /api/speakers/{uuid}/merge/{target_uuid}': speakerOf(correcting),
  'DELETE /api/speakers/{uuid}': speakerOf(correcting),
  'GET /api/ask/conversations': signedIn,
  'POST /api/ask/conversations': sending(() => ({ scope: 'library' }))(signedIn),
  'DELETE /api/ask/conversations': signedIn,
  'GET /api/ask/conversations/{uuid}': readingConversation,
  'PUT /api/ask/conversations/{uuid}': sending(() => ({ title: 'Matrix' }))(owningConversation),
  'DELETE /api/ask/conversations/{uuid}': owningConversation,
  'POST /api/ask/conversations/{uuid}/messages': sending(() => ({ question: 'Matrix?' }))(owningConversation),
  'POST /api/ask/conversations/{uuid}/messages/{message_uuid}/retry': empty(owningConversation),
  'GET /api/ask/conversations/{uuid}/export': readingConversation,
  'GET /api/ask/conversations/{uuid}/shares': owningConversation,
  'PUT /api/ask/conversations/{uuid}/shares': sending((ids) => ({ user_uuid: ids.bystander }))(owningConversation),
  // A reader may leave.
  'DELETE /api/ask/conversations/{uuid}/shares/{share_uuid}': readingConversation,
  'POST /api/files/{uuid}/summarize': empty(correcting),
  'POST /api/files/{uuid}/retry-summary': withSummary(correcting),
  'GET /api/files/{uuid}/summary': withSummary(reading),
  'GET /api/files/{uuid}/summary-status': reading,
  'GET /api/files/{uuid}/summaries': reading,
  'DELETE /api/files/{uuid}/summary': withSummary(correcting),
  'GET /api/prompts': signedIn,
  'POST /api/prompts': sending(() => ({ name: 'Matrix', text: 'matrix' }))(signedIn),
  'GET /api/prompts/by-content-type/{content_type}': at(() => ({ content_type: 'general' }), signedIn),
  'GET /api/prompts/active/current': signedIn,
  'POST /api/prompts/active/set': sending((ids) => ({ prompt_uuid: ids.prompt }))(mine),
  'GET /api/prompts/shared/library': signedIn,
  'POST /api/prompts/shared/{uuid}/toggle': promptOf(mine),
  'GET /api/prompts/{uuid}': promptOf(mine),
  'PUT /api/prompts/{uuid}': sending(() => ({ name: 'Matrix' }))(promptOf(mine)),
  'DELETE /api/prompts/{uuid}': promptOf(mine),
  'GET /api/admin/organisation-context': superAdmins,
  'PUT /api/admin/organisation-context': sending(() => ({ organisation_context: null }))(superAdmins),
  'GET /api/tags': signedIn,
  'POST /api/tags': sending(() => ({ name: 'x' }))(signedIn),
  'GET /api/tags/unused': signedIn,
  'GET /api/tags/files': asking((ids) => `file_uuid=${ids.file}`)(signedIn),
  'POST /api/tags/files/{uuid}/tags': sending(() => ({ name: 'x' }))(correcting),
  'DELETE /api/tags/files/{uuid}/tags/{tag_name}': correcting,
  'GET /api/files/{uuid}/suggestions': reading,
  'DELETE /api/files/{uuid}/suggestions': correcting,
  'POST /api/files/{uuid}/suggestions/accept': unknownSuggestion,
  'POST /api/files/{uuid}/suggestions/reject': unknownSuggestion,
  'POST /api/files/{uuid}/suggestions/undo': unknownSuggestion,
  'POST /api/files/{uuid}/identify-speakers': empty(correcting),
  'POST /api/topics/{uuid}/extract': empty(correcting),
  'POST /api/topics/{uuid}/apply': empty(correcting),
  'POST /api/topics/{uuid}/auto-label': correcting,
  'POST /api/topics/batch-extract': sending((ids) => ({ file_uuids: [ids.file] }))(signedIn),
  'POST /api/topics/retroactive-auto-label': sending(() => ({ file_uuids: [randomUUID()] }))(signedIn),
  'GET /api/topics/retroactive-auto-label/status': signedIn,
  'DELETE /api/topics/retroactive-auto-label': signedIn,
  'GET /api/user-settings/auto-label': signedIn,
  'PUT /api/user-settings/auto-label': empty(signedIn),
  'DELETE /api/user-settings/auto-label': signedIn,
  'GET /api/admin/label-settings': superAdmins,
  'PUT /api/admin/label-settings': sending(() => ({ confidence_threshold: 0.75 }))(superAdmins),
  'GET /api/code-lists': signedIn,
  'POST /api/code-lists': sending(() => ({ name: `matrix ${randomUUID()}` }))(signedIn),
  'GET /api/code-lists/{uuid}': ofCodeList(reading),
  'PUT /api/code-lists/{uuid}': ofCodeList(sending(() => ({ description: 'x' }))(correcting)),
  'DELETE /api/code-lists/{uuid}': ofCodeList(owning),
  'POST /api/code-lists/{uuid}/codes': ofCodeList(
    sending(() => ({ name: `matrix ${randomUUID()}`, color: 'red' }))(correcting),
  ),
  'PUT /api/code-lists/{uuid}/codes/{code_uuid}': ofCodeList(sending(() => ({ color: 'blue' }))(correcting)),
  'DELETE /api/code-lists/{uuid}/codes/{code_uuid}': ofCodeList(correcting),
  'GET /api/code-lists/{uuid}/shares': ofCodeList(owning),
  'POST /api/code-lists/{uuid}/shares': ofCodeList(
    sending((ids) => ({ target_type: 'user', target_uuid: ids.bystander, permission: 'viewer' }))(owning),
  ),
  'DELETE /api/code-lists/{uuid}/shares/{share_uuid}': ofCodeList(owning),
  'GET /api/code-lists/{uuid}/passages': ofCodeList(reading),
  'GET /api/code-lists/{uuid}/export': ofCodeList(reading),
  'GET /api/files/{uuid}/codings': reading,
  // Unknown, so that those who may read the file get 404.
  'POST /api/files/{uuid}/codings': sending(() => ({ code_uuid: randomUUID(), start_time: 0, end_time: 1 }))(
    unknownCoding,
  ),
  'DELETE /api/files/{uuid}/codings/{coding_uuid}': unknownCoding,
  'GET /api/word-templates': signedIn,
  'GET /api/word-templates/{uuid}/content': unknownToAll,
  'POST /api/admin/word-templates': asking(() => 'name=matrix')(raw(admins)),
  'PUT /api/admin/word-templates/{uuid}': sending(() => ({ name: 'matrix' }))(unknownToAdmins),
  'PUT /api/admin/word-templates/{uuid}/content': raw(unknownToAdmins),
  'DELETE /api/admin/word-templates/{uuid}': unknownToAdmins,
  'GET /api/export-templates': signedIn,
  'POST /api/export-templates': sending(() => ({
    name: `matrix ${randomUUID()}`,
    format: 'docx',
    options: defaultExportOptions,
  }))(signedIn),
  'PUT /api/export-templates/{uuid}': ofTemplate(sending(() => ({ format: 'pdf' }))(correcting)),
  'DELETE /api/export-templates/{uuid}': ofTemplate(owning),
  'GET /api/export-templates/{uuid}/shares': ofTemplate(owning),
  'POST /api/export-templates/{uuid}/shares': ofTemplate(
    sending((ids) => ({ target_type: 'user', target_uuid: ids.bystander, permission: 'viewer' }))(owning),
  ),
  'DELETE /api/export-templates/{uuid}/shares/{share_uuid}': ofTemplate(owning),
  'GET /api/collections': signedIn,
  'POST /api/collections': sending(() => ({ name: `matrix ${randomUUID()}` }))(signedIn),
  'GET /api/collections/{uuid}': ofCollection(reading),
  'PUT /api/collections/{uuid}': ofCollection(sending(() => ({ description: 'x' }))(correcting)),
  'DELETE /api/collections/{uuid}': ofCollection(owning),
  'GET /api/collections/{uuid}/media': ofCollection(reading),
  'POST /api/collections/{uuid}/media': ofCollection(sending((ids) => ({ media_file_ids: [ids.file] }))(correcting)),
  'DELETE /api/collections/{uuid}/media': ofCollection(sending((ids) => ({ media_file_ids: [ids.file] }))(correcting)),
  'GET /api/collections/{uuid}/shares': ofCollection(owning),
  'POST /api/collections/{uuid}/shares': ofCollection(
    sending((ids) => ({ target_type: 'user', target_uuid: ids.bystander }))(owning),
  ),
  'PUT /api/collections/{uuid}/shares/{share_uuid}': ofCollection(sending(() => ({ permission: 'viewer' }))(owning)),
  'DELETE /api/collections/{uuid}/shares/{share_uuid}': ofCollection(owning),
  'GET /api/tasks': signedIn,
  'GET /api/tasks/files/{uuid}': reading,
  'GET /api/tasks/{uuid}': at((ids) => ({ uuid: ids.task }), { expects: { own: '-aaa', other: 'shaa' } }),
  'DELETE /api/tasks/{uuid}': at((ids) => ({ uuid: ids.task }), admins),
  'POST /api/tasks/{uuid}/retry': at((ids) => ({ uuid: ids.task }), admins),
  'GET /api/tasks/dead': admins,
  'POST /api/tasks/dead/retry': sending(() => ({ error_code: 'matrix' }))(admins),
  'POST /api/tasks/dead/discard': sending(() => ({ error_code: 'matrix' }))(admins),
  'GET /api/admin/accuracy': admins,
  'GET /api/admin/queues': admins,
  'POST /api/admin/queues/{queue}/pause': inQueue(sending(() => ({ reason: 'matrix' }))(admins)),
  'POST /api/admin/queues/{queue}/resume': inQueue(admins),
  'POST /api/tasks/recover-stuck-tasks': admins,
  'GET /api/admin/engines': admins,
  'GET /api/admin/gpu-profiles': admins,
  'GET /api/admin/engine-settings': superAdmins,
  'PUT /api/admin/engine-settings': sending(() => ({ recycle_after_tasks: 100_000 }))(superAdmins),
  'GET /api/admin/asr-providers': superAdmins,
  'PUT /api/admin/asr-providers': sending(() => ({ revision: 'matrix', providers: [] }))(superAdmins),
  'POST /api/admin/asr-providers/test': sending(() => ({ provider: matrixProvider }))(superAdmins),
  'GET /api/admin/models': admins,
  'POST /api/admin/models/{name}/pull': noModel(sending(() => ({}))(unknownToSuperAdmins)),
  'POST /api/admin/models/{name}/verify': noModel(unknownToSuperAdmins),
  'DELETE /api/admin/models/{name}': noModel(unknownToSuperAdmins),
  'GET /api/admin/llm-settings': superAdmins,
  'PUT /api/admin/llm-settings': sending(() => ({ automatic: null }))(superAdmins),
  'POST /api/admin/llm-settings': sending(() => matrixModel)(superAdmins),
  'PUT /api/admin/llm-settings/config/{uuid}': sending(() => matrixModel)(unknownToSuperAdmins),
  'DELETE /api/admin/llm-settings/config/{uuid}': unknownToSuperAdmins,
  'POST /api/admin/llm-settings/set-active': sending(() => ({ configuration_id: null }))(superAdmins),
  'POST /api/admin/llm-settings/test': sending(() => matrixModel)(superAdmins),
  'POST /api/admin/llm-settings/models': sending(() => matrixModel)(superAdmins),
  'GET /api/admin/llm-settings/usage': superAdmins,
  // People may not add language models of their own by default, whatever their role.
  'GET /api/llm-settings': signedIn,
  'POST /api/llm-settings': sending(() => matrixModel)(signedIn),
  'PUT /api/llm-settings/config/{uuid}': at(() => ({ uuid: randomUUID() }), sending(() => matrixModel)(signedIn)),
  'DELETE /api/llm-settings/config/{uuid}': unknownToAll,
  'POST /api/llm-settings/set-active': sending(() => ({ configuration_id: null }))(signedIn),
  'POST /api/llm-settings/test': sending(() => matrixModel)(signedIn),
  'POST /api/llm-settings/models': sending(() => matrixModel)(signedIn),
  'GET /api/llm/status': signedIn,
  'GET /api/search': asking(() => 'q=matrix')(signedIn),
  'GET /api/search/suggestions': asking(() => 'q=matrix')(signedIn),
  'GET /api/search/filters': signedIn,
  // There is no such file.
  'POST /api/search/reindex': sending(() => ({ file_uuids: [randomUUID()] }))(admins),
  'POST /api/search/reindex/preview': sending(() => ({ file_uuids: [randomUUID()] }))(admins),
  'POST /api/search/reindex/stop': admins,
  'GET /api/search/reindex/status': admins,
  'GET /api/search/consistency': admins,
  'POST /api/search/consistency/repair': admins,
  'GET /api/search/saved': signedIn,
  'POST /api/search/saved': sending(() => ({ name: 'Matrix', search: { q: 'matrix' } }))(signedIn),
  'PUT /api/search/saved/{uuid}': sending(() => ({ name: 'Matrix' }))(savedSearchOf(mine)),
  'DELETE /api/search/saved/{uuid}': savedSearchOf(mine),
  // Voices are not stored: administrators get 409.
  'GET /api/search/speaker-index': admins,
  'POST /api/search/speaker-index/migration': sending(() => ({ version: 'v4' }))(admins),
  'POST /api/search/speaker-index/migration/stop': admins,
  'POST /api/search/speaker-index/retry': admins,
  'PUT /api/search/speaker-index/alias': sending(() => ({ version: 'v4' }))(admins),
  'DELETE /api/search/speaker-index/versions/{version}': at(() => ({ version: 'v4' }), admins),
  'GET /api/search/index-health': signedIn,

  'GET /api/version': everyone,
  'GET /api/health': everyone,
  'GET /api/openapi.json': everyone,
  'GET /api/docs': everyone,
};
