import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, unavailable } from '@overtone/service-kit';
import type { z } from 'zod';
import { storageFull } from '../failures.ts';

export type Place = { fileId: string; runId: string };

/** Name of what a stage leaves; the token keeps a superseded worker from writing over its successor's. */
export const artefactKey = ({ fileId, runId }: Place, name: string, token: number, extension = 'json'): string =>
  `derived/${fileId}/${runId}/${name}-${token}.${extension}`;

/** Artefacts of the stages, in the object store; every one is checked when it is read. */
export const createArtefacts = (store: ObjectStore, workDir: string) => ({
  writeJson: async (key: string, value: unknown): Promise<string> => {
    await store.put(key, JSON.stringify(value), { contentType: 'application/json' });
    return key;
  },
  readJson: async <S extends z.ZodType>(key: string, schema: S): Promise<z.infer<S>> => {
    const { stream } = await store.get(key).catch(missing);
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    return schema.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
  },
  download: async (key: string, target: string, signal: AbortSignal): Promise<void> => {
    const { stream } = await store.get(key, { signal }).catch(missing);
    await pipeline(stream, createWriteStream(target), { signal }).catch(fullDisk);
  },
  upload: async (source: string, key: string, contentType: string, signal: AbortSignal): Promise<string> => {
    const file = await open(source, 'r');
    await store.put(key, file.createReadStream(), { contentType, signal });
    return key;
  },
  /** A folder for one job; gone afterwards, whatever happened. */
  inFolder: async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
    const folder = await mkdtemp(join(workDir, 'job-'));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  },
});
export type Artefacts = ReturnType<typeof createArtefacts>;

/** The recording or an earlier artefact is gone: trying again cannot bring it back, the run has to start anew. */
const missing = (e: unknown): never => {
  if (isAppError(e) && e.kind === 'not_found')
    throw unavailable('artefact_missing', 'What an earlier stage left is no longer there', {
      cause: e,
      permanent: true,
    });
  throw e;
};

const fullDisk = (e: unknown): never => {
  if ((e as { code?: string }).code === 'ENOSPC') throw storageFull('The disk is full');
  throw e;
};
