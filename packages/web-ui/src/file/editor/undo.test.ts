import { expect, it } from '@jest/globals';
import { createCorrectionsServer } from '../../../test/editor/corrections-server.ts';
import { segment, speakers } from '../../../test/editor/several-editors.ts';
import { createEditor } from '../../../test/editor/simulated-editor.ts';
import { deletePassages } from './commands.ts';

function open() {
  const server = createCorrectionsServer([segment(0), segment(1)], speakers);
  const words = { own: new Set<string>(), deleted: new Set<string>(), wronglyRemoved: new Set<string>() };
  // The connection never fails with these numbers.
  return { server, editor: createEditor(server, 'ada', (below) => (below === 2 ? 0 : 1), words) };
}

it('a saved step is undone on the server, also when it was typed together with one that is not saved', async () => {
  const { server, editor } = open();
  const [first] = server.states();
  deletePassages(editor.state(), (tr) => editor.dispatch(tr));
  await editor.autosave().flush();
  editor.dispatch(editor.state().tr.insertText('well ', 2));
  await editor.revert('undo');
  expect(server.passages()).toHaveLength(1);
  await editor.revert('undo');
  expect(server.states().at(-1)).toEqual(first);
  expect(editor.shown().map(({ text }) => text)).toEqual(server.passages().map(({ text }) => text));
  editor.close();
});
