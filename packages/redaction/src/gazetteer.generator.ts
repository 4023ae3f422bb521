import { allLocales } from '@faker-js/faker';

/** Languages of transcripts, and the countries whose names occur in them; their names are written in Latin letters. */
const locales =
  'en en_AU en_GH en_IN en_NG en_ZA cy de de_CH fr fr_BE fr_SN es es_MX it pt_BR pt_PT nl nl_BE sv da nb_NO fi pl tr ro hr cs_CZ hu yo_NG zu_ZA'.split(
    ' ',
  ) as (keyof typeof allLocales)[];

/** The names of the package, in lower case, without compounds. */
export function gazetteer(): { given: string[]; family: string[] } {
  const people = locales.map((locale) => allLocales[locale].person ?? {});
  return {
    given: namesOf(people.map(({ first_name }) => first_name)),
    family: namesOf(people.map(({ last_name }) => last_name)),
  };
}

function namesOf(lists: readonly unknown[]): string[] {
  const names = lists.flatMap((list) => Object.values(list ?? {}).flat()).filter((name) => typeof name === 'string');
  const words = names.map((name) => name.toLowerCase()).filter((name) => /^\p{Script=Latin}{3,}$/u.test(name));
  return [...new Set(words)].toSorted();
}
