import { mediaEvents, type FileObject } from '@overtone/contracts';
import { speakerLabel, speakerName } from '@overtone/contracts/speakers';
import type { Outbox } from '@overtone/database';
import type { Tx } from '../database.ts';
import { idsOf, type FileRow } from '../files/files.ts';
import type { Speaker } from '../generated/client.ts';
import { insertSegments } from '../processing/processing.store.ts';
import { maskSpeaker, type Mask } from '../redaction/redaction.ts';
import { scanStored } from '../redaction/redaction.store.ts';
import {
  fileBefore,
  nextLabel,
  segmentBefore,
  speakerBefore,
  type Before,
  type SegmentBefore,
} from '../transcripts/transcripts.ts';
import { closeChanges, recordChange, type Undo } from '../transcripts/transcripts.store.ts';
import { assignSpeakers } from './speakers.ts';
import type { ReadTranscript } from './read-transcript.adapter.ts';

type Imported = Pick<ReadTranscript, 'format' | 'interpolated' | 'segments' | 'speakers' | 'language' | 'duration'>;

/** The columns of a file whose transcript was imported. */
export function columnsOf({ format, interpolated }: Imported) {
  return {
    status: 'completed',
    engine: { provider: 'import', model: format, timing: interpolated ? 'estimated' : 'engine' },
    diarizationProvider: 'import',
    noSpeech: false,
  } as const;
}

/** Replaces the transcript of a locked file by an imported one. `mask`: what the person who imports does not see in it. */
export async function replaceByImport(
  tx: Tx,
  { file, imported, userId, mask }: { file: FileRow; imported: Imported; userId: string; mask: Mask },
): Promise<Undo> {
  const before = await readBefore(tx, file);
  const transcriptVersion = file.transcriptVersion + 1;
  // Changes of the replaced segments can no longer be undone one by one.
  await closeChanges(tx, file.id);
  await tx.segment.deleteMany({ where: { fileId: file.id } });
  await insertImported(tx, file.id, imported, { ...before, mask });
  return recordChange(tx, {
    fileId: file.id,
    userId,
    before: { kind: 'transcript_imported', ...before, after: { transcriptVersion } },
  });
}

type Replaced = Omit<Extract<Before, { kind: 'transcript_imported' }>, 'kind' | 'after'>;

async function readBefore(tx: Tx, file: FileRow): Promise<Replaced> {
  const where = { fileId: file.id };
  const segments: SegmentBefore[] = (await tx.segment.findMany({ where, orderBy: { position: 'asc' } })).map(
    segmentBefore,
  );
  const speakers = (await tx.speaker.findMany({ where })).map(speakerBefore);
  return { file: fileBefore(file), speakers, segments };
}

/**
 * Inserts segments and speakers. Speakers of the same name are kept; those that no longer speak are removed. A masked name
 * is not compared: the labels that the person sees instead are those of an exported transcript.
 */
export async function insertImported(
  tx: Tx,
  fileId: string,
  { segments: unassigned }: Imported,
  { speakers, segments: replaced, mask }: Pick<Replaced, 'speakers' | 'segments'> & { mask: Mask },
): Promise<void> {
  const named = new Map(speakers.map((speaker) => [speaker.id, nameOf(speaker, mask)]));
  const segments = assignSpeakers(
    unassigned,
    replaced.map(({ startTime, endTime, speakerId }) => ({
      start: startTime,
      end: endTime,
      speaker: named.get(speakerId ?? '') ?? null,
    })),
  );
  const names = [...new Set(segments.flatMap(({ speaker }) => speaker ?? []))];
  const ids = await writeSpeakers(tx, { fileId, names, existing: speakers, mask });
  const indexes = new Map(names.map((name, i) => [name, i]));
  await insertSegments(
    tx,
    fileId,
    segments.map(({ speaker, ...segment }) => ({ ...segment, speaker: indexes.get(speaker ?? '') ?? null })),
    ids,
  );
}

type NamedSpeaker = Pick<Speaker, 'name' | 'displayName'>;

function nameOf({ name, displayName }: NamedSpeaker, mask: Mask): string {
  return speakerName(maskSpeaker({ name, display_name: displayName }, mask));
}

function comparable(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

type WrittenSpeakers = {
  fileId: string;
  names: readonly string[];
  existing: readonly (NamedSpeaker & { id: string })[];
  mask: Mask;
};

/** @returns the ids of the speakers with these names. */
async function writeSpeakers(tx: Tx, { fileId, names, existing, mask }: WrittenSpeakers): Promise<string[]> {
  const byName = new Map(existing.map((speaker) => [comparable(nameOf(speaker, mask)), speaker.id]));
  const kept = names.map((name) => byName.get(comparable(name)));
  await tx.speaker.deleteMany({ where: { fileId, id: { notIn: kept.filter((id) => id !== undefined) } } });
  const labels = existing.filter(({ id }) => kept.includes(id)).map(({ name }) => name);
  const ids: string[] = [];
  for (const [i, name] of names.entries()) {
    const id = kept[i];
    if (id !== undefined) {
      ids.push(id);
      continue;
    }
    const speaker = newSpeaker(name, labels);
    labels.push(speaker.name);
    ids.push((await tx.speaker.create({ data: { ...speaker, fileId } })).id);
  }
  return ids;
}

/** `Speaker 3` is the shown name of an unnamed speaker: it gets that label when it is free. */
function newSpeaker(name: string, labels: string[]): NamedSpeaker {
  const number = /^Speaker (\d{1,4})$/.exec(name)?.[1];
  const label = number === undefined ? null : speakerLabel(Number(number));
  if (label !== null && !labels.includes(label)) return { name: label, displayName: null };
  return { name: nextLabel(labels), displayName: name };
}

/**
 * Scans an imported transcript and reports it to readers and search. `file` has its new version and language.
 * @param editedBy who replaced an earlier transcript by it.
 */
export async function finishImport(
  tx: Tx,
  outbox: Outbox,
  file: Pick<FileRow, 'id' | 'userId' | 'language' | 'transcriptVersion'>,
  editedBy: string | null,
): Promise<void> {
  const { id, transcriptVersion } = file;
  await tx.mediaFile.update({ where: { id }, data: await scanStored(tx, file) });
  const status: FileObject['status'] = 'completed';
  await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status });
  await outbox.add(tx, mediaEvents.transcriptEdited, { ...idsOf(file), transcriptVersion, editedBy });
}
