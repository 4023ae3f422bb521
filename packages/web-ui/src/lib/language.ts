import { i18n, type MessageDescriptor, type Messages } from '@lingui/core';

/** Uses these messages. Numbers and dates are written as in the region that the browser prefers. */
export function activateLanguage(locale: string, messages: Messages, preferred: readonly string[]): void {
  const region = preferred.map(regionOf).find((found) => found !== undefined);
  i18n.loadAndActivate({ locale, locales: region === undefined ? locale : `${locale}-${region}`, messages });
}

function regionOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().region;
  } catch {
    // Some browsers send names that are no language tags.
    return undefined;
  }
}

/** The locale of numbers and dates. */
export function readerLocale(): Intl.LocalesArgument {
  return i18n.locales ?? i18n.locale;
}

type Translated<T> = T extends MessageDescriptor
  ? string
  : T extends object
    ? { readonly [K in keyof T]: Translated<T[K]> }
    : T;

/** A table whose messages are translated when they are read: a module is loaded before the language is known. */
export function translateOnRead<const T extends object>(table: T): Translated<T> {
  const copy = Array.isArray(table) ? [] : {};
  for (const [key, value] of Object.entries(table)) {
    const content = isMessage(value)
      ? { get: () => i18n.t(value) }
      : { value: typeof value === 'object' && value !== null ? translateOnRead(value) : value };
    Object.defineProperty(copy, key, { ...content, enumerable: true });
  }
  return copy as Translated<T>;
}

function isMessage(value: unknown): value is MessageDescriptor {
  return typeof value === 'object' && value !== null && 'id' in value;
}
