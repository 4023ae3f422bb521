/** An engine takes the first terms that fit its prompt; no one takes as many. */
const maxTerms = 200;

/**
 * The terms for an engine: those of the person and those of the provider in turn, so that neither list displaces the other.
 */
export function mergeVocabulary(own: readonly string[], shared: readonly string[]): string[] {
  const terms = new Map<string, string>();
  for (let i = 0; i < Math.max(own.length, shared.length) && terms.size < maxTerms; i += 1)
    for (const term of [own[i], shared[i]]) {
      const key = term?.toLowerCase();
      if (term !== undefined && key !== undefined && !terms.has(key)) terms.set(key, term);
    }
  return [...terms.values()].slice(0, maxTerms);
}
