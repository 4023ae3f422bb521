import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';
import { createSwcExtractor } from '@lingui/native-tools';

/** The messages are extracted from the sources; `src/locales/en.po` lists them for the translator of another language. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en'],
  catalogs: [{ path: '<rootDir>/src/locales/{locale}', include: ['src'], exclude: ['**/*.test.ts'] }],
  extractors: [createSwcExtractor()],
  format: formatter({ lineNumbers: false }),
});
