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
let everybody: NatsConnection;

/** What the version before let media say and hear. */
const before = { publish: ['old.said'], subscribe: ['old.heard', '_INBOX.>'] };
const [added = ''] = natsUsers().media.publish.filter((subject) => subject.startsWith('evt.'));

const connectAs = async (user: string): Promise<NatsConnection> =>
  await connect({ port: instance.ports['nats']!, user, pass: secretsIn(folder.secrets).read(`nats_${user}`) });

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
    plan: { ...plan, servers: plan.servers.filter((s) => s.name === 'nats') },
    migrate: async () => await Promise.resolve('nothing to do'),
    progress: () => undefined,
    log: () => undefined,
  });
  await supervisor.start();
  [media, everybody] = await Promise.all([connectAs('media'), connectAs('supervisor')]);
});
afterEach(async () => {
  await Promise.all([media, everybody].map(async (nc) => await nc.close()));
  await supervisor.stop();
  rmSync(folder.root, { recursive: true });
});

/** The subjects on which media is allowed to publish. */
const publishedSubjects = async (subjects: readonly string[]): Promise<string[]> => {
  const received: string[] = [];
  const all = everybody.subscribe('>', { callback: (_error, { subject }) => void received.push(subject) });
  await everybody.flush();
  for (const subject of subjects) media.publish(subject);
  await media.flush(); // the bus has dealt with all of them
  await everybody.flush();
  all.unsubscribe();
  return received.filter((subject) => subjects.includes(subject));
};

describe('an update of a running bus', () => {
  it('gives open connections what is new beside what they had, and takes back at the end what only was', async () => {
    expect(await publishedSubjects([added, 'old.said'])).toEqual(['old.said']);
    const delivered: string[] = [];
    const ended = new Promise<Error>((resolve) => {
      const callback = (error: Error | null, { subject }: { subject: string }) =>
        error === null ? void delivered.push(subject) : resolve(error);
      media.subscribe('old.heard', { callback });
    });
    await media.flush();

    expect(await widenBusRights(folder, instance)).toBe(true);
    expect(await publishedSubjects([added, 'old.said'])).toEqual([added, 'old.said']);
    everybody.publish('old.heard');
    await everybody.flush();
    await media.flush();
    expect(delivered).toEqual(['old.heard']);
    expect(await widenBusRights(folder, instance)).toBe(false);

    await settleBusRights(folder, instance);
    expect(await publishedSubjects([added, 'old.said'])).toEqual([added]);
    expect((await ended).message).toMatch(/permissions violation/i);
    expect(readNatsRights(folder.nats)).toMatchObject(natsUsers());
  });

  it('receives an error when the bus denies a right', async () => {
    writeNatsConfig({ folder: folder.nats, port: instance.ports['nats']!, users: [] });
    const refused = { ...instance, ports: { ...instance.ports, nats: 1 } };
    await expect(widenBusRights(folder, refused)).rejects.toThrow('refuses its new configuration');
  });
});
