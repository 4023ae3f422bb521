import { readFileSync } from 'node:fs';
import { readEnv } from '@overtone/service-kit/env';
import { poolEnv, type PoolLimits } from './connections.ts';
import { databaseRoles, type DatabaseRole } from './migrate.ts';

type MigrationEnv = {
  url: string;
  passwords: Partial<Record<DatabaseRole, string>>;
  auditRetentionDays: number | undefined;
  servicesRun: boolean;
  /** The limits of the services' pools; undefined where they are not given. */
  poolLimits: PoolLimits | undefined;
};

/**
 * Environment of the migration command: DATABASE_URL of the owner, DB_PASSWORD_<ROLE>[_FILE] per role,
 * AUDIT_LOG_RETENTION_DAYS, DB_POOL_SIZE and DB_MAX_OVERFLOW of the services, MIGRATE_WHILE_SERVICES_RUN (`true`: refuse a schema that running services could not use).
 */
export function migrationEnv(): MigrationEnv {
  const read = (name: string): string | undefined => {
    const file = process.env[`${name}_FILE`];
    return file ? readFileSync(file, 'utf8').trim() : process.env[name];
  };
  const url = read('DATABASE_URL');
  if (!url) throw new Error('DATABASE_URL is not set');
  const entries = databaseRoles.map((role) => [role, read(`DB_PASSWORD_${role.toUpperCase()}`)] as const);
  return {
    url,
    passwords: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    auditRetentionDays: daysOf(read('AUDIT_LOG_RETENTION_DAYS')),
    poolLimits: process.env['DB_POOL_SIZE'] ? readEnv(poolEnv) : undefined,
    servicesRun: read('MIGRATE_WHILE_SERVICES_RUN') === 'true',
  };
}

function daysOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 36_500) return days;
  throw new Error('AUDIT_LOG_RETENTION_DAYS must be a whole number from 1 to 36500');
}
