import { askInTheBrowser } from './ask-browser.e2e.ts';
import { brokerInTheBrowser } from './broker-browser.e2e.ts';
import { collectionsInTheBrowser } from './collections-browser.e2e.ts';
import { useScripted } from './context.ts';
import { libraryInTheBrowser } from './library-browser.e2e.ts';
import { promptsInTheBrowser } from './prompts-browser.e2e.ts';
import { searchInTheBrowser } from './search-browser.e2e.ts';
import { suggestionsInTheBrowser } from './suggestions-browser.e2e.ts';
import { speakerDecisionsInTheBrowser } from './speaker-decisions-browser.e2e.ts';
import { speakerProfilesInTheBrowser } from './speaker-profiles-browser.e2e.ts';
import { registerSuites } from './suite.ts';
import { summariesInTheBrowser } from './summaries-browser.e2e.ts';
import { transcriptImportInTheBrowser } from './transcript-import-browser.e2e.ts';
import { urlImportInTheBrowser } from './url-import-browser.e2e.ts';

// Pages of everybody in Chromium, on an instance whose speech engine only waits.
const { context, evidence } = useScripted();
registerSuites(
  [
    libraryInTheBrowser(context),
    collectionsInTheBrowser(context),
    urlImportInTheBrowser(context),
    searchInTheBrowser(context),
    suggestionsInTheBrowser(context),
    speakerDecisionsInTheBrowser(context),
    speakerProfilesInTheBrowser(context),
    promptsInTheBrowser(context),
    summariesInTheBrowser(context),
    askInTheBrowser(context),
    transcriptImportInTheBrowser(context),
    brokerInTheBrowser(context),
  ],
  evidence,
);
