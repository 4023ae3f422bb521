import { z } from 'zod';
import { defineJob, defineRpc, roles } from './define.ts';
import { pageOf, pageQuery, routesOf, text, time, uuidParams } from './http.ts';

const route = routesOf('directory-sync');

/** Why an account is disabled by a pass (specification, "States and transitions"). */
export const leaveReasons = ['absent_from_directory', 'disabled_in_directory', 'no_longer_in_required_groups'] as const;
export type LeaveReason = (typeof leaveReasons)[number];

/**
 * What became of a leaver. `deferred`: above the limit of the pass; `held`: waits for approval of the whole set;
 * `replication_pending`: seen after all when asked once more; `changed_meanwhile`: the account is no longer as planned.
 */
export const leaveOutcomes = [
  'disabled',
  'would_disable',
  'deferred',
  'held',
  'replication_pending',
  'changed_meanwhile',
  'undone',
] as const;

export const passStatuses = ['running', 'ok', 'held', 'directory_unavailable', 'disabled', 'failed'] as const;

/** What a decision rests on: attribute values and the path through groups, as text. */
const evidence = z.record(z.string(), z.string());

const action = z.object({
  user_uuid: z.uuid(),
  email: z.string(),
  ldap_uid: z.string().nullable(),
  reason: z.enum(leaveReasons),
  outcome: z.enum(leaveOutcomes),
  applied: z.boolean(),
  sessions_revoked: z.int().optional(),
  evidence,
});
const reconciliation = z.object({
  user_uuid: z.uuid(),
  email: z.string(),
  role_from: z.enum(roles).optional(),
  role_to: z.enum(roles).optional(),
  groups_added: z.array(z.string()),
  groups_removed: z.array(z.string()),
  applied: z.boolean(),
  error: z.string().optional(),
});

/** Report of a pass (`directory_sync.last_result`). Lists hold at most the first 1,000; the counts are exact. */
export const passReport = z.object({
  pass_uuid: z.uuid(),
  status: z.enum(passStatuses),
  error: z.string().nullable(),
  dry_run: z.boolean(),
  trigger: z.enum(['schedule', 'manual', 'approval']),
  /** Active directory accounts that were looked at. */
  checked: z.int(),
  /** Entries the directory answered with. */
  seen: z.int(),
  candidates: z.int(),
  disabled: z.int(),
  would_disable: z.int(),
  deferred: z.int(),
  capped: z.boolean(),
  max_disables_per_run: z.int(),
  actions: z.array(action),
  reconciled: z.int(),
  reconciliations: z.array(reconciliation),
  /** Accounts that the directory had disabled and now holds again; nobody is let in without a person. */
  eligible_for_reactivation: z.array(z.object({ user_uuid: z.uuid(), email: z.string() })),
  ldap_requests: z.int(),
  /** How the completeness of the answer was proved, step by step. */
  proof: z.array(z.object({ code: z.string(), evidence: z.string() })),
  /** Approving a held pass means exactly this set of leavers. */
  set_digest: z.string().nullable(),
  started_at: time,
  finished_at: time.nullable(),
  duration_s: z.number().nullable(),
});
export type PassReport = z.infer<typeof passReport>;

const settings = {
  enabled: z.boolean(),
  /** Cron expression in UTC. */
  schedule: text(200).min(1),
  dry_run: z.boolean(),
  max_disables_per_run: z.int().min(1).max(100_000),
  /** A pass that would disable more than this share of the accounts is held as a whole; null: no such brake. */
  max_disable_percent: z.number().min(0.01).max(100).nullable(),
};
export const directorySyncSettings = z.object(settings);
export type DirectorySyncSettings = z.infer<typeof directorySyncSettings>;
const settingsAnswer = z.object({
  ...settings,
  last_run_at: time.nullable(),
  last_result: passReport.nullable(),
});

export const passSummary = passReport.omit({
  actions: true,
  reconciliations: true,
  eligible_for_reactivation: true,
  proof: true,
});

export const directorySyncRoutes = {
  directorySync: route({
    method: 'GET',
    path: '/api/admin/directory-sync',
    access: 'super_admin',
    summary: 'Settings of the sweep and the report of its last pass',
    answer: settingsAnswer,
  }),
  updateDirectorySync: route({
    method: 'PUT',
    path: '/api/admin/directory-sync',
    access: 'super_admin',
    summary: 'Change settings of the sweep; counts from the next look at the schedule on',
    body: directorySyncSettings.partial().strict(),
    answer: settingsAnswer,
  }),
  directorySyncStatus: route({
    method: 'GET',
    path: '/api/admin/directory-sync/status',
    access: 'super_admin',
    summary: 'Whether a pass runs or is due, and when the next ones are',
    answer: settingsAnswer.extend({
      next_due: z.boolean(),
      next_runs: z.array(time),
      running: z
        .object({
          pass_uuid: z.uuid(),
          phase: z.enum(['snapshot', 'plan', 'witness', 'apply']),
          done: z.int(),
          total: z.int().nullable(),
          dry_run: z.boolean(),
          started_at: time,
        })
        .nullable(),
    }),
  }),
  runDirectorySync: route({
    method: 'POST',
    path: '/api/admin/directory-sync/run',
    access: 'super_admin',
    summary: 'Run a pass now, as configured or as a dry run',
    body: z.object({ dry_run: z.literal(true).optional() }).optional(),
    answer: z.object({ task_id: z.uuid(), status: z.literal('queued'), message: z.string() }),
    status: 202,
  }),
  passes: route({
    method: 'GET',
    path: '/api/admin/directory-sync/passes',
    access: 'super_admin',
    summary: 'Passes, newest first',
    query: z.object(pageQuery),
    answer: pageOf(passSummary),
  }),
  pass: route({
    method: 'GET',
    path: '/api/admin/directory-sync/passes/{uuid}',
    access: 'super_admin',
    summary: 'The report of a pass',
    params: uuidParams,
    answer: passReport,
  }),
  approvePass: route({
    method: 'POST',
    path: '/api/admin/directory-sync/passes/{uuid}/approve',
    access: 'super_admin',
    summary: 'Approve a held pass: of exactly this set, whoever is still to be disabled is disabled by a new pass',
    params: uuidParams,
    body: z.object({ set_digest: text(64) }),
    answer: z.object({ task_id: z.uuid(), status: z.literal('queued'), message: z.string() }),
    status: 202,
  }),
  undoPass: route({
    method: 'POST',
    path: '/api/admin/directory-sync/passes/{uuid}/undo',
    access: 'super_admin',
    summary: 'Enable again whom a pass disabled, where nothing changed since',
    params: uuidParams,
    answer: z.object({
      restored: z.int(),
      left: z.array(z.object({ user_uuid: z.uuid(), email: z.string(), why: z.string() })),
    }),
  }),
  explainUser: route({
    method: 'GET',
    path: '/api/admin/directory-sync/users/{uuid}',
    access: 'super_admin',
    summary: 'What passes decided about an account and why, newest first',
    params: uuidParams,
    answer: z.array(
      z.object({
        pass_uuid: z.uuid(),
        at: time,
        dry_run: z.boolean(),
        decision: z.string(),
        reason: z.string().nullable(),
        evidence,
      }),
    ),
  }),
};

const started = z.object({});
/** Names as in the specification, "Scheduling"; both are fenced by the sweep's lease in the database. */
export const directoryJobs = {
  checkSchedule: defineJob('job.cpu.directory.sync_check_schedule', {
    input: z.object({ slot: time }),
    output: started,
    attempts: 3,
    fencedBy: 'handler',
  }),
  run: defineJob('job.cpu.directory.sync_run', {
    input: z.object({
      trigger: z.enum(['schedule', 'manual', 'approval']),
      /** Overrides the setting towards caution only. */
      dryRun: z.boolean(),
      /** The held pass whose set was approved. */
      approvedPass: z.uuid().nullable(),
      approvedBy: z.uuid().nullable(),
    }),
    output: started,
    attempts: 3,
    backoffMs: 10_000,
    fencedBy: 'handler',
  }),
};

// --- What the sweep asks of identity -------------------------------------------------------------------------------

/**
 * A page of directory accounts, column by column: of half a million, the names of the fields would be most of what is
 * sent. All columns are equally long.
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
    /** Groups that the directory put it into, and those where a person did; each list in the order of the ids. */
    fromDirectory: z.array(z.array(z.string())),
    byHand: z.array(z.array(z.string())),
  })
  .refine((columns) => Object.values(columns).every(({ length }) => length === columns.userId.length), {
    message: 'The columns are not equally long',
  });
export type DirectoryAccounts = z.infer<typeof directoryAccounts>;

/** A change the sweep asks for; refused for an account that is no longer as `expected`. */
export const sweepChange = z.object({
  userId: z.uuid(),
  expected: z.object({ role: z.enum(roles), directoryId: z.string().nullable() }),
  disable: z.object({ reason: z.enum(leaveReasons), evidence }).nullable(),
  role: z.enum(['user', 'admin']).nullable(),
  add: z.array(z.uuid()),
  remove: z.array(z.uuid()),
  /** The immutable id of an account that had none. */
  adopt: z.string().nullable(),
});
export type SweepChange = z.infer<typeof sweepChange>;

/** How the directory is reached and read, without the password. */
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

export const sweepRpc = {
  /** Accounts of the directory in the order of their ids, active or not. */
  accounts: defineRpc('identity', 'directory-accounts', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(2000) }),
    reply: directoryAccounts,
    timeoutMs: 15_000,
  }),
  /** How to ask the directory, and what its claims lead to. The password travels sealed with the platform's key. */
  rules: defineRpc('identity', 'directory-rules', {
    request: z.object({}),
    reply: z.object({
      enabled: z.boolean(),
      config: directoryConfig,
      bindPassword: z.object({ keyId: z.string(), text: z.string() }).nullable(),
      /** With no mapping of the directory ever made, memberships stay as they are. */
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
  /** Applies changes, all of them in one transaction with their sessions, audit and events; the same twice is once. */
  apply: defineRpc('identity', 'apply-directory-pass', {
    request: z.object({ passId: z.uuid(), changes: z.array(sweepChange).max(500) }),
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
  /** What a pass has done so far, from the audit that stands or falls with it; by user, after this one. */
  done: defineRpc('identity', 'directory-pass-done', {
    request: z.object({ passId: z.uuid(), since: time, after: z.uuid().nullable(), limit: z.int().min(1).max(2000) }),
    reply: z.object({
      done: z.array(
        z.object({
          userId: z.uuid(),
          email: z.string(),
          login: z.string().nullable(),
          disabled: z.object({ reason: z.enum(leaveReasons), evidence, sessionsRevoked: z.int() }).nullable(),
          role: z.object({ from: z.enum(roles), to: z.enum(['user', 'admin']) }).nullable(),
          added: z.array(z.string()),
          removed: z.array(z.string()),
          adopted: z.string().nullable(),
        }),
      ),
    }),
    timeoutMs: 30_000,
  }),
  /** Enables accounts that this pass disabled and nobody touched since. */
  undo: defineRpc('identity', 'undo-directory-pass', {
    request: z.object({ passId: z.uuid(), userIds: z.array(z.uuid()).max(500), by: z.uuid() }),
    reply: z.object({ results: z.array(z.object({ userId: z.uuid(), restored: z.boolean(), why: z.string() })) }),
    timeoutMs: 30_000,
  }),
};
