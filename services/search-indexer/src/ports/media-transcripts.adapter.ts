import { mediaRpc } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import type { SpokenSegment } from '../chunking/chunking.ts';
import type { IndexableFile, Transcripts } from './transcripts.ts';

/** Pages with all word times stay well below the broker's message limit of 1 MiB. */
const pageSize = 50;
const maxAttempts = 5;

/** Requests transcripts from media. */
export function createMediaTranscripts({ bus }: { bus: Pick<Bus, 'request'> }): Transcripts {
  /** All pages; null for a missing file, undefined when the transcript changed between two pages. */
  const readOnce = async (fileId: string, signal: AbortSignal) => {
    const segments: SpokenSegment[] = [];
    let file: IndexableFile | undefined;
    for (let total = 1; segments.length < total;) {
      signal.throwIfAborted();
      const page = await bus.request(mediaRpc.transcriptPage, { fileId, offset: segments.length, limit: pageSize });
      if (!page.file) return null;
      if (file && file.transcriptVersion !== page.file.transcriptVersion) return undefined;
      file = page.file;
      segments.push(...page.segments);
      total = page.segments.length === 0 ? 0 : page.total;
    }
    return file ? { file, segments } : null;
  };
  return {
    read: async (fileId, signal) => {
      for (let i = 0; i < maxAttempts; i++) {
        const result = await readOnce(fileId, signal);
        if (result !== undefined) return result;
      }
      throw unavailable('service_unavailable', 'The transcript changes faster than it can be read');
    },
    file: async (fileId) => (await bus.request(mediaRpc.transcriptPage, { fileId, offset: 0, limit: 1 })).file,
    list: async (after, limit) => (await bus.request(mediaRpc.listTranscribed, { after, limit })).files,
  };
}
