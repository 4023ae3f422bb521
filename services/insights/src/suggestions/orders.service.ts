import { suggestionEvents, suggestionParts, type SuggestionPart } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { FileAccess, LabelsPort } from '../ports/labels.adapter.ts';
import type { Settings } from '../settings/settings.ts';
import { usableFile } from './decisions.service.ts';
import type { Person } from './person.ts';
import { orderExtraction, type ExtractionOrder } from './suggestions.store.ts';

export type OrdersDeps = {
  db: Db;
  outbox: Outbox;
  labels: Pick<LabelsPort, 'access'>;
  settings: Pick<Settings, 'read'>;
};
type ExtractionOptions = { part: SuggestionPart; force: boolean; applies: boolean };

/** Orders suggestions: a person's request, or the end of a transcription. */
export function createOrders({ db, outbox, labels, settings }: OrdersDeps) {
  /** @returns whether one of the parts was ordered. */
  const order = (parts: readonly SuggestionPart[], request: Omit<ExtractionOrder, 'part'>): Promise<boolean> =>
    db.$transaction(async (tx) => {
      let isOrdered = false;
      for (const part of parts) isOrdered = (await orderExtraction(tx, { ...request, part })) || isOrdered;
      const { fileId, ownerId } = request;
      if (isOrdered) await outbox.add(tx, suggestionEvents.changed, { fileId, ownerId });
      return isOrdered;
    });
  const orderFor = (
    { fileId, ownerId, transcriptVersion }: FileAccess,
    { part, ...wish }: ExtractionOptions,
  ): Promise<boolean> => {
    if (transcriptVersion === 0) throw conflict('no_transcript', 'This file has no transcript yet.');
    return order([part], { fileId, ownerId, ...wish });
  };

  return {
    one: async (person: Person, fileId: string, wish: ExtractionOptions) => {
      const file = await usableFile(labels, person, fileId, 'edit');
      const ordered = await orderFor(file, wish);
      const message = ordered ? 'The suggestions are being made' : 'There are suggestions, or they are being made';
      return { message, file_id: fileId, ordered };
    },

    many: async (person: Person, fileIds: readonly string[]): Promise<{ ordered: string[] }> => {
      const files = await labels.access([...new Set(fileIds)], person);
      const ordered: string[] = [];
      for (const file of files) {
        if (file.permission === 'viewer' || file.transcriptVersion === 0) continue;
        if (await orderFor(file, { part: 'labels', force: true, applies: false })) ordered.push(file.fileId);
      }
      return { ordered };
    },

    /** A transcript is complete: labels and speaker names are suggested unless an administrator switched it off. */
    afterTranscription: async ({ fileId, ownerId }: { fileId: string; ownerId: string }, eventId: string) => {
      if (!(await settings.read(db)).automatic) return;
      await order(suggestionParts, { fileId, ownerId, applies: true, force: true, eventId });
    },
  };
}
