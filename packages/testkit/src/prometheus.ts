import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, freePort } from '@overtone/cli/servers';
import { start, type TestServer } from './servers.ts';

/** A real Prometheus that scrapes what its configuration names. */
export type Prometheus = {
  /** Its HTTP API: the `data` of an answer. @throws when it says that the question is wrong. */
  readonly ask: <T>(path: string, parameters?: Readonly<Record<string, string>>) => Promise<T>;
} & TestServer;

type Answer = { status: 'success'; data: unknown } | { status: 'error'; error: string };

/** Starts one on loopback. `configuration`: its file, as YAML or JSON (which is YAML, too). */
export async function startPrometheus(configuration: string): Promise<Prometheus> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await start(
    (folder) => ({
      name: 'prometheus',
      command: findProgram('prometheus') ?? 'prometheus',
      args: [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      env: { PATH: process.env['PATH'] ?? '' },
      stopSignal: 'SIGTERM',
      prepare: () => writeFile(join(folder, 'prometheus.yml'), configuration),
      probe: () =>
        fetch(`${url}/-/ready`).then(
          (answer) => answer.ok,
          () => false,
        ),
    }),
    { port, url },
  );
  const ask = async <T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> => {
    const query = new URLSearchParams(parameters).toString();
    const answer = (await (await fetch(`${url}/api/v1/${path}?${query}`)).json()) as Answer;
    if (answer.status === 'error') throw new Error(`${path} ${query}: ${answer.error}`);
    return answer.data as T;
  };
  return { ...server, ask };
}
