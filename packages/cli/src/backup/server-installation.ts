import { BackupError, withClient } from '@overtone/backup';
import { topology } from '@overtone/contracts';
import { databaseRoles } from '@overtone/database/migrate';
import { objectStoreEnv } from '@overtone/object-store';
import { readEnv } from '@overtone/service-kit/env';
import { z } from 'zod';
import { Refusal } from '../refusal.ts';
import type { Installation, PlannedRestore } from './installation.ts';
import { serverState } from './server-state.ts';

const serversEnv = {
  /** Of the owner of the database, who may create databases and roles. */
  DATABASE_URL: z.url(),
  ENCRYPTION_KEY: z.string().min(1),
  OT_BACKUP_PLACE: z.string().min(1).optional(),
};
type Source = Record<string, string | undefined>;

/** The servers that the environment names, as in a container. @returns undefined without DATABASE_URL. */
export function openServers(source: Source): Installation | undefined {
  if (!source['DATABASE_URL'] && !source['DATABASE_URL_FILE']) return undefined;
  const env = readServers(source);
  const urlOf = (database: string): string => {
    const url = new URL(env.DATABASE_URL);
    url.pathname = `/${database}`;
    return url.href;
  };
  const database = decodeURIComponent(new URL(env.DATABASE_URL).pathname.slice(1));
  const commands = 'KUBERNETES_SERVICE_HOST' in source ? kubernetesCommands : composeCommands;
  const withLock = async <T>(work: () => Promise<T>): Promise<T> => await withDatabaseLock(urlOf('postgres'), work);
  return {
    database,
    backupsPlace: () => {
      if (env.OT_BACKUP_PLACE !== undefined) return env.OT_BACKUP_PLACE;
      throw new Refusal('Name the place of the backups in OT_BACKUP_PLACE: a folder or s3://bucket/prefix.');
    },
    encryptionKey: () => env.ENCRYPTION_KEY,
    keyPlace: 'ENCRYPTION_KEY',
    objectStore: () => readEnv(objectStoreEnv, source),
    withServer: async (work) => await withLock(async () => await work(urlOf)),
    withServicesStopped: async (work) =>
      await withLock(async () => {
        await requireStopped(urlOf('postgres'), database, commands.stop);
        return await work(urlOf);
      }),
    checkRestore: async ({ keys }: PlannedRestore) => {
      if (keys !== env.ENCRYPTION_KEY) throw keysNotSet();
      await requireStopped(urlOf('postgres'), database, commands.stop);
      await serverState(source).check();
    },
    prepareSwap: async (_keys, terminal) => {
      const state = serverState(source);
      await state.clear();
      if (!state.hasIndex) terminal.warn('ELASTICSEARCH_URL is not set: reindex under Administration > Search');
    },
    recordVersion: () => undefined,
    startCommands: commands.start,
  };
}

function readServers(source: Source) {
  try {
    return readEnv(serversEnv, source);
  } catch (cause) {
    throw new Refusal(
      'Backups and restores of servers need DATABASE_URL of the owner of the database, and ENCRYPTION_KEY (or their _FILE).',
      { cause },
    );
  }
}

const composeCommands = {
  stop: [`docker compose stop ${Object.keys(topology).join(' ')}`],
  start: ['docker compose up --detach'],
};
const kubernetesCommands = {
  stop: [
    'kubectl --namespace overtone annotate scaledobject --all autoscaling.keda.sh/paused-replicas=0',
    'kubectl --namespace overtone scale deployment --all --replicas=0',
  ],
  start: [
    'kubectl --namespace overtone delete job migrate --ignore-not-found',
    'kubectl apply -k k8s/overlays/production',
    'kubectl --namespace overtone annotate scaledobject --all autoscaling.keda.sh/paused-replicas-',
  ],
};

/** A container cannot change its own variables. */
function keysNotSet(): Refusal {
  return new Refusal(
    'This backup contains secrets of another ENCRYPTION_KEY. Nothing was touched. Set ENCRYPTION_KEY to the present key, a ' +
      'comma and the keys of the backup (age --decrypt NAME.keys.age prints them), for the services and for this command, ' +
      'and restore again. (keys_missing)',
  );
}

/** Other commands wait, on whatever machine they run; the lock ends with the connection. */
async function withDatabaseLock<T>(adminUrl: string, work: () => Promise<T>): Promise<T> {
  return await withClient(adminUrl, async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('overtone backup and restore'))`);
    return await work();
  });
}

/** The services are stopped by the operator: nothing in a container may stop other containers. */
async function requireStopped(adminUrl: string, database: string, stop: readonly string[]): Promise<void> {
  const rows = await withClient(adminUrl, async (client) => {
    const found = await client.query<{ role: string; count: number }>(
      `select usename as role, count(*)::int as count from pg_stat_activity
       where datname = $1 and usename = any($2) group by 1 order by 1`,
      [database, databaseRoles],
    );
    return found.rows;
  });
  if (rows.length === 0) return;
  throw new BackupError(
    'services_running',
    `Services use the database ${database} (connections: ${rows.map(({ role, count }) => `${role} ${count}`).join(', ')}). ` +
      `Nothing was touched. Stop them, then restore again:\n${stop.map((line) => `  ${line}`).join('\n')}\n`,
  );
}
