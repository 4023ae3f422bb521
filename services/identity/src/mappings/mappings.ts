import type { MappingSource, Role } from '@overtone/contracts';
import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';

/** What a source says of somebody's groups. Unknown is not "none": it changes nothing. */
export type Claims = { known: true; values: readonly string[] } | { known: false; reason: string };
/** Whether the source's own admin settings (admin users, admin groups, admin roles) make the person an administrator. */
export type LegacyAdmin = 'yes' | 'no' | 'unknown';

export type Pass = {
  userId: string;
  source: MappingSource;
  claims: Claims;
  legacyAdmin: LegacyAdmin;
  actor: 'idp_login' | 'directory_sync';
  client: Client;
};
export type Reconciled = { role: Role; roleChanged: boolean; added: string[]; removed: string[] };
export type Mappings = {
  /** Brings groups and role of one account in line with its claims, in the caller's transaction. */
  reconcile: (tx: Tx, pass: Pass) => Promise<Reconciled>;
};
