import { backupsInTheBrowser } from './backups-browser.e2e.ts';
import { useScripted } from './context.ts';
import { enginesInTheBrowser } from './engines-browser.e2e.ts';
import { languageModelsInTheBrowser } from './language-models-browser.e2e.ts';
import { modelsInTheBrowser } from './models-browser.e2e.ts';
import { redactionInTheBrowser } from './redaction-browser.e2e.ts';
import { retentionInTheBrowser } from './retention-browser.e2e.ts';
import { registerSuites } from './suite.ts';
import { watchInTheBrowser } from './watch-browser.e2e.ts';

// Pages of administrators in Chromium, on an instance whose speech engine only waits.
const { context, evidence } = useScripted();
registerSuites(
  [
    languageModelsInTheBrowser(context), // first: it expects that no request was sent yet
    backupsInTheBrowser(context),
    enginesInTheBrowser(context),
    watchInTheBrowser(context),
    modelsInTheBrowser(context),
    retentionInTheBrowser(context),
    redactionInTheBrowser(context),
  ],
  evidence,
);
