/** What an agent read that is not text: an image is shown at its call, as it was then. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script, text, toolUse } from '../../tests/support/fake-model/script.ts';
import { png, RED } from '../../tests/support/images.ts';
import { expect, fullSpec, test } from '../support/test.ts';

test(
  'a read image is shown at its call, also after a reload, and a missing image is reported',
  fullSpec([
    'tests/lib/runs/call-row.server.test.ts › requests the stored image of a call by its hash',
    'tests/core/runs/images.test.ts › sends an image to the model in every request and keeps its bytes after the file is deleted',
    'tests/core/runs/images.test.ts › informs the model and the person if the stored image bytes are %s',
  ]),
  async ({ start }) => {
    const large = png(8, 8, 3_700_000);
    const script = new Script()
      .step([toolUse('read_file', { path: 'red.png' }), toolUse('read_file', { path: 'large.png' })])
      .step([text('Red.')]);
    const app = await start(script, { files: { 'red.png': RED, 'large.png': large } });
    await app.send('Look at the images.');
    await app.expectOutcome('completed');
    await writeFile(join(app.workspace, 'red.png'), 'no image any more');

    const image = app.page.getByRole('img', { name: 'The image that was read' });
    const seen = () => image.evaluate((element: HTMLImageElement) => [element.naturalWidth, element.naturalHeight]);
    const folded = 'Looked at 2 files';
    await app.unfold(folded);
    await app.call(/red\.png/).click();
    await expect.poll(seen).toEqual([4, 3]);
    await app.page.reload();
    await app.unfold(folded);
    await app.call(/red\.png/).click();
    await expect.poll(seen).toEqual([4, 3]);
    await app.call(/red\.png/).click();

    // As much as there can be crosses the bridge.
    await app.call(/large\.png/).click();
    await expect(image).toHaveAttribute('src', `data:image/png;base64,${large.toString('base64')}`);
    await app.call(/large\.png/).click();

    await rm(join(app.home, 'replaced'), { recursive: true });
    await app.call(/red\.png/).click();
    await expect(app.page.getByText('This image is not kept any more')).toBeVisible();
  },
);
