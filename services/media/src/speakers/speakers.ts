import type { z } from 'zod';
import type { speakerObject } from '@overtone/contracts';
import { speakerLabel, speakerNumber } from '@overtone/contracts/speakers';
import type { Db, Tx } from '../database.ts';

export type SpeakerObject = z.infer<typeof speakerObject>;
type Row = { uuid: string; name: string; display_name: string | null; talk_time: number };

/** The file's speakers in order of their labels, with the seconds each one speaks. */
export async function listSpeakers(db: Db | Tx, fileId: string): Promise<SpeakerObject[]> {
  const rows = await db.$queryRaw<Row[]>`
    select s.uuid, s.name, s.display_name, coalesce(sum(t.end_time - t.start_time), 0)::float8 as talk_time
    from speaker s left join transcript_segment t on t.speaker_id = s.uuid
    where s.media_file_id = ${fileId}::uuid group by s.uuid order by s.name`;
  return rows.map((row) => ({ ...row, talk_time: Math.round(row.talk_time * 100) / 100 }));
}

/** The speaker name for the index: the display name, or the label. */
export function spokenName(speaker: { name: string; displayName: string | null }): string {
  return speaker.displayName ?? speaker.name;
}

/** The label of one more speaker: SPEAKER_03 after SPEAKER_01 and SPEAKER_02. */
export function nextLabel(labels: string[]): string {
  const numbers = labels.map((label) => speakerNumber(label) ?? 0);
  return speakerLabel(Math.max(0, ...numbers) + 1);
}
