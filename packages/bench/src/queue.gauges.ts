import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile, type Row } from './bench.ts';
import type { QueueWorld } from './queue.world.ts';

const peerMain = fileURLToPath(new URL('gauges.peer.ts', import.meta.url));
const rounds = 300;
const limitMs = 3;

/**
 * Compares the gauges with the minimal operation, alternating in changing order. Often enough that many responses are not
 * cached, and more than one in a hundred.
 */
export async function gaugesRow(world: QueueWorld, waiting: number): Promise<Row> {
  const peer = await startPeer(world.nats);
  const [ours, bare] = [createScraper(world.base), createScraper(peer.base)];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2) await bare.scrape();
    const text = await ours.scrape();
    if (round % 2 === 0) await bare.scrape();
    if (!text.includes(`celery_queue_depth{queue="embedding"} ${waiting}`)) throw new Error(`wrong depth:\n${text}`);
    await sleep(50);
  }
  for (const end of [ours.close, bare.close, peer.stop]) end();
  const [mine, theirs] = [quantile(ours.taken, 0.99), quantile(bare.taken, 0.99)];
  console.error(
    `  half of them: ${quantile(ours.taken, 0.5).toFixed(2)} ms, bare ${quantile(bare.taken, 0.5).toFixed(2)} ms`,
  );
  return {
    name: `queue: gauges, ${waiting} waiting, p99`,
    ours: `${mine.toFixed(1)} ms`,
    peer: `bare ${theirs.toFixed(1)} ms`,
    ratio: mine / theirs,
    goal: `<= ${limitMs} ms`,
    met: mine <= limitMs,
  };
}

async function startPeer(nats: string) {
  const child = spawn(process.execPath, ['--no-warnings', peerMain, nats], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { base: `http://127.0.0.1:${port.toString().trim()}`, stop: () => child.kill('SIGTERM') };
}

/** A low-overhead scraper with a persistent connection. */
function createScraper(base: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const read = (): Promise<string> =>
    new Promise((resolve, reject) => {
      get(`${base}/metrics/queues`, { agent }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (part: string) => (text += part));
        res.once('end', () => resolve(text)).once('error', reject);
      }).once('error', reject);
    });
  const taken: number[] = [];
  return {
    taken,
    scrape: async (): Promise<string> => {
      const from = performance.now();
      const text = await read();
      taken.push(performance.now() - from);
      return text;
    },
    close: () => agent.destroy(),
  };
}
