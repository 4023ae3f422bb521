import { randomUUID } from 'node:crypto';
import type {
  AnswerOf,
  approvalRoutes,
  auditRoutes,
  BodyOf,
  groupRoutes,
  mappingRoutes,
  UserObject,
  userRoutes,
} from '@overtone/contracts';
import { authConfigMock, settingsNow } from './mock-auth-config.ts';
import { json, Refusal, type Context, type MockRoute } from './mock-kit.ts';

type Account = AnswerOf<typeof userRoutes.user>;
type Group = AnswerOf<typeof groupRoutes.group>;
type Mapping = AnswerOf<typeof mappingRoutes.createMapping>;
type AuditRecord = AnswerOf<typeof auditRoutes.auditLogs>['items'][number];

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const pageOf = <T>({ url }: Context, all: readonly T[]) => {
  const page = Number(url.searchParams.get('page') ?? 1);
  const size = Number(url.searchParams.get('page_size') ?? 20);
  return { items: all.slice((page - 1) * size, page * size), total: all.length, page, page_size: size };
};

const person = (name: string, more: Partial<Account> = {}): Account => ({
  uuid: randomUUID(),
  email: `${name.toLowerCase().replaceAll(' ', '.')}@example.org`,
  full_name: name,
  role: 'user',
  auth_type: 'local',
  is_active: true,
  approval_status: 'approved',
  allow_local_fallback: false,
  must_change_password: false,
  password_changed_at: hoursAgo(900),
  account_expires_at: null,
  approved_at: null,
  ldap_uid: null,
  oidc_subject: null,
  pki_subject_dn: null,
  last_login_at: hoursAgo(name.length * 7),
  created_at: hoursAgo(4000),
  updated_at: hoursAgo(4),
  locked_until: null,
  disabled_by: null,
  groups: [],
  ...more,
});

const people = (me: UserObject): Account[] => [
  { ...me, locked_until: null, disabled_by: null, groups: [] },
  person('Ines Albrecht', { auth_type: 'ldap', ldap_uid: 'ialbrecht', password_changed_at: null }),
  person('Tomasz Wójcik', { role: 'admin', auth_type: 'oidc', oidc_subject: '9c1f' }),
  person('Nadia Okafor', { locked_until: new Date(Date.now() + 600_000).toISOString() }),
  person('Pieter van der Berg', { auth_type: 'ldap', ldap_uid: 'pvdberg', is_active: false, disabled_by: 'directory' }),
  person('Lena Sørensen', { is_active: false, disabled_by: 'administrator', last_login_at: null }),
  person('Kofi Mensah', { approval_status: 'pending', created_at: hoursAgo(30), last_login_at: null }),
  person('Sofia Rossi', {
    approval_status: 'pending',
    auth_type: 'ldap',
    ldap_uid: 'srossi',
    created_at: hoursAgo(3),
    last_login_at: null,
  }),
  person('Hiroshi Tanaka', { auth_type: 'pki', pki_subject_dn: 'CN=Hiroshi Tanaka,O=Example,C=JP' }),
  ...Array.from({ length: 16 }, (_, i) => person(`Colleague ${String(i + 1).padStart(2, '0')}`)),
];

export const identityMock = (me: UserObject): MockRoute[] => {
  const users = people(me);
  const [, ines, tomasz] = users as [Account, Account, Account];
  const member = (
    user: Account,
    source: Group['members'][number]['source'],
    role: 'member' | 'manager' = 'member',
  ) => ({
    user_id: user.uuid,
    email: user.email,
    full_name: user.full_name,
    role,
    source,
    added_at: hoursAgo(90),
  });
  const newGroup = (name: string, description: string, members: Group['members'] = []): Group => ({
    uuid: randomUUID(),
    name,
    description,
    member_count: members.length,
    my_role: null,
    created_at: hoursAgo(300),
    updated_at: hoursAgo(10),
    members,
  });
  const groups = [
    newGroup('Archive', 'Who listens to the old interviews', [
      member(ines, 'ldap'),
      member(tomasz, 'manual', 'manager'),
    ]),
    newGroup('Board', ''),
  ];
  const mappings: Mapping[] = [];
  const audit: AuditRecord[] = [];
  const note = (event_type: string, whom: Account | null, details: Record<string, unknown> = {}): void =>
    void audit.unshift({
      uuid: randomUUID(),
      timestamp: new Date().toISOString(),
      event_type,
      outcome: 'success',
      actor: me.uuid,
      actor_name: me.full_name,
      user_id: whom?.uuid ?? null,
      username: whom?.email ?? null,
      source_ip: '127.0.0.1',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
      request_id: randomUUID(),
      error_code: null,
      details,
    });
  const map = (source: Mapping['source'], claim_value: string, group: Group | null, role: 'admin' | null): void =>
    void mappings.push({
      uuid: randomUUID(),
      source,
      claim_value,
      group_uuid: group?.uuid ?? null,
      group_name: group?.name ?? null,
      grants_role: role,
      description: null,
      member_count: group ? 1 : 0,
      warning: null,
      created_at: hoursAgo(50),
      updated_at: hoursAgo(50),
    });
  map('ldap', 'cn=archive,ou=groups,dc=example,dc=org', groups[0] as Group, null);
  map('oidc', 'platform-admins', null, 'admin');
  note('auth.login.success', users[0] as Account, { method: 'local' });
  audit.push({
    ...(audit[0] as AuditRecord),
    uuid: randomUUID(),
    event_type: 'auth.login.failure',
    outcome: 'failure',
    error_code: 'INVALID_CREDENTIALS',
    actor: null,
    actor_name: null,
    username: 'nadia.okafor@example.org',
  });

  const find = <T extends { uuid: string }>(all: readonly T[], uuid: string | undefined): T => {
    const one = all.find((x) => x.uuid === uuid);
    if (!one) throw new Refusal(404, 'not_found', 'It does not exist, or it is not yours.');
    return one;
  };
  const take = <T extends { uuid: string }>(all: T[], uuid: string | undefined): void =>
    void all.splice(all.indexOf(find(all, uuid)), 1);
  const decide = (c: Context, approval_status: 'approved' | 'rejected') => {
    const user = Object.assign(find(users, c.parts[3]), { approval_status });
    note('admin.user.update', user, { action: `account_${approval_status}` });
    const { uuid, email } = user;
    const answer: AnswerOf<typeof approvalRoutes.approveUser> = {
      uuid,
      email,
      approval_status,
      approved_at: null,
      approved_by: me.uuid,
    };
    return answer;
  };
  const counted = (group: Group): Group => Object.assign(group, { member_count: group.members.length });

  return [
    ['GET', /^\/api\/auth\/methods$/, () => methodsNow()],
    ['GET', /^\/api\/auth\/oidc\/login$/, () => ({ authorization_url: 'http://127.0.0.1:8080/login?code=c&state=s' })],
    [
      'GET',
      /^\/api\/auth\/oidc\/callback$/,
      () => {
        throw new Refusal(400, 'invalid_state', 'This sign-in was not begun in this browser, or it took too long.');
      },
    ],
    [
      'POST',
      /^\/api\/auth\/(pki|proxy)\/authenticate$/,
      () => {
        throw new Refusal(401, 'invalid_credentials', 'Could not validate credentials');
      },
    ],
    ['POST', /^\/api\/auth\/register$/, () => ({ message: 'If the address is new, the account waits for approval.' })],
    [
      'GET',
      /^\/api\/auth\/password-policy$/,
      () => ({
        enabled: true,
        min_length: 12,
        require_uppercase: true,
        require_lowercase: true,
        require_digit: true,
        require_special: true,
        history_count: 24,
        max_age_days: 0,
      }),
    ],
    [
      'GET',
      /^\/api\/admin\/users$/,
      (c) => {
        const q = (c.url.searchParams.get('q') ?? '').toLowerCase();
        const wanted = (name: keyof Account) => c.url.searchParams.get(name);
        return pageOf(
          c,
          users.filter(
            (u) =>
              `${u.full_name} ${u.email} ${u.ldap_uid ?? ''}`.toLowerCase().includes(q) &&
              (['role', 'auth_type', 'approval_status', 'is_active'] as const).every(
                (name) => wanted(name) === null || wanted(name) === String(u[name]),
              ),
          ),
        );
      },
    ],
    [
      'POST',
      /^\/api\/admin\/users$/,
      (c) => {
        const body = json<BodyOf<typeof userRoutes.createUser>>(c);
        if (users.some((u) => u.email === body.email))
          throw new Refusal(409, 'email_taken', 'There is an account with this address.');
        const { password: _, full_name, ...rest } = body;
        const user = person(full_name ?? '', { ...rest, last_login_at: null, created_at: hoursAgo(0) });
        users.push(user);
        note('admin.user.create', user);
        return user;
      },
    ],
    ['PUT', /^\/api\/admin\/users\/[^/]+\/role$/, (c) => setRole(c, find(users, c.parts[3]), note)],
    [
      'POST',
      /^\/api\/admin\/users\/[^/]+\/reset-password$/,
      (c) => (find(users, c.parts[3]), { success: true, sessions_terminated: 2 }),
    ],
    [
      'POST',
      /^\/api\/admin\/users\/[^/]+\/unlock$/,
      (c) => (Object.assign(find(users, c.parts[3]), { locked_until: null }), { success: true, was_locked: true }),
    ],
    ['GET', /^\/api\/admin\/users\/[^/]+\/sessions$/, () => ({ sessions: sampleSessions(), total: 2 })],
    ['DELETE', /^\/api\/admin\/users\/[^/]+\/sessions$/, () => ({ success: true, sessions_terminated: 2 })],
    ['DELETE', /^\/api\/admin\/users\/[^/]+\/sessions\/[^/]+$/, () => undefined],
    [
      'GET',
      /^\/api\/users\/search$/,
      (c) => users.filter((u) => u.full_name.toLowerCase().includes((c.url.searchParams.get('q') ?? '').toLowerCase())),
    ],
    ['GET', /^\/api\/users\/(?!me$)[^/]+$/, (c) => find(users, c.parts[2])],
    [
      'PUT',
      /^\/api\/users\/(?!me$)[^/]+$/,
      (c) => Object.assign(find(users, c.parts[2]), json(c), { updated_at: new Date().toISOString() }),
    ],
    ['DELETE', /^\/api\/users\/[^/]+$/, (c) => take(users, c.parts[2])],
    [
      'GET',
      /^\/api\/admin\/user-approvals$/,
      (c) =>
        pageOf(
          c,
          users.filter((u) => u.approval_status === 'pending'),
        ),
    ],
    ['POST', /^\/api\/admin\/user-approvals\/[^/]+\/approve$/, (c) => decide(c, 'approved')],
    ['POST', /^\/api\/admin\/user-approvals\/[^/]+\/reject$/, (c) => decide(c, 'rejected')],
    ['GET', /^\/api\/admin\/audit-logs$/, (c) => pageOf(c, audit)],
    [
      'GET',
      /^\/api\/admin\/audit-logs\/export$/,
      ({ response }) => (response.end(audit.map((r) => `${r.timestamp},${r.event_type}`).join('\n')), null),
    ],
    ['GET', /^\/api\/groups$/, () => groups],
    [
      'POST',
      /^\/api\/groups$/,
      (c) => {
        const body = json<BodyOf<typeof groupRoutes.createGroup>>(c);
        const group = newGroup(body.name, body.description ?? '');
        groups.push(group);
        return group;
      },
    ],
    ['GET', /^\/api\/groups\/[^/]+$/, (c) => find(groups, c.parts[2])],
    ['PUT', /^\/api\/groups\/[^/]+$/, (c) => Object.assign(find(groups, c.parts[2]), json(c))],
    ['DELETE', /^\/api\/groups\/[^/]+$/, (c) => take(groups, c.parts[2])],
    [
      'POST',
      /^\/api\/groups\/[^/]+\/members$/,
      (c) => {
        const group = find(groups, c.parts[2]);
        const added = member(find(users, json<{ user_uuid: string }>(c).user_uuid), 'manual');
        group.members.push(added);
        counted(group);
        return added;
      },
    ],
    [
      'PUT',
      /^\/api\/groups\/[^/]+\/members\/[^/]+$/,
      (c) => Object.assign(find(groups, c.parts[2]).members.find((m) => m.user_id === c.parts[4]) ?? {}, json(c)),
    ],
    [
      'DELETE',
      /^\/api\/groups\/[^/]+\/members\/[^/]+$/,
      (c) => {
        const group = find(groups, c.parts[2]);
        group.members = group.members.filter((m) => m.user_id !== c.parts[4]);
        counted(group);
      },
    ],
    ['GET', /^\/api\/admin\/group-mappings$/, () => mappings],
    [
      'POST',
      /^\/api\/admin\/group-mappings$/,
      (c) => {
        const body = json<BodyOf<typeof mappingRoutes.createMapping>>(c);
        map(body.source, body.claim_value, groups.find((g) => g.uuid === body.group_uuid) ?? null, null);
        return Object.assign(mappings.at(-1) as Mapping, { grants_role: body.grants_role ?? null });
      },
    ],
    ['POST', /^\/api\/admin\/group-mappings\/test$/, (c) => tried(c, mappings)],
    ['PUT', /^\/api\/admin\/group-mappings\/[^/]+$/, (c) => Object.assign(find(mappings, c.parts[3]), json(c))],
    ['DELETE', /^\/api\/admin\/group-mappings\/[^/]+$/, (c) => take(mappings, c.parts[3])],
    ...authConfigMock(me),
  ];
};

const setRole = (
  c: Context,
  user: Account,
  note: (event: string, whom: Account, details: Record<string, unknown>) => void,
) => {
  const [old_role, new_role] = [user.role, c.url.searchParams.get('new_role') as Account['role']];
  user.role = new_role;
  note('ADMIN_ROLE_CHANGE', user, { old_role, new_role });
  return { success: true, old_role, new_role };
};

const sampleSessions = () =>
  ['Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0', 'Mozilla/5.0 (iPhone) Version/19.0 Safari/604.1'].map(
    (agent, i) => ({
      uuid: randomUUID(),
      created_at: hoursAgo(30),
      expires_at: hoursAgo(-100),
      last_used_at: hoursAgo(i),
      ip_address: '192.0.2.7',
      user_agent: agent,
      current: false,
    }),
  );

const tried = (c: Context, mappings: readonly Mapping[]): AnswerOf<typeof mappingRoutes.testMappings> => {
  const { source, claim_values = ['cn=archive,ou=groups,dc=example,dc=org', 'cn=staff,dc=example,dc=org'] } = json<{
    source: Mapping['source'];
    claim_values?: string[];
  }>(c);
  const hit = mappings.filter((m) => m.source === source && claim_values.includes(m.claim_value));
  const matched = claim_values.filter((v) => hit.some((m) => m.claim_value === v));
  const grants_role = hit.some((m) => m.grants_role === 'admin') ? 'admin' : null;
  return {
    source,
    claim_values,
    matched_claims: matched,
    unmatched_claims: claim_values.filter((v) => !matched.includes(v)),
    groups: hit.flatMap((m) => (m.group_uuid === null ? [] : [{ uuid: m.group_uuid, name: m.group_name ?? '' }])),
    grants_role,
    legacy_admin: false,
    effective_role: grants_role ?? 'user',
  };
};

const methodsNow = () => {
  const now = settingsNow();
  const on = (['local', 'ldap', 'oidc', 'pki', 'proxy'] as const).filter((m) => now[`${m}_enabled`] === true);
  return {
    methods: on,
    ...Object.fromEntries(
      ['local', 'ldap', 'oidc', 'pki', 'proxy'].map((m) => [`${m}_enabled`, now[`${m}_enabled`] === true]),
    ),
    allow_registration: now['allow_registration'] === true,
    oidc_display_name: now['oidc_display_name'],
    keycloak_enabled: now['oidc_enabled'] === true,
  };
};
