import { randomUUID } from 'node:crypto';
import type { Letters } from './outcomes.ts';
import type { Relation, Scenery } from './scenery.ts';

type Sent = { query?: string; json?: unknown; form?: string; raw?: true };
/** What is expected of one route: for each relation of the caller to the thing it is about, a letter for each role. */
export type Entry = {
  expects: Partial<Record<Relation, Letters>>;
  send?: (s: Scenery) => Sent;
  /** Values of the path's parameters, where they are not those that the scenery has under their names. */
  params?: (s: Scenery) => Record<string, string>;
};

const everybody: Entry = { expects: { none: 'aaaa' } };
const signedIn: Entry = { expects: { none: 'saaa' } };
const admins: Entry = { expects: { none: 'sfaa' } };
const superAdmins: Entry = { expects: { none: 'sffa' } };
const sending =
  (json: (s: Scenery) => unknown) =>
  (entry: Entry): Entry => ({ ...entry, send: (s) => ({ json: json(s) }) });
const asking =
  (query: (s: Scenery) => string) =>
  (entry: Entry): Entry => ({ ...entry, send: (s) => ({ ...entry.send?.(s), query: query(s) }) });
const raw = (entry: Entry): Entry => ({ ...entry, send: () => ({ raw: true }) });
const empty = sending(() => ({}));
const at = (params: (s: Scenery) => Record<string, string>, entry: Entry): Entry => ({ ...entry, params });

// The thing belongs to: the caller, somebody who lets the caller see or correct it, another user, a super_admin.
const reading: Entry = { expects: { own: '-aaa', viewer: '-aaa', editor: '-aaa', other: 'shaa' } };
const correcting: Entry = { expects: { own: '-aaa', viewer: '-faa', editor: '-aaa', other: 'shaa' } };
const owning: Entry = { expects: { own: '-aaa', viewer: '-faa', editor: '-faa', other: 'shaa' } };
const binned: Entry = { expects: { own: '-aaa', other: 'shaa' } };
const mine: Entry = { expects: { own: '-aaa', other: 'shhh' } };
const managing: Entry = { expects: { manager: '-aaa', member: '-haa', other: 'shaa' } };
const account = (own: Letters, other: Letters, above: Letters): Entry => ({ expects: { own, other, above } });

const password = 'Another-Battery-2026';
const address = () => `matrix-${randomUUID()}@example.org`;
const inCategory = (category: string, entry: Entry): Entry => at(() => ({ category }), entry);
// Nothing is ever ordered there, so that nothing waits for it.
const inQueue = (entry: Entry): Entry => at(() => ({ queue: 'default' }), entry);
const speakerOf = (entry: Entry): Entry => at((s) => ({ uuid: s.speaker, target_uuid: s.otherSpeaker }), entry);

/** Every route of the API. One that is missing here fails the test: whoever adds a route says who may use it. */
export const table: Record<string, Entry> = {
  'POST /api/auth/token': { ...everybody, send: () => ({ form: 'username=nobody&password=nothing' }) },
  'POST /api/auth/token/refresh': sending(() => ({ refresh_token: 'none' }))(everybody),
  'POST /api/auth/logout': everybody,
  'POST /api/auth/logout/all': signedIn,
  'GET /api/auth/sessions': signedIn,
  'DELETE /api/auth/sessions/{uuid}': at((s) => ({ uuid: s.session }), mine),
  'GET /api/auth/methods': everybody,
  'GET /api/auth/oidc/login': everybody,
  'GET /api/auth/oidc/callback': everybody,
  'POST /api/auth/pki/authenticate': everybody,
  'POST /api/auth/proxy/authenticate': everybody,
  'POST /api/auth/register': sending(() => ({ email: address(), password }))(everybody),
  'GET /api/auth/password-policy': everybody,
  'GET /api/users/me': signedIn,
  'PUT /api/users/me': sending(() => ({ full_name: 'Renamed' }))(signedIn),

  'GET /api/admin/auth-config': superAdmins,
  'GET /api/admin/auth-config/status': superAdmins,
  'GET /api/admin/auth-config/audit/{category}': inCategory('ldap', superAdmins),
  'POST /api/admin/auth-config/migrate': superAdmins,
  'GET /api/admin/auth-config/{category}': inCategory('local', superAdmins),
  'PUT /api/admin/auth-config/{category}': empty(inCategory('local', superAdmins)),
  'GET /api/admin/auth-config/{category}/sessions': inCategory('proxy', superAdmins),
  'DELETE /api/admin/auth-config/{category}/sessions': inCategory('proxy', superAdmins),
  'POST /api/admin/auth-config/{category}/test': empty(inCategory('ldap', superAdmins)),

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
  'GET /api/admin/sign-in/explanation': asking(() => 'login=nobody')(superAdmins),
  'GET /api/admin/audit-logs/export': asking(() => 'event_type=matrix')(superAdmins),

  'GET /api/groups': signedIn,
  'POST /api/groups': sending(() => ({ name: address() }))(admins),
  'GET /api/groups/{uuid}': at((s) => ({ uuid: s.group }), {
    expects: { manager: '-aaa', member: '-aaa', other: 'shaa' },
  }),
  'PUT /api/groups/{uuid}': at((s) => ({ uuid: s.group }), sending(() => ({ description: 'x' }))(managing)),
  'DELETE /api/groups/{uuid}': at((s) => ({ uuid: s.group }), {
    expects: { manager: '-faa', member: '-faa', other: 'sfaa' },
  }),
  'POST /api/groups/{uuid}/members': at(
    (s) => ({ uuid: s.group }),
    sending((s) => ({ user_uuid: s.bystander }))(managing),
  ),
  'PUT /api/groups/{uuid}/members/{user_uuid}': at(
    (s) => ({ uuid: s.group, user_uuid: s.owner }),
    sending(() => ({ role: 'manager' }))(managing),
  ),
  'DELETE /api/groups/{uuid}/members/{user_uuid}': at((s) => ({ uuid: s.group, user_uuid: s.owner }), managing),
  'GET /api/admin/group-mappings': superAdmins,
  'POST /api/admin/group-mappings': sending(() => ({ source: 'oidc', claim_value: address(), grants_role: 'user' }))(
    superAdmins,
  ),
  'PUT /api/admin/group-mappings/{uuid}': at(
    (s) => ({ uuid: s.mapping }),
    sending(() => ({ description: 'x' }))(superAdmins),
  ),
  'DELETE /api/admin/group-mappings/{uuid}': at((s) => ({ uuid: s.mapping }), superAdmins),
  'POST /api/admin/group-mappings/test': sending(() => ({ source: 'oidc', claim_values: [] }))(superAdmins),

  'GET /api/admin/directory-sync': superAdmins,
  'PUT /api/admin/directory-sync': sending(() => ({ dry_run: true }))(superAdmins),
  'GET /api/admin/directory-sync/status': superAdmins,
  'POST /api/admin/directory-sync/run': sending(() => ({ dry_run: true }))(superAdmins),
  'GET /api/admin/directory-sync/passes': superAdmins,
  'GET /api/admin/directory-sync/passes/{uuid}': at((s) => ({ uuid: s.pass }), superAdmins),
  'POST /api/admin/directory-sync/passes/{uuid}/approve': at(
    (s) => ({ uuid: s.pass }),
    sending(() => ({ set_digest: 'none' }))(superAdmins),
  ),
  'POST /api/admin/directory-sync/passes/{uuid}/undo': at((s) => ({ uuid: s.pass }), superAdmins),
  'GET /api/admin/directory-sync/users/{uuid}': account('-ffa', 'sffa', 'sffa'),

  'POST /api/files': raw(signedIn),
  'GET /api/files': signedIn,
  'GET /api/files/upload-limits': signedIn,
  'GET /api/files/bin': signedIn,
  'DELETE /api/files/bin/{uuid}': at((s) => ({ uuid: s.binned }), binned),
  'POST /api/files/{uuid}/restore': at((s) => ({ uuid: s.binned }), binned),
  'POST /api/files/bulk': sending((s) => ({ action: 'delete', file_uuids: [s.file] }))(signedIn),
  'POST /api/files/{uuid}/undo/{undo_uuid}': at((s) => ({ uuid: s.file, undo_uuid: s.change }), {
    expects: { own: '-aaa', viewer: '-fhh', editor: '-hhh', other: 'shhh' },
  }),
  'OPTIONS /api/files/tus': everybody,
  'POST /api/files/tus': raw(signedIn),
  'HEAD /api/files/tus/{upload_id}': raw(mine),
  'PATCH /api/files/tus/{upload_id}': raw(mine),
  'DELETE /api/files/tus/{upload_id}': raw(mine),
  'GET /api/files/{uuid}': reading,
  'PUT /api/files/{uuid}': sending(() => ({ title: 'Renamed' }))(correcting),
  'DELETE /api/files/{uuid}': owning,
  'GET /api/files/{uuid}/segments': reading,
  'POST /api/files/{uuid}/reprocess': empty(owning),
  'POST /api/files/{uuid}/cancel': owning,
  'GET /api/files/{uuid}/shares': owning,
  'PUT /api/files/{uuid}/shares': sending((s) => ({ user_uuid: s.bystander }))(owning),
  'DELETE /api/files/{uuid}/shares/{share_uuid}': owning,
  'GET /api/files/{uuid}/content': reading,
  'HEAD /api/files/{uuid}/content': reading,
  'GET /api/files/{uuid}/thumbnail': reading,
  'GET /api/files/{uuid}/waveform': reading,
  'GET /api/files/{uuid}/subtitles': reading,
  'PUT /api/files/{uuid}/transcript/segments/{segment_uuid}': sending(() => ({ text: 'x' }))(correcting),
  'DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}': correcting,
  'PUT /api/transcripts/segments/{uuid}/speaker': at(
    (s) => ({ uuid: s.segment }),
    sending((s) => ({ speaker_uuid: s.speaker }))(correcting),
  ),
  'GET /api/speakers': asking((s) => `file_uuid=${s.file}`)(reading),
  'POST /api/speakers': asking((s) => `media_file_uuid=${s.file}`)(sending(() => ({ display_name: 'x' }))(correcting)),
  'PUT /api/speakers/{uuid}': speakerOf(sending(() => ({ display_name: 'x' }))(correcting)),
  'POST /api/speakers/{uuid}/merge/{target_uuid}': speakerOf(correcting),
  'DELETE /api/speakers/{uuid}': speakerOf(correcting),
  'GET /api/tags': signedIn,
  'POST /api/tags': sending(() => ({ name: 'x' }))(signedIn),
  'GET /api/tags/unused': signedIn,
  'GET /api/tags/files': asking((s) => `file_uuid=${s.file}`)(signedIn),
  'POST /api/tags/files/{uuid}/tags': sending(() => ({ name: 'x' }))(correcting),
  'DELETE /api/tags/files/{uuid}/tags/{tag_name}': correcting,
  'GET /api/tasks': signedIn,
  'GET /api/tasks/files/{uuid}': reading,
  'GET /api/tasks/{uuid}': at((s) => ({ uuid: s.task }), { expects: { own: '-aaa', other: 'shaa' } }),
  'DELETE /api/tasks/{uuid}': at((s) => ({ uuid: s.task }), admins),
  'POST /api/tasks/{uuid}/retry': at((s) => ({ uuid: s.task }), admins),
  'GET /api/tasks/dead': admins,
  'POST /api/tasks/dead/retry': sending(() => ({ error_code: 'matrix' }))(admins),
  'POST /api/tasks/dead/discard': sending(() => ({ error_code: 'matrix' }))(admins),
  'GET /api/admin/queues': admins,
  'POST /api/admin/queues/{queue}/pause': inQueue(sending(() => ({ reason: 'matrix' }))(admins)),
  'POST /api/admin/queues/{queue}/resume': inQueue(admins),
  'POST /api/tasks/recover-stuck-tasks': admins,
  'GET /api/admin/engines': admins,
  'GET /api/admin/gpu-profiles': admins,
  'GET /api/search': asking(() => 'q=matrix')(signedIn),
  'GET /api/search/suggestions': asking(() => 'q=matrix')(signedIn),
  'POST /api/search/reindex': admins,
  'GET /api/search/reindex/status': admins,
  'GET /api/search/index-health': signedIn,

  'GET /api/version': everybody,
  'GET /api/health': everybody,
  'GET /api/openapi.json': everybody,
  'GET /api/docs': everybody,
};
