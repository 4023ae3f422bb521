import { mediaRpc } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import type { SpokenSegment } from '../chunking/chunking.ts';
import type { Transcripts } from './transcripts.ts';

/** Pages with all word times stay well below the broker's message limit of 1 MiB. */
const pageSize = 50;
const maxAttempts = 5;

/** Requests transcripts from media. */
export function createMediaTranscripts({ bus }: { bus: Pick<Bus, 'request'> }): Transcripts {
  /** All pages; null for a missing file, undefined when the transcript changed between two pages. */
  const readOnce = async (fileId: string, signal: AbortSignal) => {
    const segments: SpokenSegment[] = [];
    let version: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const page = await bus.request(mediaRpc.transcriptPage, { fileId, offset: segments.length, limit: pageSize });
      const { file } = page;
      if (!file) return null;
      version ??= file.transcriptVersion;
      if (file.transcriptVersion !== version) return undefined;
      segments.push(...page.segments);
      if (page.segments.length === 0 || segments.length >= page.total) return { file, segments };
    }
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
