import { randomUUID } from 'node:crypto';
import type { AnswerOf, auditRoutes, groupRoutes, mappingRoutes, UserObject, userRoutes } from '@overtone/contracts';
import { hoursAgo } from './mock-kit.ts';

export type Account = AnswerOf<typeof userRoutes.user>;
export type Group = AnswerOf<typeof groupRoutes.group>;
export type Mapping = AnswerOf<typeof mappingRoutes.createMapping>;
type AuditRecord = AnswerOf<typeof auditRoutes.auditLogs>['items'][number];

export const person = (name: string, more: Partial<Account> = {}): Account => ({
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
  pki_issuer_dn: null,
  last_login_at: hoursAgo(name.length * 7),
  created_at: hoursAgo(4000),
  updated_at: hoursAgo(4),
  locked_until: null,
  disabled_by: null,
  groups: [],
  ...more,
});

const people = (me: UserObject): Account[] => [
  { ...me, pki_issuer_dn: null, locked_until: null, disabled_by: null, groups: [] },
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

export const createWorld = (me: UserObject) => {
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

  return { me, users, groups, mappings, audit, note, map, member, newGroup };
};
/** The current accounts, groups and mappings, and the audit log of their changes. */
export type World = ReturnType<typeof createWorld>;
