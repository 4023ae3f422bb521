import { workerRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

type Range = [start: number, end: number];
/** The model of the workers that finds the names of people. */
export type NamesModel = {
  /** Name of the installed model; null: there is none. @throws AppError unavailable when no worker responds. */
  installed: () => Promise<string | null>;
  /**
   * Ranges of characters in each of consecutive texts.
   * @throws AppError unavailable when no worker responds, or when the workers' model is another one or fails.
   */
  find: (model: string, texts: readonly string[]) => Promise<Range[][]>;
};

/** Characters and texts of one request: a few seconds of work. */
const maxCharacters = 6_000;
const maxTexts = 200;

export function createNamesModel({ bus }: { bus: Pick<Bus, 'request'> }): NamesModel {
  return {
    installed: async () => (await bus.request(workerRpc.namesModel, {})).model,
    find: async (model, texts) => {
      const found: Range[][] = [];
      for (const batch of batchesOf(texts)) {
        const { names } = await bus.request(workerRpc.findNames, { model, texts: batch });
        if (names.length !== batch.length) throw new TypeError('the answer has another number of texts');
        found.push(...names);
      }
      return found;
    },
  };
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last && last.length < maxTexts && characters + text.length <= maxCharacters) last.push(text);
    else {
      batches.push([text]);
      characters = 0;
    }
    characters += text.length;
  }
  return batches;
}
