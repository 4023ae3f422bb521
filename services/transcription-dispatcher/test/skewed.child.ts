import { startWorker } from './workers.ts';

/** A worker on a host with a wrong clock; its transcription never ends. */
const [url = '', offset = ''] = process.argv.slice(2);
const clock = Date.now;
Date.now = () => clock() + Number(offset);
await startWorker({ nats: { url } }, { transcribe: () => new Promise(() => {}) }, { workerId: 'skewed' });
