import { offerSpeechModel } from '../src/commands/model-offer.ts';
import { createTerminal } from '../src/terminal.ts';

// What `up` does once the instance is ready: MODEL_FOLDER, whether it is the first start.
const [cacheDir = '', isFirstStart = ''] = process.argv.slice(2);
// As the handler of `up` that stops the instance.
process.on('SIGINT', () => process.exit(130));
await offerSpeechModel({ cacheDir, isFirstStart: isFirstStart === 'true', terminal: createTerminal() });
process.stdout.write('continued\n');
