import { startWorker } from './workers.ts';

/** A worker on a host whose clock is off; what it transcribes never ends. */
const [url = '', off = ''] = process.argv.slice(2);
const clock = Date.now;
Date.now = () => clock() + Number(off);
await startWorker({ nats: { url } }, { transcribe: () => new Promise(() => {}) }, { workerId: 'skewed' });
