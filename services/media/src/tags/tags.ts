import type { z } from 'zod';
import type { tagObject, tagSources } from '@overtone/contracts';
import type { Tag } from '../generated/client.ts';

type TagSource = (typeof tagSources)[number] | null;

/** The form in which tags are compared: lower case, `-` and `_` as spaces, single spaces. */
export function normalizedTag(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[-_\s]+/g, ' ')
    .trim();
}

/** `source`: how the tag was attached to the file; without a file, how it was created. */
export function toTagObject(
  tag: Pick<Tag, 'id' | 'name' | 'source'>,
  onFile?: string | null,
): z.infer<typeof tagObject> {
  return {
    uuid: tag.id,
    name: tag.name,
    source: (onFile === undefined ? tag.source : onFile) as TagSource,
  };
}
