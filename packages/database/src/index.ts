export { createDatabase, createEventDatabase, type Database } from './database.ts';
export { databaseRoles, migrate, type DatabaseRole, type MigrateOptions, type MigrateResult } from './migrate.ts';
export { headSchema, migrationHead, readMigrations, type Migration } from './migrations.ts';
export { recordOperation, type AdminRequest } from './operation.ts';
export { createOutbox, deleteSentActionsOf, type Outbox, type Tx } from './outbox.ts';
export { queryPrepared } from './prepared.ts';
export { createPool, databaseEnv, pingDatabase, type DatabaseEnv } from './pool.ts';
export {
  changeDetails,
  createSettingsStore,
  resealSettings,
  withChanges,
  type SettingChange,
  type SettingsDb,
  type SettingsStore,
} from './settings-store.ts';
export { canRead, SchemaError, schemaOf, type Schema } from './schema.ts';
