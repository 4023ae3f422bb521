import { dispatcherRpc } from '@overtone/contracts';
import { invalid, type AppError, type Bus, type Log } from '@overtone/service-kit';

/** Languages that the speech engines support. */
export type Languages = {
  /** ISO codes; null: any language, or currently unknown. */
  known: () => Promise<string[] | null>;
};

const cacheMs = 10_000;

/** Requests the languages from the dispatcher; a reply or a failure is cached for ten seconds. */
export function createLanguages({ bus, log }: { bus: Pick<Bus, 'request'>; log: Log }): Languages {
  let cached: { until: number; languages: Promise<string[] | null> } | undefined;
  const request = async (): Promise<string[] | null> => {
    try {
      return (await bus.request(dispatcherRpc.languages, {})).languages;
    } catch (err) {
      log.debug({ err: err as Error }, 'speech engine languages request failed');
      return null;
    }
  };
  return {
    known: () => {
      if (cached === undefined || Date.now() > cached.until)
        cached = { until: Date.now() + cacheMs, languages: request() };
      return cached.languages;
    },
  };
}

/** @throws AppError when no engine supports the chosen language. */
export function checkLanguage(chosen: string | null | undefined, known: readonly string[] | null): void {
  if (!chosen || known === null) return;
  if (!known.some((code) => primaryLanguage(code) === primaryLanguage(chosen))) throw unsupported(known);
}

/** `de` of `de-CH`. */
export function primaryLanguage(code: string): string {
  return code.toLowerCase().split('-')[0] ?? code;
}

function unsupported(languages: readonly string[]): AppError {
  return invalid(
    'language_unsupported',
    `The speech engine cannot transcribe this language. It knows: ${languages.join(', ')}.`,
    { errors: [{ path: 'language', message: 'is not supported' }], extra: { languages: [...languages] } },
  );
}
