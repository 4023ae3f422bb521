import { DirectoryFailure } from '../wire/failures.ts';
import { bytesOf, type Entry } from '../wire/entry.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The values of an attribute as text.
 * @throws DirectoryFailure for a value that is no text, because an unreadable value is not an absent one.
 */
export function textsOf(entry: Entry, name: string): string[] {
  return bytesOf(entry, name).map((value) => {
    try {
      return utf8.decode(value);
    } catch (error) {
      throw new DirectoryFailure('protocol', `The attribute ${name} holds bytes that are no text`, { cause: error });
    }
  });
}

/** The first value as trimmed text; undefined when it is absent or empty. */
export function textOf(entry: Entry, name: string): string | undefined {
  const text = textsOf(entry, name)[0]?.trim();
  return text === '' ? undefined : text;
}
