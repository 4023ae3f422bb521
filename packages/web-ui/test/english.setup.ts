import { expect } from '@jest/globals';

// In tests of the web UI the texts are those of the sources.
if (expect.getState().testPath?.includes('/packages/web-ui/')) {
  const { i18n } = await import('@lingui/core');
  i18n.loadAndActivate({ locale: 'en', messages: {} });
}
