import { z } from 'zod';
import { defineRpc, roles } from './define.ts';
import { decisionEvidence, leaveReasons } from './directory-sync-runs.ts';
import { time } from './http.ts';

// RPCs of the directory sync to identity.

/**
 * A page of directory accounts in columns of equal length: in half a million rows, repeated field names would be most of
 * the data.
 */
const directoryAccounts = z
  .object({
    userId: z.array(z.uuid()),
    email: z.array(z.string()),
    /** Login name in the directory. */
    login: z.array(z.string().nullable()),
    directoryId: z.array(z.string().nullable()),
    authType: z.array(z.string()),
    role: z.array(z.enum(roles)),
    active: z.array(z.boolean()),
    disabledBy: z.array(z.enum(['administrator', 'directory']).nullable()),
    /** Groups assigned by the directory, and those assigned by a person; each list in the order of the ids. */
    fromDirectory: z.array(z.array(z.string())),
    byHand: z.array(z.array(z.string())),
  })
  .refine((columns) => Object.values(columns).every(({ length }) => length === columns.userId.length), {
    message: 'The columns are not equally long',
  });
export type DirectoryAccounts = z.infer<typeof directoryAccounts>;

/** A change requested by the directory sync; rejected when the account differs from `expected`. */
export const directoryChange = z.object({
  userId: z.uuid(),
  expected: z.object({ role: z.enum(roles), directoryId: z.string().nullable() }),
  disable: z.object({ reason: z.enum(leaveReasons), evidence: decisionEvidence }).nullable(),
  role: z.enum(['user', 'admin']).nullable(),
  add: z.array(z.uuid()),
  remove: z.array(z.uuid()),
  /** The immutable id for an account that had none. */
  adopt: z.string().nullable(),
});
export type DirectoryChange = z.infer<typeof directoryChange>;

/** Connection and search settings of the directory, without the password. */
const directoryConfig = z.object({
  server: z.string(),
  port: z.int(),
  useSsl: z.boolean(),
  useTls: z.boolean(),
  bindDn: z.string().nullable(),
  searchBase: z.string(),
  usernameAttr: z.string(),
  emailAttr: z.string(),
  nameAttr: z.string(),
  groupAttr: z.string(),
  userSearchFilter: z.string(),
  timeoutSeconds: z.number(),
  recursiveGroups: z.boolean(),
  userGroups: z.string(),
  adminGroups: z.string(),
  adminUsers: z.string(),
  caPem: z.string().nullable(),
});

export const directorySyncRpc = {
  /** Accounts of the directory in the order of their ids, active or not. */
  accounts: defineRpc('identity', 'directory-accounts', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(2000) }),
    reply: directoryAccounts,
    timeoutMs: 15_000,
  }),
  /** Directory settings and mappings. The password is encrypted with the platform's key. */
  rules: defineRpc('identity', 'directory-rules', {
    request: z.object({}),
    reply: z.object({
      enabled: z.boolean(),
      config: directoryConfig,
      bindPassword: z.object({ keyId: z.string(), text: z.string() }).nullable(),
      /** Without any mapping of the directory, memberships are not changed. */
      anyMapping: z.boolean(),
      mappings: z.array(
        z.object({
          claimValue: z.string(),
          groupId: z.uuid().nullable(),
          grantsRole: z.enum(['user', 'admin']).nullable(),
        }),
      ),
      groups: z.array(z.object({ groupId: z.uuid(), name: z.string() })),
    }),
  }),
  /** Applies changes in one transaction with their sessions, audit records and events; idempotent. */
  apply: defineRpc('identity', 'apply-directory-pass', {
    request: z.object({ passId: z.uuid(), changes: z.array(directoryChange).max(500) }),
    reply: z.object({
      results: z.array(
        z.object({
          userId: z.uuid(),
          outcome: z.enum(['applied', 'changed_meanwhile']),
          sessionsRevoked: z.int(),
        }),
      ),
    }),
    timeoutMs: 30_000,
  }),
  /** A run's applied changes, from its audit records, in the order of user ids after the given one. */
  done: defineRpc('identity', 'directory-pass-done', {
    request: z.object({ passId: z.uuid(), since: time, after: z.uuid().nullable(), limit: z.int().min(1).max(2000) }),
    reply: z.object({
      done: z.array(
        z.object({
          userId: z.uuid(),
          email: z.string(),
          login: z.string().nullable(),
          disabled: z
            .object({ reason: z.enum(leaveReasons), evidence: decisionEvidence, sessionsRevoked: z.int() })
            .nullable(),
          role: z.object({ from: z.enum(roles), to: z.enum(['user', 'admin']) }).nullable(),
          added: z.array(z.string()),
          removed: z.array(z.string()),
          adopted: z.string().nullable(),
        }),
      ),
    }),
    timeoutMs: 30_000,
  }),
  /** Enables accounts that this run disabled and that were not changed since. */
  undo: defineRpc('identity', 'undo-directory-pass', {
    request: z.object({ passId: z.uuid(), userIds: z.array(z.uuid()).max(500), by: z.uuid() }),
    reply: z.object({ results: z.array(z.object({ userId: z.uuid(), restored: z.boolean(), why: z.string() })) }),
    timeoutMs: 30_000,
    longRunning: true,
  }),
};
