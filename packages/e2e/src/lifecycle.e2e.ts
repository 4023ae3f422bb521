import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { searchEvents } from '@overtone/contracts';
import { signIn } from './client.ts';
import type { Context } from './context.ts';
import { admin, createInstance, overtone } from './instance.ts';
import { isAlive, processesOf } from './processes.ts';
import { uploadWithRetry } from './scripted.ts';
import type { Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

export function lifecycle({ instance, recordings }: Context): Suite {
  return {
    name: 'Up and down',
    checks: [
      {
        rule: 'status reports address, version, profile and every service',
        run: async () => {
          const status = await instance.status();
          assert.equal(status.base_url, instance.baseUrl);
          assert.match(status.version, /^\d+\.\d+\.\d+/);
          assert.equal(status.profile, 'embedded');
          const missing = [
            'identity',
            'media',
            'transcription-dispatcher',
            'transcription-worker',
            'search-indexer',
            'operations',
            'insights',
            'realtime-gateway',
            'edge-gateway',
          ].filter(
            (name) => !status.services.some((service) => service.name === name && service.ready && service.pid > 0),
          );
          assert.deepEqual(missing, []);
        },
      },
      {
        rule: 'a second up on the same data folder reports that it is already running',
        run: async () => {
          const second = await instance.up();
          assert.match(second.output, /already running|running already/i);
        },
      },
      {
        rule: 'a port in use is reported in one sentence with exit code 1',
        run: async () => {
          const other = await createInstance();
          try {
            const ran = await overtone(['up', '--data', other.data, '--port', String(instance.port), '--detach']);
            assert.equal(ran.code, 1, ran.output);
            assert.match(ran.output, new RegExp(`port ${instance.port}\\b`, 'i'));
            assert.doesNotMatch(ran.output, /^\s+at /m, 'the output contains a stack trace');
          } finally {
            await other.remove();
          }
        },
      },
      {
        rule: 'metrics and readiness are not on the public listener',
        run: async () => {
          for (const path of ['/metrics', '/health', '/health/ready']) {
            assert.equal((await fetch(instance.baseUrl + path)).status, 404, path);
          }
        },
      },
      {
        rule: 'a restart after an update migrates the database and the bus permissions before it starts the services',
        isNightly: true,
        limitMs: 900_000,
        run: async (log) => {
          const file = join(instance.data, 'nats', 'nats.conf');
          const permissions = await readFile(file, 'utf8');
          // The permissions of a version whose search indexer published another event.
          const before = permissions.replaceAll(
            `"${searchEvents.fileIndexed.subject}"`,
            '"evt.search.file.forgotten.v1"',
          );
          assert.notEqual(before, permissions);
          await writeFile(file, before);
          const pids = (await instance.status()).services.map(({ pid }) => pid);
          const ran = await overtone(['restart', '--data', instance.data], {}, 840_000);
          assert.equal(ran.code, 0, ran.output);
          log(`all services restarted in ${ran.seconds.toFixed(1)} s`);
          assert.match(
            ran.output,
            /bus: rights of this version\n.*database: schema is at v\d+\n(.* (is|are) ready again .*\n)+$/,
          );
          assert.equal(await readFile(file, 'utf8'), permissions);
          const left = (await instance.status()).services.filter(
            (service) => !service.ready || pids.includes(service.pid),
          );
          assert.deepEqual(left, []);
        },
      },
      {
        rule: 'down leaves no running process',
        isNightly: true,
        run: async () => {
          const before = processesOf(instance.data);
          assert.ok(before.length >= 10, `only ${before.length} processes before`);
          const ran = await instance.down();
          assert.equal(ran.code, 0, ran.output);
          const left = before.filter((living) => isAlive(living.pid));
          assert.deepEqual(left, []);
        },
      },
      {
        rule: 'a second start uses the stored data',
        isNightly: true,
        run: async (log) => {
          const ran = await instance.up({});
          assert.equal(ran.code, 0, ran.output);
          log(`warm up in ${ran.seconds.toFixed(1)} s`);
        },
      },
      {
        rule: 'after kill -9 of the supervisor the services keep running, and a new supervisor takes over automatically',
        isNightly: true,
        run: async (log) => {
          const supervisors = () =>
            processesOf(instance.data).filter((living) => /^\S*node\b.*supervisor\.main\.ts/.test(living.command));
          const [before] = supervisors();
          assert.ok(before, 'no supervisor runs');
          const pids = (await instance.status()).services.map(({ pid }) => pid);
          process.kill(before.pid, 'SIGKILL');
          const killedAt = Date.now();
          const health = async () => (await fetch(`${instance.baseUrl}/api/version`)).status;
          await until(
            'a new supervisor has taken over',
            async () => {
              assert.equal(await health(), 200, 'the edge stopped');
              const status = await instance.status();
              return supervisors().some((supervisor) => supervisor.pid !== before.pid) && status.services.length > 0;
            },
            jobLimitMs,
          );
          log(`taken over in ${((Date.now() - killedAt) / 1000).toFixed(1)} s`);
          assert.deepEqual(
            (await instance.status()).services.map(({ pid }) => pid),
            pids,
          );
          // The new supervisor restarts an exited service.
          const [, victim] = pids;
          process.kill(victim!, 'SIGKILL');
          await until(
            'the service is restarted',
            async () => {
              const { services } = await instance.status();
              return services.every(({ ready }) => ready) && !services.some((service) => service.pid === victim);
            },
            jobLimitMs,
          );
        },
      },
      {
        rule: 'after kill -9 of guardian and supervisor, up restarts everything with the stored data',
        isNightly: true,
        run: async () => {
          const before = await signIn(instance.baseUrl, admin.email, admin.password);
          const stored = await uploadWithRetry(before, recordings.brief.path);
          const running = processesOf(instance.data);
          const services = (await instance.status()).services.map(({ pid }) => pid);
          const guards = running.filter((living) => /guardian\.sh|supervisor\.main\.ts/.test(living.command));
          assert.equal(guards.length, 2, 'guardian and supervisor are running');
          for (const { pid } of guards) process.kill(pid, 'SIGKILL');
          await until('both are dead', async () => guards.every(({ pid }) => !isAlive(pid)), jobLimitMs);
          const ran = await instance.up();
          assert.equal(ran.code, 0, ran.output);
          const api = await signIn(instance.baseUrl, admin.email, admin.password);
          await api.ok('GET', `/api/files/${stored}`);
          const restarted = (await instance.status()).services;
          const leftover = processesOf(instance.data).filter((living) => services.includes(living.pid));
          assert.deepEqual(leftover, [], 'processes of the killed supervisor are still running');
          assert.ok(restarted.every(({ ready }) => ready));
        },
      },
    ],
  };
}
