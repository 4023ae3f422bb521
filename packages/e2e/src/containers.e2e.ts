import assert from 'node:assert/strict';
import { serviceNames, type FileDetail } from '@overtone/contracts';
import type { Recording } from '@overtone/testkit/recordings';
import { signIn, type Client } from './client.ts';
import type { Stack } from './containers/stack.ts';
import type { Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

type Given = {
  stack: Stack;
  recordings: Record<'first' | 'second', () => Promise<Recording>>;
};
type Rules = { rules: { name: string; health: string }[] }[];

const hour = 3_600_000;
const jobMs = 600_000;
const servers = ['postgres', 'nats', 'redis', 'objects', 'elasticsearch'];
const all = [...serviceNames, ...servers];
/** One port of the host is published: a second edge would need another. */
const scalable = serviceNames.filter((name) => name !== 'edge-gateway');

/** compose.yaml in real containers, from images that deploy/Dockerfile builds: `./overtone test containers`. */
export function containers({ stack, recordings }: Given): Suite {
  let api: Client;
  let first: FileDetail;

  const signedIn = async () => {
    const { OT_ADMIN_EMAIL: email = '', OT_ADMIN_PASSWORD: password = '' } = stack.settings();
    return await until('the administrator signs in', () => signIn(stack.address(), email, password), jobMs, 2_000);
  };
  const found = (word: string, uuid: string) =>
    until(
      `a search for ${word} finds the file`,
      async () => (await api.search(word, 'keyword')).results.some(({ file_uuid: file }) => file === uuid),
      jobMs,
      2_000,
    );
  const upload = async (recording: Recording) => {
    const sent = await api.upload(recording.path);
    assert.equal(sent.status, 201, sent.text);
    return await api.completed(sent.body.uuid, jobMs);
  };
  /** What must not be lost. */
  const assertKept = async () => {
    api = await signedIn();
    const now = await until('the file is read', () => api.file(first.uuid), jobMs, 2_000);
    assert.deepEqual(now.transcript_segments, first.transcript_segments);
    const content = await api.call('GET', `/api/files/${first.uuid}/content`, { headers: { range: 'bytes=0-99' } });
    assert.equal(content.status, 206);
    await found('windows', first.uuid);
  };
  const inTools = (...args: string[]) =>
    stack.compose(['run', '--rm', '--no-TTY', 'tools', ...args], { limitMs: jobMs });

  return {
    name: 'Containers',
    checks: [
      {
        rule: 'deploy/Dockerfile builds the image of each service',
        limitMs: 2 * hour,
        run: async (log) => await stack.prepare(log),
      },
      {
        rule: 'compose.yaml starts: the migration ends with 0, every other container becomes healthy',
        limitMs: hour,
        run: async (log) => {
          const startedAt = performance.now();
          await stack.start();
          const running = await stack.healthy();
          assert.deepEqual(
            running
              .map(({ Service }) => Service)
              .filter((name) => name !== 'migrate')
              .sort(),
            all.toSorted(),
          );
          assert.equal(running.find(({ Service }) => Service === 'migrate')?.ExitCode, 0);
          log(
            `${running.length - 1} containers healthy after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
          );
        },
      },
      {
        rule: 'services run as user 1000 of group 999, nothing has a capability, only Elasticsearch a root file system to write to',
        run: async () => {
          for (const { Service, Name } of await stack.containers()) {
            const { Config, HostConfig } = await stack.inspect(Name);
            assert.deepEqual(
              [Service, HostConfig.CapDrop, HostConfig.SecurityOpt, HostConfig.ReadonlyRootfs],
              [Service, ['ALL'], ['no-new-privileges:true'], Service !== 'elasticsearch'],
            );
            if (!servers.includes(Service)) assert.deepEqual([Service, Config.User], [Service, '1000:999']);
            const published = Object.values(HostConfig.PortBindings ?? {}).flat();
            assert.deepEqual(
              [Service, published.map(({ HostIp }) => HostIp)],
              [Service, Service === 'edge-gateway' ? ['127.0.0.1'] : []],
            );
          }
          for (const service of serviceNames) {
            const write = 'touch /app/x 2>/dev/null || touch /x 2>/dev/null || { touch /tmp/x && id -u && id -g; }';
            const output = await stack.compose(['exec', '--no-TTY', service, 'sh', '-c', write]);
            assert.deepEqual([service, output.trim().split(/\s+/)], [service, ['1000', '999']]);
          }
        },
      },
      {
        rule: 'an uploaded recording is transcribed, and a search finds it',
        limitMs: hour,
        run: async (log) => {
          api = await signedIn();
          const startedAt = performance.now();
          const recording = await recordings.first();
          first = await upload(recording);
          await found('windows', first.uuid);
          const seconds = (performance.now() - startedAt) / 1000;
          log(`${recording.duration.toFixed(0)} s of speech transcribed and found in ${seconds.toFixed(0)} s`);
        },
      },
      {
        rule: 'a restore with the tools brings back what the backup had, and nothing newer',
        limitMs: hour,
        run: async (log) => {
          const startedAt = performance.now();
          const name = /^ +(\S+\.dump)$/m.exec(await inTools('backup'))?.[1];
          assert.ok(name, 'the backup names its file');
          const backedUp = performance.now();
          const newer = await upload(await recordings.second());
          await stack.compose(['stop', ...serviceNames]);
          await inTools('restore', name, '--yes');
          await stack.compose(['up', '--detach', '--no-build']);
          await stack.healthy();
          await assertKept();
          assert.equal((await api.call('GET', `/api/files/${newer.uuid}`)).status, 404);
          log(`backup ${((backedUp - startedAt) / 1000).toFixed(0)} s`);
        },
      },
      {
        rule: 'stop and start lose nothing',
        limitMs: hour,
        run: async (log) => {
          const startedAt = performance.now();
          await stack.compose(['stop']);
          const stopped = performance.now();
          // NATS and Java report the signal by their codes; 137 is that of a container that had to be killed.
          const ended = (await stack.containers()).filter(({ Service, ExitCode }) =>
            servers.includes(Service) ? ExitCode === 137 : ExitCode !== 0,
          );
          assert.deepEqual(
            ended.map(({ Name, ExitCode }) => [Name, ExitCode]),
            [],
          );
          await stack.compose(['up', '--detach', '--no-build']);
          await stack.healthy();
          await assertKept();
          const [stop, start] = [stopped - startedAt, performance.now() - stopped].map((ms) => (ms / 1000).toFixed(0));
          log(`stopped in ${stop} s, serving again after ${start} s`);
        },
      },
      {
        rule: 'two of each service share the work',
        limitMs: hour,
        run: async () => {
          await stack.compose([
            'up',
            '--detach',
            '--no-build',
            ...scalable.flatMap((name) => ['--scale', `${name}=2`]),
          ]);
          const running = await stack.healthy();
          for (const service of scalable)
            assert.deepEqual([service, running.filter(({ Service }) => Service === service).length], [service, 2]);
          const second = await upload(await recordings.second());
          await found('onions', second.uuid);
          await assertKept();
          await stack.compose(['up', '--detach', '--no-build']);
        },
      },
      {
        rule: 'the monitoring profile loads every rule, and reads the metrics of each service',
        limitMs: hour,
        run: async (log) => {
          await stack.compose(['--profile', 'monitoring', 'up', '--detach', '--no-build', 'prometheus']);
          const ask = async <T>(path: string) => {
            const wget = ['wget', '-q', '-O', '-', `http://127.0.0.1:9090/api/v1/${path}`];
            const output = await stack.compose(['exec', '--no-TTY', 'prometheus', ...wget]);
            return (JSON.parse(output) as { data: T }).data;
          };
          await until(
            'each service is read',
            async () => {
              const { activeTargets } = await ask<{ activeTargets: { health: string; labels: { service: string } }[] }>(
                'targets',
              );
              const up = activeTargets.filter(({ health }) => health === 'up').map(({ labels }) => labels.service);
              return serviceNames.every((service) => up.includes(service));
            },
            jobLimitMs * 2,
            2_000,
          );
          const { groups } = await ask<{ groups: Rules }>('rules');
          const rules = groups.flatMap((group) => group.rules);
          assert.ok(rules.length > 0);
          assert.deepEqual(
            rules.filter(({ health }) => health === 'err'),
            [],
          );
          log(`${groups.length} groups, ${rules.length} rules`);
          log('not run: grafana, otel-collector, ./overtone update in containers');
        },
      },
    ],
  };
}
