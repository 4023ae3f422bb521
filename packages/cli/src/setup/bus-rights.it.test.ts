import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { natsUsers } from '@overtone/contracts';
import { connect, type NatsConnection } from 'nats';
import { dataFolder, type DataFolder } from '../paths.ts';
import { readNatsRights, writeNatsConfig } from '../servers/nats.ts';
import { freePorts } from '../servers/ports.ts';
import { planInstance } from '../supervisor/plan.ts';
import { sourceOf } from '../supervisor/run-instance.ts';
import { createSupervisor, type Supervisor } from '../supervisor/supervisor.ts';
import { settleBusRights, widenBusRights } from './bus-rights.ts';
import type { Instance } from './instance.ts';
import { secretsIn } from './secrets.ts';
import { setUp } from './set-up.ts';

let folder: DataFolder;
let instance: Instance;
let supervisor: Supervisor;
let media: NatsConnection;
let observer: NatsConnection;

/** The permissions of media in the previous version. */
const before = { publish: ['old.published'], subscribe: ['old.subscribed', '_INBOX.>'] };
const [added = ''] = natsUsers().media.publish.filter((subject) => subject.startsWith('evt.'));

async function connectAs(user: string): Promise<NatsConnection> {
  return await connect({ port: instance.ports['nats']!, user, pass: secretsIn(folder.secrets).read(`nats_${user}`) });
}

beforeEach(async () => {
  folder = dataFolder(mkdtempSync(join(tmpdir(), 'overtone-bus-')));
  const [port] = await freePorts(1);
  instance = await setUp(folder, port);
  const password = (user: string) => secretsIn(folder.secrets).read(`nats_${user}`);
  const users = Object.entries({ ...readNatsRights(folder.nats), media: before });
  writeNatsConfig({
    folder: folder.nats,
    port: instance.ports['nats']!,
    users: users.map(([user, may]) => ({ user, ...may, password: password(user) })),
  });
  const plan = planInstance(sourceOf(folder, instance), []);
  supervisor = createSupervisor({
    folder,
    plan: { ...plan, servers: plan.servers.filter((server) => server.name === 'nats') },
    migrate: async () => await Promise.resolve('nothing to do'),
    progress: () => undefined,
    log: () => undefined,
  });
  await supervisor.start();
  [media, observer] = await Promise.all([connectAs('media'), connectAs('supervisor')]);
});
afterEach(async () => {
  await Promise.all([media, observer].map(async (nc) => await nc.close()));
  await supervisor.stop();
  rmSync(folder.root, { recursive: true });
});

/** The subjects on which media may publish. */
async function publishedSubjects(subjects: readonly string[]): Promise<string[]> {
  const received: string[] = [];
  const all = observer.subscribe('>', { callback: (_error, { subject }) => void received.push(subject) });
  await observer.flush();
  for (const subject of subjects) media.publish(subject);
  await media.flush(); // all messages are processed by the bus
  await observer.flush();
  all.unsubscribe();
  return received.filter((subject) => subjects.includes(subject));
}

describe('an update of a running bus', () => {
  it('adds new permissions to open connections, and removes obsolete ones at the end', async () => {
    expect(await publishedSubjects([added, 'old.published'])).toEqual(['old.published']);
    const delivered: string[] = [];
    const ended = new Promise<Error>((resolve) => {
      const callback = (error: Error | null, { subject }: { subject: string }) =>
        error === null ? void delivered.push(subject) : resolve(error);
      media.subscribe('old.subscribed', { callback });
    });
    await media.flush();

    expect(await widenBusRights(folder, instance)).toBe(true);
    expect(await publishedSubjects([added, 'old.published'])).toEqual([added, 'old.published']);
    observer.publish('old.subscribed');
    await observer.flush();
    await media.flush();
    expect(delivered).toEqual(['old.subscribed']);
    expect(await widenBusRights(folder, instance)).toBe(false);

    await settleBusRights(folder, instance);
    expect(await publishedSubjects([added, 'old.published'])).toEqual([added]);
    expect((await ended).message).toMatch(/permissions violation/i);
    expect(readNatsRights(folder.nats)).toMatchObject(natsUsers());
  });

  it('receives an error when the bus denies a right', async () => {
    writeNatsConfig({ folder: folder.nats, port: instance.ports['nats']!, users: [] });
    const refused = { ...instance, ports: { ...instance.ports, nats: 1 } };
    await expect(widenBusRights(folder, refused)).rejects.toThrow('refuses its new configuration');
  });
});
