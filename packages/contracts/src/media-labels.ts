import { z } from 'zod';
import { defineRpc, roles } from './define.ts';
import { fileMasks } from './media-redaction.ts';

/** The person who accepts a suggestion; null: the service itself. */
export const labelActor = z
  .object({
    userId: z.uuid(),
    role: z.enum(roles),
    client: z.object({
      ip: z.string().nullable(),
      userAgent: z.string().nullable(),
      requestId: z.string().nullable(),
    }),
  })
  .nullable();
export type LabelActor = z.infer<typeof labelActor>;

const label = z.object({ kind: z.enum(['tag', 'collection']), name: z.string().min(1).max(120) });
export type Label = z.infer<typeof label>;

/**
 * What became of one label. `present`: the file had it already; `removed_before`: a person removed it from this file;
 * `not_private`: readers of the collection would get access to the file; `missing`: there is no such collection or label.
 */
export const labelOutcomes = ['changed', 'present', 'removed_before', 'not_private', 'missing'] as const;
const outcome = label.extend({ outcome: z.enum(labelOutcomes) });
export type LabelOutcome = z.infer<typeof outcome>;

const nameChange = z.object({
  speakerUuid: z.uuid(),
  /** The name that the change replaces; null: the speaker has none. Another current name stays. */
  from: z.string().max(200).nullable(),
  to: z.string().trim().min(1).max(200).nullable(),
});
export type SpeakerNameChange = z.infer<typeof nameChange>;

export const labelRpc = {
  /** The reader's permission on files; those that the reader may not read are left out. */
  labelAccess: defineRpc('media', 'label-access', {
    request: z.object({
      fileIds: z.array(z.uuid()).max(500),
      reader: z.object({ userId: z.uuid(), role: z.enum(roles) }),
    }),
    reply: z.object({
      files: z.array(
        z.object({
          fileId: z.uuid(),
          ownerId: z.uuid(),
          permission: z.enum(['owner', 'editor', 'viewer']),
          /** 0: there is no transcript. */
          transcriptVersion: z.int(),
          masks: fileMasks,
        }),
      ),
    }),
  }),
  /** What suggestions for a file depend on; null when the file does not exist. Names are empty while names are masked. */
  labelContext: defineRpc('media', 'label-context', {
    request: z.object({ fileId: z.uuid() }),
    reply: z.object({
      context: z
        .object({
          ownerId: z.uuid(),
          transcriptVersion: z.int(),
          /** The owner's tags, most used first, and those of the file. */
          ownerTags: z.array(z.string()).max(1_000),
          fileTags: z.array(z.string()),
          /** The owner's collections, and whether the file is in them. */
          collections: z.array(z.object({ name: z.string(), contains: z.boolean(), isShared: z.boolean() })).max(500),
          speakers: z.array(z.object({ uuid: z.uuid(), label: z.string(), name: z.string().nullable() })),
          /** Named speakers of the owner's library and members of the owner's groups. */
          knownNames: z.array(z.string()).max(1_000),
          masksNames: z.boolean(),
        })
        .nullable(),
    }),
  }),
  /**
   * Attaches labels to a file: tags with the source `auto_ai`, and private collections. The service itself does not repeat
   * what a person removed, and creates no collection.
   */
  applyLabels: defineRpc('media', 'apply-labels', {
    request: z.object({ fileId: z.uuid(), actor: labelActor, labels: z.array(label).max(100) }),
    reply: z.object({ outcomes: z.array(outcome) }),
  }),
  /** Removes labels that were applied to a file. They are not applied to it again automatically. */
  removeLabels: defineRpc('media', 'remove-labels', {
    request: z.object({ fileId: z.uuid(), actor: labelActor.unwrap(), labels: z.array(label).max(100) }),
    reply: z.object({ outcomes: z.array(outcome) }),
  }),
  /** Names speakers, or removes names, where the current name is the expected one. */
  nameSpeakers: defineRpc('media', 'name-speakers', {
    request: z.object({ fileId: z.uuid(), actor: labelActor.unwrap(), changes: z.array(nameChange).max(100) }),
    /** The speakers whose name was changed. */
    reply: z.object({ changed: z.array(z.uuid()) }),
  }),
  /** The caller's own files with a transcript after `after` in order of id, for a run over the library. */
  listOwned: defineRpc('media', 'list-owned', {
    request: z.object({ ownerId: z.uuid(), after: z.uuid().nullable(), limit: z.int().min(1).max(500) }),
    reply: z.object({ fileIds: z.array(z.uuid()) }),
  }),
};
