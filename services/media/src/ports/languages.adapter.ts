import { dispatcherRpc, type SpeechTask } from '@overtone/contracts';
import { invalid, type AppError, type Bus, type Log } from '@overtone/service-kit';

export type SpeechAbilities = {
  /** ISO codes; null: any language, or currently unknown. */
  languages: string[] | null;
  /** Whether an engine translates to English; null: unknown. */
  translates: boolean | null;
  /** The providers that may be chosen. */
  providers: { id: string; name: string; translates: boolean | null }[];
};

/** What the speech engines can do. */
export type Languages = {
  abilities: () => Promise<SpeechAbilities>;
  known: () => Promise<string[] | null>;
};

const cacheMs = 10_000;
const unknown: SpeechAbilities = { languages: null, translates: null, providers: [] };

/** Requests the abilities from the dispatcher; a reply or a failure is cached for ten seconds. */
export function createLanguages({ bus, log }: { bus: Pick<Bus, 'request'>; log: Log }): Languages {
  let cached: { until: number; abilities: Promise<SpeechAbilities> } | undefined;
  const request = async (): Promise<SpeechAbilities> => {
    try {
      const { languages, translates = null, providers = [] } = await bus.request(dispatcherRpc.languages, {});
      return { languages, translates, providers };
    } catch (err) {
      log.debug({ err: err as Error }, 'speech engine languages request failed');
      return unknown;
    }
  };
  const abilities = (): Promise<SpeechAbilities> => {
    if (cached === undefined || Date.now() > cached.until)
      cached = { until: Date.now() + cacheMs, abilities: request() };
    return cached.abilities;
  };
  return { abilities, known: async () => (await abilities()).languages };
}

type SpeechChoice = {
  language?: string | undefined;
  task?: SpeechTask | undefined;
  asr_provider?: string | undefined;
};

/** Refuses before the job starts what no engine can do. @throws AppError. */
export function checkSpeech({ language, task, asr_provider: id }: SpeechChoice, abilities: SpeechAbilities): void {
  checkLanguage(language, abilities.languages);
  const provider = abilities.providers.find((known) => known.id === id);
  if (id !== undefined && provider === undefined)
    throw invalid('provider_unknown', 'This speech service cannot be chosen.', {
      errors: [{ path: 'asr_provider', message: 'is not one of the providers of the upload limits' }],
    });
  const translates = provider === undefined ? abilities.translates : provider.translates;
  if (task === 'translate' && translates === false)
    throw invalid('translation_unsupported', 'No speech model here translates to English. The turbo sizes cannot.', {
      errors: [{ path: 'task', message: 'is not supported' }],
    });
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
