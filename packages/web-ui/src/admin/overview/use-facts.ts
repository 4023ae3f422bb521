import { t } from '@lingui/core/macro';
import { queryOptions, useQueries, type UseQueryResult } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { methodsQuery } from '../../session/methods.ts';
import { enginesQuery } from '../engine-alert.tsx';
import { pendingApprovalsQuery } from '../approval-count.ts';
import { overviewQuery } from '../queues/queue-queries.ts';
import { statusQuery } from '../sync/sync-queries.ts';
import type { Facts } from './checks.ts';

const refetchInterval = 30_000;

const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call('GET /api/admin/models', { signal }),
  refetchInterval,
});
const superAdminsQuery = queryOptions({
  queryKey: ['users', 'super-admins'],
  queryFn: async ({ signal }) => {
    const query = { role: 'super_admin', is_active: true, page_size: 1 } as const;
    return (await call('GET /api/admin/users', { signal, query })).total;
  },
});
const storageQuery = queryOptions({
  queryKey: ['storage'],
  queryFn: ({ signal }) => call('GET /api/admin/storage', { signal }),
  refetchInterval,
});
const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => call('GET /api/health', { signal }),
  refetchInterval,
});
// Both test their destination, which writes a file there, so they are not polled.
const backupQuery = queryOptions({
  queryKey: ['backup', 'status', 'overview'],
  queryFn: ({ signal }) => call('GET /api/admin/backup/status', { signal }),
});
const mirrorQuery = queryOptions({
  queryKey: ['media-mirror', 'status', 'overview'],
  queryFn: ({ signal }) => call('GET /api/admin/media-mirror/status', { signal }),
});
const heldRulesQuery = queryOptions({
  queryKey: ['retention', 'runs', 'held'],
  queryFn: async ({ signal }) => {
    const { items } = await call('GET /api/admin/retention/runs', { signal, query: { page_size: 1 } });
    return items.flatMap(({ rules }) => rules).filter(({ status }) => status === 'held').length;
  },
  refetchInterval,
});

type Failure = { readonly name: string; readonly error: unknown };

/** Reads what the pages of the administration know, each part on its own: one that fails is named and hides no other. */
export function useFacts(isSuper: boolean): { facts: Facts; failures: Failure[]; isPending: boolean } {
  const enabled = isSuper;
  const [models, engines, superAdmins, queues, storage, health, methods, approvals, backup, mirror, sync, heldRules] =
    useQueries({
      queries: [
        modelsQuery,
        enginesQuery,
        superAdminsQuery,
        { ...overviewQuery, refetchInterval },
        storageQuery,
        healthQuery,
        methodsQuery,
        pendingApprovalsQuery,
        { ...backupQuery, enabled },
        { ...mirrorQuery, enabled },
        { ...statusQuery, enabled },
        { ...heldRulesQuery, enabled },
      ],
    });
  const named: readonly (readonly [string, UseQueryResult])[] = [
    [t`speech models`, models],
    [t`speech engines`, engines],
    [t`administrators`, superAdmins],
    [t`queues`, queues],
    [t`disk`, storage],
    [t`health`, health],
    [t`sign-in`, methods],
    [t`approvals`, approvals],
    [t`backups`, backup],
    [t`media mirror`, mirror],
    [t`directory sync`, sync],
    [t`retention`, heldRules],
  ];
  return {
    facts: {
      ...known('models', models.data),
      ...known('engines', engines.data?.workers),
      ...known('superAdmins', superAdmins.data),
      ...known('queues', queues.data),
      ...known('storage', storage.data),
      ...known('health', health.data?.status),
      ...known('approvals', approvals.data),
      // Only a super administrator can set these up.
      ...(isSuper ? known('methods', methods.data) : {}),
      ...known('backup', backup.data),
      ...known('mirror', mirror.data),
      ...known('sync', sync.data?.last_result),
      ...known('heldRules', heldRules.data),
    },
    failures: named.flatMap(([name, { error }]) => (error === null ? [] : [{ name, error }])),
    isPending: named.some(([, { isLoading }]) => isLoading),
  };
}

function known<K extends keyof Facts>(key: K, value: Facts[K]): Pick<Facts, K> | object {
  return value === undefined ? {} : { [key]: value };
}
