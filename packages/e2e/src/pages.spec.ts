import { askInTheBrowser } from './ask-browser.e2e.ts';
import { backupsInTheBrowser } from './backups-browser.e2e.ts';
import { collectionsInTheBrowser } from './collections-browser.e2e.ts';
import { useScripted } from './context.ts';
import { enginesInTheBrowser } from './engines-browser.e2e.ts';
import { languageModelsInTheBrowser } from './language-models-browser.e2e.ts';
import { libraryInTheBrowser } from './library-browser.e2e.ts';
import { modelsInTheBrowser } from './models-browser.e2e.ts';
import { promptsInTheBrowser } from './prompts-browser.e2e.ts';
import { redactionInTheBrowser } from './redaction-browser.e2e.ts';
import { retentionInTheBrowser } from './retention-browser.e2e.ts';
import { searchInTheBrowser } from './search-browser.e2e.ts';
import { suggestionsInTheBrowser } from './suggestions-browser.e2e.ts';
import { speakersInTheBrowser } from './speakers-browser.e2e.ts';
import { registerSuites } from './suite.ts';
import { summariesInTheBrowser } from './summaries-browser.e2e.ts';
import { transcriptImportInTheBrowser } from './transcript-import-browser.e2e.ts';
import { urlImportInTheBrowser } from './url-import-browser.e2e.ts';
import { watchInTheBrowser } from './watch-browser.e2e.ts';

// Pages in Chromium, on an instance whose speech engine only waits.
const { context, evidence } = useScripted();
registerSuites(
  [
    languageModelsInTheBrowser(context), // first: it expects that no request was sent yet
    libraryInTheBrowser(context),
    collectionsInTheBrowser(context),
    backupsInTheBrowser(context),
    enginesInTheBrowser(context),
    urlImportInTheBrowser(context),
    watchInTheBrowser(context),
    modelsInTheBrowser(context),
    retentionInTheBrowser(context),
    redactionInTheBrowser(context),
    searchInTheBrowser(context),
    suggestionsInTheBrowser(context),
    speakersInTheBrowser(context),
    promptsInTheBrowser(context),
    summariesInTheBrowser(context),
    askInTheBrowser(context),
    transcriptImportInTheBrowser(context),
  ],
  evidence,
);
