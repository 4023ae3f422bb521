import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './app/global.css';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { activateLanguage } from './lib/language.ts';
import { messages } from './locales/en.po';
import { router } from './app/router.tsx';
import { queryClient, uploads } from './state/services.ts';
import { reloadWhenOutdated } from './app/stale-page.ts';
import { cssVariables, theme } from './app/theme.ts';
import { needsThisPage } from './state/upload.ts';
import { Toasts } from './ui/toasts.tsx';
import { keepFocusOfDisabled, keepFocusOfRemoved } from './ui/keep-focus.ts';
import { recordFocus } from './ui/last-focus.ts';
import { ignoreSecondPresses } from './ui/second-press.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element.');

activateLanguage('en', messages, navigator.languages);
reloadWhenOutdated(() => !uploads.list.get().some(needsThisPage));

ignoreSecondPresses(window);
recordFocus(document);
keepFocusOfDisabled(document);
keepFocusOfRemoved(document);

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'overtone-color-scheme' })}
    >
      <Toasts />
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </MantineProvider>
  </StrictMode>,
);
