import { voiceVersions, type VoiceVersion } from '@overtone/contracts';

/** One speaker of a file; the vector has the length 1. */
export type VoiceRow = { speakerId: string; fileId: string; seconds: number; vector: Float32Array };

/** Embeddings of speakers: one table per version, so that a query never meets two versions. */
export type SpeakerIndex = {
  /** Creates the table of a version, empty; an existing one is deleted. */
  create: (version: VoiceVersion) => Promise<void>;
  /** Replaces the rows of a file. A missing table is created. */
  replaceFile: (version: VoiceVersion, fileId: string, rows: readonly VoiceRow[]) => Promise<void>;
  /** The rows of these speakers; none of a missing table. */
  read: (version: VoiceVersion, speakerIds: readonly string[]) => Promise<VoiceRow[]>;
  /** Number of speakers by file. */
  countByFile: (version: VoiceVersion) => Promise<Map<string, number>>;
  drop: (version: VoiceVersion) => Promise<void>;
  /** Removes from the files of these versions what was removed from them. */
  purge: (versions: readonly VoiceVersion[]) => Promise<void>;
  close: () => Promise<void>;
};

/** The name of a version's table or index, below the alias `speakers`. */
export function tableOf(version: VoiceVersion): string {
  return `speakers-${version}`;
}

export function versionOf(name: VoiceVersion) {
  const found = voiceVersions.find((version) => version.name === name);
  if (!found) throw new TypeError(`unknown version ${name}`);
  return found;
}

/** LanceDB would fill up or cut off a vector of another version. @throws TypeError */
export function assertDimension(version: VoiceVersion, rows: readonly VoiceRow[]): void {
  const { dimension } = versionOf(version);
  if (rows.some(({ vector }) => vector.length !== dimension)) throw new TypeError(`not a vector of version ${version}`);
}
