// What a person sees of the viewer: pixels of screenshots, titles, units, colours.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { countNear, example, launch, open, path, pixelsOf, run, showTime } from './support.mjs';

let browser;
const asFile = (name, more = '') => `file://${path(name)}#theme=light${more}`;
const exportRun = (name, model, ...options) => {
  run('run', example(model), '--out', path(name), '--quiet', ...options);
  run('view', path(name), '--export', path(`${name}.html`));
};

before(async () => {
  browser = await launch();
  exportRun('squeezer', 'squeezer', '--record', 'multipliers,power');
});
after(() => browser?.close());

const accent = [0x00, 0x72, 0xb2];

// The column with the most pixels in the cursor's colour, and how much of its height they fill.
function findCursor(picture) {
  let best = { column: -1, share: 0 };
  for (let x = 0; x < picture.width; ++x) {
    const share = countNear(picture, [x, 0, x + 1, picture.height], accent, 90) / picture.height;
    if (share > best.share) best = { column: x, share };
  }
  return best;
}

test('the time cursor stands in every plot where the time is', async () => {
  const page = await open(browser, asFile('squeezer.html'));
  const end = await page.evaluate(() => (window.cartan.setTime(1e9), window.cartan.time()));
  const count = await page.locator('.plot').count();
  assert.ok(count >= 3);
  for (const share of [0.25, 0.6, 1]) {
    await showTime(page, share * end);
    await page.waitForTimeout(100);
    for (let k = 0; k < count; ++k) {
      const picture = await pixelsOf(page, page.locator('.plot').nth(k).locator('.u-over'));
      const { column, share: filled } = findCursor(picture);
      assert.ok(filled > 0.9, `plot ${k} at ${share}: the cursor fills ${filled} of the height`);
      assert.ok(Math.abs(column / (picture.width - 1) - share) < 0.012, `plot ${k}: ${column} of ${picture.width} at ${share}`);
    }
  }
  // A part of the time enlarged: gone where it is outside, back with all of it.
  const area = page.locator('.plot .u-over').first();
  await showTime(page, 0.1 * end);
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.9 * box.width, box.y + 30, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(200);
  assert.ok(findCursor(await pixelsOf(page, area)).share < 0.9);
  await area.dblclick({ position: { x: 5, y: 5 } });
  await page.waitForTimeout(200);
  await showTime(page, 0.1 * end);
  const back = await pixelsOf(page, area);
  assert.ok(Math.abs(findCursor(back).column / back.width - 0.1) < 0.012);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('all of it stays in the picture when the window changes', async () => {
  const page = await open(browser, asFile('squeezer.html'));
  await page.locator('button', { hasText: 'panel' }).click();
  const reach = async () => {
    await page.waitForTimeout(300);
    return Math.max(...(await page.evaluate(() => window.cartan.corners())).flatMap(([x, y]) => [Math.abs(x), Math.abs(y)]));
  };
  const first = await reach();
  assert.ok(first <= 1 && first > 0.6, String(first));
  for (const [width, height] of [[400, 900], [1700, 400], [900, 900]]) {
    await page.setViewportSize({ width, height });
    const now = await reach();
    assert.ok(now <= 1 && now > 0.6, `${width} x ${height}: ${now}`);
  }
  // A view that a hand has chosen keeps its direction, and what was seen is seen.
  const canvas = await page.locator('canvas').first().boundingBox();
  await page.mouse.move(canvas.x + 200, canvas.y + 300);
  await page.mouse.down();
  await page.mouse.move(canvas.x + 300, canvas.y + 320, { steps: 3 });
  await page.mouse.up();
  const chosen = await reach();
  await page.setViewportSize({ width: 450, height: 900 });
  assert.ok((await reach()) <= 1.15 * chosen);
  await page.close();
});

test('the axes of the world have letters', async () => {
  const page = await open(browser, asFile('squeezer.html', '&quality=high'));
  for (const layer of ['bodies', 'joints', 'traces', 'springs'])
    if (await page.locator(`input[data-layer="${layer}"]`).count()) await page.locator(`input[data-layer="${layer}"]`).uncheck();
  await page.keyboard.press('Home');
  await page.waitForTimeout(600);
  const canvas = page.locator('canvas').first();
  const seen = await pixelsOf(page, canvas);
  const letters = await page.evaluate(() => window.cartan.letters());
  assert.deepEqual(letters.map(({ letter }) => letter), ['x', 'y', 'z']);
  const colors = [[0xd5, 0x5e, 0x00], [0x00, 0x9e, 0x73], [0x00, 0x72, 0xb2]];
  await page.locator('input[data-layer="ground"]').uncheck();
  await page.waitForTimeout(600);
  const bare = await pixelsOf(page, canvas);
  letters.forEach(({ letter, x, y }, k) => {
    const box = [x - 9, y - 9, x + 9, y + 9].map(Math.round);
    const ink = countNear(seen, box, colors[k]);
    assert.ok(ink >= 8, `${letter}: ${ink} pixels in its colour`);
    assert.ok(countNear(bare, box, colors[k]) < 2, letter);
  });
  await page.close();
});

test('coordinates by unit, and how many of how many', async () => {
  const page = await open(browser, asFile('squeezer.html'));
  const plots = () => page.evaluate(() => window.cartan.plots());
  const coordinates = (await plots()).filter(({ title }) => title.startsWith('Joint coordinates'));
  assert.ok(coordinates.length > 0);
  for (const { title, curves } of coordinates) {
    const told = /^Joint coordinates \((rad|m)\)(?:, (\d+) of (\d+))?$/.exec(title);
    assert.ok(told, title);
    if (told[2]) assert.ok(Number(told[2]) === curves && Number(told[3]) > curves, title);
  }
  const header = readFileSync(path('squeezer/trajectory.csv'), 'utf8').split('\n', 1)[0].split(',');
  const angles = header.filter((name) => /\.q\d+$/.test(name)); // all its joints are hinges
  assert.ok(angles.length > 7);
  assert.equal(coordinates[0].title, `Joint coordinates (rad), 7 of ${angles.length}`);
  // Radians and joules do not share an axis.
  const before_ = (await plots()).length;
  const [angle] = angles;
  await page.locator('input[list]').fill(`energy, ${angle}, kinetic`);
  await page.locator('input[list]').press('Enter');
  const added = (await plots()).slice(before_);
  assert.deepEqual(added.map(({ title, curves }) => [title, curves]), [['energy, kinetic (J)', 2], [`${angle} (rad)`, 1]]);
  // The power of the drives is not called like the violation of the constraints.
  await page.locator('input[list]').fill('constraint, constraint_power');
  await page.locator('input[list]').press('Enter');
  assert.deepEqual((await plots()).slice(before_ + 2).map(({ title }) => title), ['constraint (m or rad)', 'constraint_power (W)']);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('a quantity has the colour that charts give it', async () => {
  const page = await open(browser, asFile('squeezer.html'));
  const colors = await page.locator('.plot').first().locator('.legend span').evaluateAll((list) =>
    list.map((entry) => [entry.textContent.trim().split(' ')[0], getComputedStyle(entry.querySelector('i')).backgroundColor]));
  assert.deepEqual(colors.slice(0, 3), [['kinetic', 'rgb(0, 114, 178)'], ['potential', 'rgb(213, 94, 0)'], ['energy', 'rgb(0, 158, 115)']]);
  await page.close();
});

test('what rounding left is shown as 0', async () => {
  const text = readFileSync(path('squeezer.html'), 'utf8');
  const inside = /<script[^>]*id="cartan-data"[^>]*>([\s\S]*?)<\/script>/.exec(text)[1];
  const data = JSON.parse(inside);
  const table = data.runs[0].tables.find(({ name }) => name === 'trajectory.csv');
  const numbers = new Float64Array(Uint8Array.from(Buffer.from(table.data, 'base64')).buffer);
  for (const name of ['kinetic', 'potential', 'energy'])
    numbers.fill(3.72e-40, table.columns.indexOf(name) * table.count, (table.columns.indexOf(name) + 1) * table.count);
  table.data = Buffer.from(numbers.buffer).toString('base64');
  writeFileSync(path('rounding.html'), text.replace(inside, () => JSON.stringify(data).replace(/</g, '\\u003c')));
  const page = await open(browser, asFile('rounding.html'));
  assert.match(await page.locator('.readout').textContent(), /kinetic0 J/);
  assert.doesNotMatch(await page.locator('body').innerText(), /e-4\d/);
  await page.close();
});

// Errors of 1e-15 and of 1e-26 in one chart: uPlot's own ticks of such an axis came to no end.
test('logarithmic charts of next to nothing have labels at powers of ten', async () => {
  exportRun('cam', 'cam', '--duration', '0.1');
  const page = await open(browser, asFile('cam.html'));
  const charts = (await page.evaluate(() => window.cartan.plots())).filter(({ logarithmic }) => logarithmic);
  assert.ok(charts.length >= 1);
  for (const { title, labels } of charts) {
    const written = labels.filter((label) => label !== '');
    assert.ok(written.length >= 2 && written.length < 30, `${title}: ${labels.length} ticks`);
    for (const label of written) assert.match(label, /^1e-\d+$/);
  }
  assert.deepEqual(page.errors, []);
  await page.close();
});
