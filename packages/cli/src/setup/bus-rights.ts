import { natsUsers } from '@overtone/contracts';
import { join } from 'node:path';
import type { DataFolder } from '../paths.ts';
import { readNatsRights, reloadNats, writeNatsConfig, type NatsRights } from '../servers/nats.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import type { Instance } from './instance.ts';
import { secretsIn } from './secrets.ts';

/** Writes the bus server's configuration: every user with exactly the permissions of this version. */
export function writeBusRights(folder: DataFolder, instance: Instance): boolean {
  return write(folder, instance, rightsNow());
}

/**
 * Gives a running bus the permissions of this version in addition to those of the previous one, while services of both
 * versions run. @returns whether this version needs new permissions.
 */
export async function widenBusRights(folder: DataFolder, instance: Instance): Promise<boolean> {
  const widened = write(folder, instance, together(rightsNow(), readNatsRights(folder.nats)));
  if (widened) await reload(folder);
  return widened;
}

/** Removes the permissions of the previous version, after all services run this version. */
export async function settleBusRights(folder: DataFolder, instance: Instance): Promise<void> {
  if (writeBusRights(folder, instance)) await reload(folder);
}

/** The permissions of two versions, for the current users only. */
export function together(now: NatsRights, before: NatsRights): NatsRights {
  const both = (left: readonly string[], right: readonly string[] = []) => [
    ...left,
    ...right.filter((subject) => !left.includes(subject)),
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

/** The bus permissions of each user in this version. */
function rightsNow(): NatsRights {
  return { ...natsUsers(), supervisor: { publish: ['>'], subscribe: ['>'] } };
}

function write(folder: DataFolder, instance: Instance, rights: NatsRights): boolean {
  const secrets = secretsIn(folder.secrets);
  const users = Object.entries(rights).map(([user, may]) => ({ user, ...may, password: secrets.read(`nats_${user}`) }));
  return writeNatsConfig({ folder: folder.nats, port: instance.ports['nats']!, users });
}

// A stopped server reads the file when it starts.
async function reload(folder: DataFolder): Promise<void> {
  const server = readLiveRuntime(folder)?.processes.find(({ name }) => name === 'nats');
  if (server !== undefined) await reloadNats(server.pid, join(folder.logs, 'nats.log'));
}
