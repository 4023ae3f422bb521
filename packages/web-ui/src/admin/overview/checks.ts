import { plural, t } from '@lingui/core/macro';
import type { ResponseBody } from '@overtone/client';
import { bytes, moment } from '../../lib/format.ts';

type RunStatus = { enabled: boolean; last_run: { status: string; finished_at: string | null } | null };
type SyncResult = {
  pass_uuid: string;
  status: string;
  dry_run: boolean;
  candidates: number;
  approved_at: string | null;
};

/** What the pages of the administration know; a part that is missing is not known yet, or may not be read. */
export type Facts = {
  readonly models?: Pick<ResponseBody<'GET /api/admin/models'>, 'installed' | 'speech_setup'>;
  readonly methods?: Pick<ResponseBody<'GET /api/auth/methods'>, 'ldap_enabled' | 'oidc_enabled' | 'proxy_enabled'>;
  readonly superAdmins?: number;
  readonly approvals?: number;
  readonly backup?: RunStatus & { destination_status: { ok: boolean } };
  readonly mirror?: RunStatus;
  readonly sync?: SyncResult | null;
  readonly heldRules?: number;
  readonly queues?: Pick<ResponseBody<'GET /api/admin/queues'>, 'queues'>;
  readonly engines?: readonly { engine: unknown; pulls: readonly string[] }[];
  readonly storage?: ResponseBody<'GET /api/admin/storage'>;
  readonly health?: ResponseBody<'GET /api/health'>['status'];
};

export type SetupStep = { id: string; title: string; text: string; done: boolean; to: string };
export type Alert = { id: string; text: string; to: string | null };

/** What a new installation needs, in the order in which it is done. Steps about what is not known are left out. */
export function setupSteps(facts: Facts): SetupStep[] {
  const { models, backup, methods, superAdmins } = facts;
  return [
    ...(models ? [modelStep(models)] : []),
    ...(backup
      ? [
          {
            id: 'backup',
            title: t`Backups`,
            text: backup.enabled
              ? t`Backups are made on a schedule.`
              : t`No backups are made. Choose where they are kept, and when they are made.`,
            done: backup.enabled,
            to: '/admin/backups',
          },
        ]
      : []),
    ...(methods ? [directoryStep(methods)] : []),
    ...(superAdmins === undefined
      ? []
      : [
          {
            id: 'second-admin',
            title: t`A second super administrator`,
            text:
              superAdmins > 1
                ? plural(superAdmins, { other: '# people have this role.' })
                : t`Only one person can change the settings. If they cannot sign in, no one can.`,
            done: superAdmins > 1,
            to: '/admin/users',
          },
        ]),
  ];
}

function modelStep({ installed, speech_setup: setup }: NonNullable<Facts['models']>): SetupStep {
  const usable = installed.filter(({ kind, fault }) => kind === 'asr' && fault === null);
  const step = { id: 'model', title: t`A speech model`, done: usable.length > 0, to: '/admin' };
  if (step.done) return { ...step, text: t`Installed: ${usable.map(({ name }) => name).join(', ')}` };
  return setup?.state === 'running'
    ? { ...step, text: t`It is being fetched.` }
    : { ...step, text: t`Only the basic engine for English is used. Install a model for better transcripts.` };
}

function directoryStep({ ldap_enabled, oidc_enabled, proxy_enabled }: NonNullable<Facts['methods']>): SetupStep {
  const done = ldap_enabled || oidc_enabled || proxy_enabled;
  return {
    id: 'directory',
    title: t`A directory or identity provider`,
    text: done
      ? t`People sign in with their accounts of your organisation.`
      : t`People have accounts and passwords of their own here. Connect a directory if you have one.`,
    done,
    to: '/admin/authentication/ldap',
  };
}

/** What an administrator should look at now, the most urgent first. */
export function alertsOf(facts: Facts): Alert[] {
  return [
    ...(facts.health === 'degraded'
      ? [{ id: 'health', text: t`A part of the platform does not respond. The logs of the server name it.`, to: null }]
      : []),
    ...storageAlerts(facts.storage),
    ...speechAlerts(facts),
    ...runAlerts(facts),
    ...approvalAlerts(facts),
    ...queueAlerts(facts.queues?.queues ?? []),
  ];
}

function storageAlerts(storage: Facts['storage']): Alert[] {
  if (!storage?.space) return [];
  const { free_bytes: free, total_bytes: total, reserve_bytes: reserve } = storage.space;
  if (free <= reserve)
    return [{ id: 'disk', text: t`The disk of the recordings is full. Uploads are refused.`, to: '/admin/retention' }];
  // A tenth of a small disk, or what a few long videos take.
  const isLow = free - reserve < Math.min(total / 10, 20 * 1024 ** 3);
  return isLow
    ? [{ id: 'disk', text: t`The disk of the recordings is nearly full: ${bytes(free)} left.`, to: '/admin/retention' }]
    : [];
}

function speechAlerts({ engines }: Facts): Alert[] {
  if (engines === undefined || engines.some(({ engine }) => engine !== null)) return [];
  return [{ id: 'engine', text: t`No speech engine is running. Recordings wait.`, to: '/admin' }];
}

function runAlerts({ sync, backup, mirror }: Facts): Alert[] {
  const alerts: Alert[] = [];
  if (sync?.status === 'held' && !sync.dry_run && sync.approved_at === null)
    alerts.push({
      id: 'sync',
      text: plural(sync.candidates, {
        one: 'A directory sync run is held: it would disable # account.',
        other: 'A directory sync run is held: it would disable # accounts.',
      }),
      to: `/admin/directory-sync/passes/${sync.pass_uuid}`,
    });
  if (backup?.last_run?.status === 'failed')
    alerts.push({ id: 'backup', text: t`The last backup failed${at(backup.last_run)}.`, to: '/admin/backups' });
  else if (backup?.enabled && !backup.destination_status.ok)
    alerts.push({ id: 'backup', text: t`The destination of the backups can’t be used.`, to: '/admin/backups' });
  if (mirror?.last_run?.status === 'failed')
    alerts.push({
      id: 'mirror',
      text: t`The last run of the media mirror failed${at(mirror.last_run)}.`,
      to: '/admin/media-mirror',
    });
  return alerts;
}

function at({ finished_at: finished }: { finished_at: string | null }): string {
  return finished === null ? '' : ` (${moment(finished)})`;
}

function approvalAlerts({ approvals = 0, heldRules = 0 }: Facts): Alert[] {
  return [
    ...(approvals > 0
      ? [
          {
            id: 'approvals',
            text: plural(approvals, { one: '# account awaits approval.', other: '# accounts await approval.' }),
            to: '/admin/approvals',
          },
        ]
      : []),
    ...(heldRules > 0
      ? [
          {
            id: 'retention',
            text: plural(heldRules, {
              one: '# retention rule waits for approval.',
              other: '# retention rules wait for approval.',
            }),
            to: '/admin/retention',
          },
        ]
      : []),
  ];
}

function queueAlerts(queues: NonNullable<Facts['queues']>['queues']): Alert[] {
  const paused = queues.filter((queue) => queue.paused !== null).length;
  const dead = queues.reduce((sum, queue) => sum + queue.dead, 0);
  return [
    ...(paused > 0
      ? [
          {
            id: 'paused',
            text: plural(paused, { one: '# queue is paused.', other: '# queues are paused.' }),
            to: '/admin/queues',
          },
        ]
      : []),
    ...(dead > 0
      ? [
          {
            id: 'dead',
            text: plural(dead, {
              one: '# task failed and is not tried again.',
              other: '# tasks failed and are not tried again.',
            }),
            to: '/admin/queues',
          },
        ]
      : []),
  ];
}
