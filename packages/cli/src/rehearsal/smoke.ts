import { setTimeout as sleep } from 'node:timers/promises';
import type { FileDetail, FileObject, SearchAnswer } from '@overtone/contracts';
import { messageOf } from '../refusal.ts';

/** An account that the rehearsal may use, and one of its recordings; undefined when it has none. */
export type SmokeAccount = { email: string; password: string; recording: string | undefined };

const indexedWithinMs = 120_000;
const finishedWithinMs = 180_000;

/** Uses the product as its users do, over HTTP. @returns what worked, one line each. @throws Error at the first failure. */
export async function runSmokeChecks(baseUrl: string, account: SmokeAccount): Promise<string[]> {
  const token = await signIn(baseUrl, account);
  const get = async <T>(path: string): Promise<T> => await send<T>(baseUrl, path, token, {});
  const lines = [`signed in as ${account.email}`];
  if (account.recording === undefined) lines.push('there is no finished recording to read and find');
  else lines.push(...(await readAndFind(get, account.recording)));
  lines.push(await uploadAndFinish(baseUrl, token, get));
  return lines;
}

type Get = <T>(path: string) => Promise<T>;

async function readAndFind(get: Get, recording: string): Promise<string[]> {
  const file = await get<FileDetail>(`/api/files/${recording}?segment_limit=50`);
  const text = file.transcript_segments.map((segment) => segment.text).join(' ');
  const [word] = (text.match(/\p{L}{4,}/gu) ?? []).toSorted((left, right) => right.length - left.length);
  if (word === undefined) return [`read the transcript of "${file.title}" (no word to search for)`];
  await waitFor(`"${word}" is found in "${file.title}"`, indexedWithinMs, async () => {
    const { results } = await get<SearchAnswer>(`/api/search?q=${encodeURIComponent(word)}&search_mode=keyword`);
    return results.length > 0;
  });
  return [`read the transcript of "${file.title}" (${file.total_segments} segments)`, `found "${word}" by search`];
}

async function uploadAndFinish(baseUrl: string, token: string, get: Get): Promise<string> {
  const form = new FormData();
  form.set('allow_duplicate', 'true');
  form.set('file', new Blob([tone()], { type: 'audio/wav' }), 'rehearsal.wav');
  const { uuid } = await send<FileObject>(baseUrl, '/api/files', token, { method: 'POST', body: form });
  let file: FileObject | undefined;
  await waitFor('a new recording is finished', finishedWithinMs, async () => {
    file = await get<FileObject>(`/api/files/${uuid}`);
    return ['completed', 'error', 'quarantined'].includes(file.status);
  });
  if (file?.status !== 'completed') throw new Error(`a new recording failed: ${JSON.stringify(file?.error)}`);
  return 'uploaded a recording, which was finished';
}

async function signIn(baseUrl: string, { email, password }: SmokeAccount): Promise<string> {
  const body = new URLSearchParams({ username: email, password });
  const answer = await send<{ access_token: string }>(baseUrl, '/api/auth/token', undefined, { method: 'POST', body });
  return answer.access_token;
}

async function send<T>(baseUrl: string, path: string, token: string | undefined, init: RequestInit): Promise<T> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
  if (response.ok) return (await response.json()) as T;
  throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${(await response.text()).slice(0, 300)}`);
}

async function waitFor(what: string, limitMs: number, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + limitMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      if (await isDone()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(500);
  }
  throw new Error(`${what}: not within ${limitMs / 1000} s${last === undefined ? '' : ` (${messageOf(last)})`}`);
}

/** Two seconds of a tone as WAV: 16 kHz, mono, 16 bit. */
function tone(): Uint8Array<ArrayBuffer> {
  const rate = 16_000;
  const samples = Int16Array.from({ length: 2 * rate }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / rate));
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return new Uint8Array([...header, ...new Uint8Array(samples.buffer)]);
}
