import { suggestionEvents, type FileSuggestions, type Label, type SuggestionStatus } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { forbidden, invalid, notFound, type Caller } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Suggestion } from '../generated/client.ts';
import type { FileAccess, LabelsPort } from '../ports/labels.adapter.ts';
import type { Person } from './person.ts';
import { normalizedName, toFileSuggestions, unmaskedParts } from './suggestions.ts';
import { readFileSuggestions, setStatus } from './suggestions.store.ts';

export type DecisionsDeps = {
  db: Db;
  outbox: Outbox;
  labels: Pick<LabelsPort, 'access' | 'apply' | 'remove' | 'nameSpeakers'>;
};
type Named = { tags: readonly string[]; collections: readonly string[] };
type Decision = { changed: string[]; suggestions: FileSuggestions };
type Transition = { from: readonly string[]; to: SuggestionStatus };

/** What people do with suggestions: read, accept, reject, take back. */
export function createDecisions({ db, outbox, labels }: DecisionsDeps) {
  const read = async (file: FileAccess): Promise<FileSuggestions> =>
    toFileSuggestions(file.fileId, await readFileSuggestions(db, file.fileId, file.masks), file);

  const decide = async (
    person: Person,
    { fileId, ids }: { fileId: string; ids: readonly string[] },
    { from, to, perform }: Transition & { perform: (rows: Suggestion[]) => Promise<string[]> },
  ): Promise<Decision> => {
    const file = await usableFile(labels, person, fileId, 'edit');
    const rows = await chosenRows(db, file, ids);
    const done = await perform(rows.filter(({ status }) => from.includes(status)));
    const changed = await db.$transaction(async (tx) => {
      const ended = await setStatus(tx, done, { from, to, by: person.userId });
      if (ended.length > 0) await outbox.add(tx, suggestionEvents.changed, { fileId, ownerId: file.ownerId });
      return ended;
    });
    return { changed, suggestions: await read(file) };
  };

  /** @returns the ids of the suggestions that are in effect now. */
  const apply = async (actor: Person, fileId: string, rows: readonly Suggestion[]): Promise<string[]> => {
    const [chosen, speakers] = splitKinds(rows);
    const outcomes = chosen.length === 0 ? [] : await labels.apply({ fileId, actor, labels: chosen.map(toLabel) });
    const changes = speakers.map(({ speakerId, name }) => ({ speakerUuid: speakerId ?? '', from: null, to: name }));
    const namedSpeakers = changes.length === 0 ? [] : await labels.nameSpeakers({ fileId, actor, changes });
    const inEffect = outcomes.filter(({ outcome }) => outcome === 'changed' || outcome === 'present');
    return [
      ...chosen.filter((row) => inEffect.some(({ kind, name }) => kind === row.kind && name === row.name)),
      ...speakers.filter(({ speakerId }) => namedSpeakers.includes(speakerId ?? '')),
    ].map(({ id }) => id);
  };

  /** What a person changed since stays; the suggestion counts as taken back. */
  const takeBack = async (actor: Person, fileId: string, rows: readonly Suggestion[]): Promise<string[]> => {
    const [chosen, speakers] = splitKinds(rows);
    if (chosen.length > 0) await labels.remove({ fileId, actor, labels: chosen.map(toLabel) });
    const changes = speakers.map(({ speakerId, name }) => ({ speakerUuid: speakerId ?? '', from: name, to: null }));
    if (changes.length > 0) await labels.nameSpeakers({ fileId, actor, changes });
    return rows.map(({ id }) => id);
  };

  const accept = (person: Person, fileId: string, ids: readonly string[]): Promise<Decision> =>
    decide(
      person,
      { fileId, ids },
      {
        from: ['pending', 'rejected', 'undone'],
        to: 'accepted',
        perform: (rows) => apply(person, fileId, rows),
      },
    );

  return {
    read: async (caller: Caller, fileId: string) => read(await usableFile(labels, caller, fileId, 'read')),
    accept,
    reject: (person: Person, fileId: string, ids: readonly string[]) =>
      decide(
        person,
        { fileId, ids },
        { from: ['pending'], to: 'rejected', perform: async (rows) => rows.map(({ id }) => id) },
      ),
    undo: async (person: Person, fileId: string, ids: readonly string[]): Promise<Decision> => {
      const restored = await decide(
        person,
        { fileId, ids },
        { from: ['rejected'], to: 'pending', perform: async (rows) => rows.map(({ id }) => id) },
      );
      const undone = await decide(
        person,
        { fileId, ids },
        {
          from: ['accepted', 'applied'],
          to: 'undone',
          perform: (rows) => takeBack(person, fileId, rows),
        },
      );
      return { ...undone, changed: [...restored.changed, ...undone.changed] };
    },
    /** @throws AppError suggestion_unknown, before anything is applied. */
    acceptByName: async (person: Person, fileId: string, { tags, collections }: Named): Promise<Decision> => {
      const { masks } = await usableFile(labels, person, fileId, 'edit');
      const { suggestions } = await readFileSuggestions(db, fileId, masks);
      const find = (kind: string, name: string): string => {
        const row = suggestions.find((entry) => entry.kind === kind && entry.normalizedName === normalizedName(name));
        if (!row) throw invalid('suggestion_unknown', `This ${kind} was not suggested for the file: ${name}`);
        return row.id;
      };
      const ids = [...tags.map((name) => find('tag', name)), ...collections.map((name) => find('collection', name))];
      return accept(person, fileId, ids);
    },
    discard: async (person: Person, fileId: string): Promise<void> => {
      const { ownerId } = await usableFile(labels, person, fileId, 'edit');
      await db.$transaction(async (tx) => {
        const { count } = await tx.suggestion.deleteMany({ where: { fileId, status: 'pending' } });
        if (count > 0) await outbox.add(tx, suggestionEvents.changed, { fileId, ownerId });
      });
    },
  };
}

/** @throws AppError not_found, or permission_required for those who may only read. */
export async function usableFile(
  labels: Pick<LabelsPort, 'access'>,
  person: Pick<Caller, 'userId' | 'role'>,
  fileId: string,
  action: 'read' | 'edit',
): Promise<FileAccess> {
  const [file] = await labels.access([fileId], person);
  if (!file) throw notFound('There is no such file.');
  if (action === 'edit' && file.permission === 'viewer')
    throw forbidden('permission_required', 'This file was shared with you for reading only.');
  return file;
}

/** @throws AppError not_found when none of the suggestions exists for this reader. */
async function chosenRows(
  db: Db,
  { fileId, permission, masks }: FileAccess,
  ids: readonly string[],
): Promise<Suggestion[]> {
  const rows = unmaskedParts(await db.suggestion.findMany({ where: { fileId, id: { in: [...ids] } } }), masks);
  const visible = rows.filter(({ kind }) => kind !== 'collection' || permission === 'owner');
  if (visible.length === 0 && ids.length > 0) throw notFound('There is no such suggestion.');
  return visible;
}

function splitKinds(rows: readonly Suggestion[]): [labels: Suggestion[], speakers: Suggestion[]] {
  return [rows.filter(({ kind }) => kind !== 'speaker'), rows.filter(({ kind }) => kind === 'speaker')];
}

function toLabel({ kind, name }: Suggestion): Label {
  return { kind: kind === 'tag' ? 'tag' : 'collection', name };
}
