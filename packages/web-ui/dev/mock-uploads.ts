import { randomUUID } from 'node:crypto';
import { Refusal, type Context, type MockRoute } from './mock-kit.ts';
import { files, socket } from './mock-library.ts';
import { makeFile } from './sample.ts';

const uploads = new Map<string, { size: number; offset: number; title: string; anyway: boolean }>();

const tus = ({ request, response, parts, body }: Context): null => {
  const id = parts[3];
  const upload = id === undefined ? undefined : uploads.get(id);
  response.setHeader('tus-resumable', '1.0.0');
  if (request.method === 'POST') {
    const made = randomUUID();
    const meta = Object.fromEntries(
      String(request.headers['upload-metadata'])
        .split(',')
        .map((pair) => pair.split(' ') as [string, string]),
    );
    const title = Buffer.from(meta['title'] ?? meta['filename'] ?? '', 'base64').toString();
    uploads.set(made, {
      size: Number(request.headers['upload-length']),
      offset: 0,
      title,
      anyway: 'allow_duplicate' in meta,
    });
    response.writeHead(201, { location: `/api/files/tus/${made}` });
  } else if (!upload) throw new Refusal(404, 'not_found', 'There is no such upload.');
  else if (request.method === 'HEAD')
    response.writeHead(200, {
      'upload-offset': upload.offset,
      'upload-length': upload.size,
      'cache-control': 'no-store',
    });
  else if (request.method === 'PATCH') {
    upload.offset += body.length;
    response.setHeader('upload-offset', upload.offset);
    if (upload.offset >= upload.size) {
      const same = files.find((f) => f.title === upload.title);
      if (same && !upload.anyway)
        throw new Refusal(422, 'duplicate_file', 'You have this recording already.', {
          duplicate_file_uuid: same.uuid,
        });
      const file = makeFile(upload.title, 'uploaded', 0, {
        uuid: id as string,
        display_status: 'Waiting for its turn',
      });
      files.unshift(file);
      socket.push({ type: 'file_created', seq: socket.nextSeq(), data: { file_id: file.uuid } });
    }
    response.writeHead(204);
  } else {
    uploads.delete(id as string);
    response.writeHead(204);
  }
  response.end();
  return null;
};

/** Resumable uploads; the received bytes are counted and discarded. */
export const uploadsMock: readonly MockRoute[] = [
  ['GET', /^\/api\/files\/upload-limits$/, () => ({ max_bytes: 17_179_869_184, accept: ['audio/*', 'video/*'] })],
  ['POST', /^\/api\/files\/tus$/, tus],
  ['HEAD', /^\/api\/files\/tus\//, tus],
  ['PATCH', /^\/api\/files\/tus\//, tus],
  ['DELETE', /^\/api\/files\/tus\//, tus],
];
