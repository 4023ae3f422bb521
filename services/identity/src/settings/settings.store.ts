import type { AuthCategory, AuthSettingKey } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { AuthConfig, AuthConfigAudit } from '../generated/client.ts';
import type { SettingValue } from './settings.ts';

export type ChangeRow = Pick<AuthConfigAudit, 'category' | 'changeType' | 'changedBy' | 'ipAddress' | 'userAgent'> & {
  key: AuthSettingKey;
  oldValue: SettingValue | null;
  newValue: SettingValue | null;
};
type NewRow = { key: AuthSettingKey; category: AuthCategory; value: SettingValue; keyId: string | null; by: string };

export const settingsStore = {
  all: (db: Db | Tx): Promise<AuthConfig[]> => db.authConfig.findMany(),

  /** Differs after every change by any writer, because each row version has its own transaction id. */
  stamp: async (db: Db | Tx): Promise<string> => {
    const rows = await db.$queryRaw<{ stamp: string }[]>`
      select coalesce(md5(string_agg(concat_ws(' ', config_key, xmin), ',' order by config_key)), '') as stamp
      from auth_config`;
    return rows[0]?.stamp ?? '';
  },

  /** Serializes changes over all replicas, because each is checked against the resulting settings. */
  lock: async (tx: Tx): Promise<void> =>
    void (await tx.$queryRaw`select 1 from pg_advisory_xact_lock(hashtext('auth_config'))`),

  put: async (tx: Tx, { key, category, value, keyId, by }: NewRow): Promise<void> => {
    const row = { category, value, isSensitive: keyId !== null, keyId, updatedBy: by };
    await tx.authConfig.upsert({ where: { key }, create: { key, ...row }, update: row });
  },
  /** The same secret sealed again: the setting itself is unchanged. */
  reseal: async (
    tx: Tx,
    { key, updatedAt }: AuthConfig,
    { keyId, text }: { keyId: string; text: string },
  ): Promise<void> => void (await tx.authConfig.update({ where: { key }, data: { value: text, keyId, updatedAt } })),
  remove: async (tx: Tx, key: AuthSettingKey): Promise<void> =>
    void (await tx.authConfig.deleteMany({ where: { key } })),

  record: async (tx: Tx, { oldValue, newValue, ...row }: ChangeRow): Promise<void> =>
    void (await tx.authConfigAudit.create({
      data: { ...row, ...(oldValue === null ? {} : { oldValue }), ...(newValue === null ? {} : { newValue }) },
    })),
  history: (
    db: Db,
    { category, limit, offset }: { category: AuthCategory; limit: number; offset: number },
  ): Promise<AuthConfigAudit[]> =>
    db.authConfigAudit.findMany({
      where: { category },
      orderBy: [{ createdAt: 'desc' }, { key: 'asc' }],
      take: limit,
      skip: offset,
    }),

  /** Approves every account that waits for approval. */
  releasePending: (tx: Tx, by: string): Promise<{ id: string; email: string; role: string; isActive: boolean }[]> =>
    tx.user.updateManyAndReturn({
      where: { approvalStatus: 'pending' },
      data: { approvalStatus: 'approved', approvedAt: new Date(), approvedBy: by },
      select: { id: true, email: true, role: true, isActive: true },
    }),

  /** Whether a super_admin can sign in with a local password. */
  superAdminHasPassword: async (tx: Tx): Promise<boolean> =>
    (await tx.user.count({
      where: {
        role: 'super_admin',
        isActive: true,
        approvalStatus: 'approved',
        authType: 'local',
        passwordHash: { not: null },
      },
    })) > 0,

  /** The last OIDC sign-in since the settings of the administrator roles were changed, and why its roles were unusable. */
  lastOidcSignIn: async (db: Db): Promise<{ at: Date; unusable: string | null } | undefined> => {
    const rows = await db.$queryRaw<{ at: Date; unusable: string | null }[]>`
      select time as at, details ->> 'roles_state' as unusable from audit_log
      where event_type = 'auth.login.success' and details ->> 'method' = 'oidc' and time > coalesce((
        select max(updated_at) from auth_config where config_key in ('oidc_admin_role', 'oidc_roles_claim')), '-infinity')
      order by time desc limit 1`;
    return rows[0];
  },

  /** E-mail addresses of people by id. */
  names: async (db: Db, ids: readonly (string | null)[]): Promise<Map<string, string>> => {
    const wanted = [...new Set(ids.filter((id) => id !== null))];
    const rows = await db.user.findMany({ where: { id: { in: wanted } }, select: { id: true, email: true } });
    return new Map(rows.map((row) => [row.id, row.email]));
  },
};
