import type { Role } from '@overtone/contracts';

type TestUser = { userId: string; role: Role };
type Call = (person: TestUser | null, method: string, path: string, init?: RequestInit) => Promise<Response>;

export const tusVersion = { 'tus-resumable': '1.0.0' };
export const tusChunkType = { 'content-type': 'application/offset+octet-stream' };

/** A client of resumable uploads. */
export function createTusClient(call: Call) {
  const begin = (person: TestUser, size: number, fields: Record<string, string> = { filename: 'talk.wav' }) => {
    const metadata = Object.entries(fields).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
    const upload = { 'upload-length': String(size), 'upload-metadata': metadata.join(',') };
    return call(person, 'POST', '/api/files/tus', { headers: { ...tusVersion, ...upload } });
  };
  return {
    begin,
    /** @returns the path of the upload. */
    create: async (person: TestUser, size: number): Promise<string> =>
      (await begin(person, size)).headers.get('location') ?? '',
    send: (person: TestUser, path: string, offset: number, bytes: Buffer) => {
      const headers = { ...tusVersion, ...tusChunkType, 'upload-offset': String(offset) };
      return call(person, 'PATCH', path, { headers, body: new Uint8Array(bytes) });
    },
    offset: async (person: TestUser, path: string): Promise<number> =>
      Number((await call(person, 'HEAD', path, { headers: tusVersion })).headers.get('upload-offset')),
    cancel: (person: TestUser, path: string) => call(person, 'DELETE', path, { headers: tusVersion }),
  };
}

/** The id of an upload and of its file. */
export function idOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}
