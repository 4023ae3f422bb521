import type { Evidence } from '@overtone/contracts';
import type { MediaFiles } from '../ports/media-files.adapter.ts';
import type { Search } from '../ports/search.adapter.ts';
import { scopeGone, type Reader, type Scope } from './ask.ts';
import type { Passage } from './citations.ts';
import { passagesOf, rank, type EvidenceFile } from './evidence.ts';

const maxFiles = 8;
const passagesPerFile = 4;
const passagesOfOneFile = 16;
/** Of a larger collection only a part is searched, and the answer says so. */
const maxScopeFiles = 1_000;

/** What a question may be answered from. `files` null: everything that the reader may read. */
export type Material = { files: string[] | null; isPartial: boolean };
export type FoundEvidence = {
  evidence: Evidence;
  files: EvidenceFile[];
  /** In the order of their rank. */
  passages: Passage[];
  /** Of the best passage. */
  language: string | null;
  isPartial: boolean;
};
type Deps = { search: Search; media: MediaFiles };
/** Stores the files before their text is read. @returns false when the answer is not wanted any more. */
type Record = (files: readonly EvidenceFile[]) => Promise<boolean>;

/** Finds what answers a question, with the rights of the caller. */
export function createEvidence({ search, media }: Deps) {
  return {
    /** @throws AppError scope_unavailable when the reader may not read the file or the collection any more. */
    materialOf: async ({ scope, scopeUuid }: Scope, reader: Reader): Promise<Material> => {
      if (scope === 'library' || scopeUuid === null) return { files: null, isPartial: false };
      if (scope === 'file') {
        const files = await media.access([scopeUuid], reader);
        if (files.length === 0) throw scopeGone();
        return { files: [scopeUuid], isPartial: false };
      }
      const fileIds = await media.filesOf(scopeUuid, reader);
      if (!fileIds) throw scopeGone();
      return { files: fileIds, isPartial: fileIds.length > maxScopeFiles };
    },

    /** Two steps: which files, then which passages of those. The text is that of the transcripts now, with their masks. */
    find: async (
      { question, reader, material }: { question: string; reader: Reader; material: Material },
      record: Record,
      signal: AbortSignal,
    ): Promise<FoundEvidence> => {
      const fileIds = material.files?.slice(0, maxScopeFiles) ?? null;
      const isOne = fileIds?.length === 1;
      const found = await search.retrieve({
        question,
        reader,
        fileIds,
        maxFiles: isOne ? 1 : maxFiles,
        passagesPerFile: isOne ? passagesOfOneFile : passagesPerFile,
      });
      const { legs, evidence } = found;
      const isPartial =
        material.isPartial || Object.values(legs).some((leg) => leg === 'unavailable' || leg === 'failed');
      // The index may lag behind a share that was ended.
      const candidates = evidence === 'general' && isOne ? fileIds : found.files.map(({ fileId }) => fileId);
      const files = await media.access(candidates, reader);
      const nothing = { evidence: 'none' as const, files: [], passages: [], language: null, isPartial };
      if (evidence === 'none' || files.length === 0 || !(await record(files))) return nothing;
      const partsOf = new Map(found.files.map(({ fileId, passages }) => [fileId, passages]));
      const read = await Promise.all(
        files.map(async (file) => {
          const { language, segments } = await media.transcript(file.fileId, signal);
          return { file, language, passages: passagesOf(file, segments, partsOf.get(file.fileId) ?? []) };
        }),
      );
      const passages = rank(read.flatMap((one) => one.passages));
      const language = read.find(({ file }) => file.fileId === passages[0]?.fileId)?.language ?? null;
      return { evidence, files, passages, language, isPartial };
    },
  };
}

export type EvidenceFinder = ReturnType<typeof createEvidence>;
