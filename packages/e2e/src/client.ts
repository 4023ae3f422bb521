import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { FileDetail, FileObject, SearchAnswer } from '@overtone/contracts';
import { until } from './until.ts';

export type Answer<T> = { status: number; headers: Headers; body: T; text: string };

/** An API client with a bearer token. */
export type Client = ReturnType<typeof clientOf>;

export function clientOf(baseUrl: string, token: string) {
  const call = async <T = unknown>(method: string, path: string, init: RequestInit = {}): Promise<Answer<T>> => {
    const headers = new Headers(init.headers);
    if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init, method, headers });
    const text = await response.text();
    const body = parse(text, response.headers.get('content-type') ?? '') as T;
    return { status: response.status, headers: response.headers, body, text };
  };
  const ok = async <T = unknown>(method: string, path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await call<T>(method, path, init);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.body;
  };
  const send = <T>(method: string, path: string, body: unknown) =>
    ok<T>(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

  const upload = async (path: string, fields: Record<string, string> = {}, name = basename(path)) => {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    form.set('file', await openAsBlob(path), name);
    return call<FileObject>('POST', '/api/files', { body: form });
  };
  const file = (uuid: string, query = '?segment_limit=5000') => ok<FileDetail>('GET', `/api/files/${uuid}${query}`);
  /** Waits until the file is completed; throws immediately when it fails. */
  const completed = async (uuid: string, limitMs = 280_000): Promise<FileDetail> => {
    const done = await until(
      `file ${uuid} completed`,
      async () => {
        const current = await file(uuid, '?segment_limit=0').catch(() => undefined);
        return current && ['completed', 'error', 'cancelled', 'quarantined'].includes(current.status) && current;
      },
      limitMs,
    );
    if (done.status !== 'completed') throw new Error(`file is ${done.status}: ${JSON.stringify(done.error)}`);
    return file(uuid);
  };
  const search = (query: string, mode = 'hybrid') =>
    ok<SearchAnswer>('GET', `/api/search?q=${encodeURIComponent(query)}&search_mode=${mode}`);
  return { token, call, ok, send, upload, file, completed, search };
}

/** Signs in over the API. */
export async function signIn(baseUrl: string, username: string, password: string): Promise<Client> {
  const answer = await fetch(`${baseUrl}/api/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ username, password }),
  });
  if (!answer.ok) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`);
  return clientOf(baseUrl, ((await answer.json()) as { access_token: string }).access_token);
}

function parse(text: string, type: string): unknown {
  return type.includes('json') && text ? (JSON.parse(text) as unknown) : text;
}
