import { natsUsers } from '@overtone/contracts';
import { join } from 'node:path';
import type { DataFolder } from '../paths.ts';
import { readNatsRights, reloadNats, writeNatsConfig, type NatsRights } from '../servers/nats.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import type { Instance } from './instance.ts';
import { secretsIn } from './secrets.ts';

/** What each user of the bus may say and hear in this version. */
const rightsNow = (): NatsRights => ({ ...natsUsers(), supervisor: { publish: ['>'], subscribe: ['>'] } });

/** Writes what the bus's server reads at its start: every user with exactly the rights of this version. */
export function writeBusRights(folder: DataFolder, instance: Instance): boolean {
  return write(folder, instance, rightsNow());
}

/**
 * While services of two versions run: gives a running bus the rights of this version beside those of the one before,
 * so that neither is refused anything. Says whether this version needs something new.
 */
export async function widenBusRights(folder: DataFolder, instance: Instance): Promise<boolean> {
  const widened = write(folder, instance, together(rightsNow(), readNatsRights(folder.nats)));
  if (widened) await reload(folder);
  return widened;
}

/** Once all services are of this version: takes back what only the one before needed. */
export async function settleBusRights(folder: DataFolder, instance: Instance): Promise<void> {
  if (writeBusRights(folder, instance)) await reload(folder);
}

/** Rights of two versions; only users that there are now. */
export function together(now: NatsRights, before: NatsRights): NatsRights {
  const both = (a: readonly string[], b: readonly string[] = []) => [
    ...a,
    ...b.filter((subject) => !a.includes(subject)),
  ];
  return Object.fromEntries(
    Object.entries(now).map(([user, { publish, subscribe, allowResponses = false }]) => [
      user,
      {
        publish: both(publish, before[user]?.publish),
        subscribe: both(subscribe, before[user]?.subscribe),
        allowResponses: allowResponses || (before[user]?.allowResponses ?? false),
      },
    ]),
  );
}

function write(folder: DataFolder, instance: Instance, rights: NatsRights): boolean {
  const secrets = secretsIn(folder.secrets);
  const users = Object.entries(rights).map(([user, may]) => ({ user, ...may, password: secrets.read(`nats_${user}`) }));
  return writeNatsConfig({ folder: folder.nats, port: instance.ports['nats']!, users });
}

// One that is not running just now reads the file when it starts.
async function reload(folder: DataFolder): Promise<void> {
  const server = readLiveRuntime(folder)?.processes.find(({ name }) => name === 'nats');
  if (server !== undefined) await reloadNats(server.pid, join(folder.logs, 'nats.log'));
}
